#pragma once
// TraceListener: what a codec tells of a document it decodes for whoever asks where its bits go:
// `perfclient explain` and `convert --trace`. Codec::trace calls it; timed decodes know nothing of
// it.
//
// Contract: calls come in the order of the encoded form; views live during the call only. All bits
// of the form are in one of the calls, but for padding. Tested by
// tests/unit/proto/exi/trace_test.cpp.

#include <cstdint>
#include <string_view>

#include "proto/model/name_table.h"

namespace perfrelay {

struct TracedItem {
    std::string_view event{};  // as the format's specification calls it: "SE(*)", "AT", "CH"
    std::string_view code{};   // its code, "0.2"; "" where it takes no bits
    std::uint64_t at = 0;  // bits from the start of the form; of the block, where that is packed
    std::uint64_t code_bits = 0;
    std::uint64_t name_bits = 0;   // qualified name, or prefix and URI of a declaration
    std::uint64_t value_bits = 0;  // value, or texts
    const QName* name = nullptr;
    bool has_value = false;     // `value` is it; else there is none, or it comes by `value()`
    std::string_view value{};   // value or text; PI: target; declaration: prefix
    std::string_view second{};  // PI: data; declaration: URI
};

class TraceListener {
  public:
    TraceListener() = default;
    TraceListener(const TraceListener&) = delete;
    TraceListener& operator=(const TraceListener&) = delete;
    virtual ~TraceListener() = default;

    virtual void header(std::uint64_t bits) = 0;
    virtual void event(const TracedItem& item) = 0;
    // A value that lies apart from its event, with others of this name.
    virtual void value(const QName& name, std::string_view value, std::uint64_t bits) = 0;
    // What was told since the header, or since the last such call, is `bytes` of the form, packed.
    virtual void packed(std::uint64_t bytes, std::uint64_t unpacked) = 0;
};

}  // namespace perfrelay
