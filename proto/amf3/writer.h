#pragma once
// An ObjectGraph in AMF3's own terms into AMF3 bytes: the shortest forms, every repeated string,
// object and class description by reference (A 1.3.2).
//
// "In its own terms": the kinds that AMF3 has (lower.h makes any graph one). Numbers of other kinds
// are written as A 3.6 and 3.7 allow: integers of up to 32 bits as integers when 29 bits hold them,
// everything else as a double.
// When the graph's texts are not unique, equal ones are found by their content, text by text.
// The output only grows: it may be drained while it is written.
// Tested by tests/unit/proto/amf3/ and tests/conformance/.

#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "proto/amf3/wire.h"
#include "proto/model/fast_out.h"
#include "proto/model/object_graph.h"

namespace perfrelay::amf3 {

// How characters beyond U+FFFF are written. The specification has UTF-8; the Java libraries write
// CESU-8, and the older of their readers take nothing else.
enum class TextForm : std::uint8_t { utf8, cesu8 };

class Writer {
  public:
    explicit Writer(TextForm form) : form_(form) {}

    // Appends. Errors: a kind that AMF3 has not, a text or count beyond 28 bits, an empty name
    // of a dynamic member.
    Result<> write(const ObjectGraph& graph, Buffer& out);

  private:
    struct Frame {
        const graph::Value* next;
        const graph::Value* end;
        bool named;  // names and values, and the empty name behind them
    };

    bool value(FastOut& out, const graph::Value& value);
    bool node(FastOut& out, const graph::Node& node);
    bool object(FastOut& out, const graph::Node& node);
    void members(FastOut& out, const graph::Node& node);
    bool traits(FastOut& out, const graph::Class& type);
    bool vector(FastOut& out, const graph::Node& node);
    void number(FastOut& out, std::uint64_t bits);
    bool integer(FastOut& out, std::int64_t value);
    bool string(FastOut& out, const graph::Text& text);
    bool plain_text(FastOut& out, const graph::Text& text);
    std::uint32_t index_of(const graph::Text& text);
    void push(const graph::Value* values, std::size_t count, bool named);
    bool fail(const char* where);

    TextForm form_;
    const char* why_ = nullptr;
    bool unique_texts_ = true;
    ReferenceTable strings_;
    ReferenceTable objects_;
    ReferenceTable traits_;
    std::vector<std::pair<std::uint32_t, const graph::Text*>> by_content_;  // index, text; open
    std::uint32_t text_count_ = 0;
    std::vector<Frame> frames_;
};

}  // namespace perfrelay::amf3
