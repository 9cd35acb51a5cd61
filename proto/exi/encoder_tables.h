#pragma once
// EncoderTables: what an encoder keeps from document to document: its memory.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/arena.h"
#include "proto/exi/grammar.h"
#include "proto/exi/look_ahead.h"
#include "proto/exi/names.h"
#include "proto/exi/value_tables.h"
#include "proto/model/name_table.h"

namespace perfrelay::exi {

// What is put aside while a self-contained element is written (EXI 8.4.3).
struct WrittenTables {
    // An xsi:type value that was resolved: the same text under the same URI is the same name.
    struct Type {
        std::string_view text;
        std::string_view uri;
        std::uint32_t uri_id = 0;
        std::uint32_t number = 0;
    };

    KeptNames qnames;
    Names names;
    Grammars grammars;
    WriteValues values;
    // By QName::expanded of the source, whose names are dense: our number, or Names::k_none.
    std::vector<std::uint32_t> known;
    static constexpr std::size_t k_types = 64;
    std::vector<Type> types;  // by hash, once there is one
    // Productions of states that have many, but the last few (State::far): by state, kind and name.
    std::unordered_map<std::uint64_t, std::uint32_t> far;

    void reset(const Options& options, const SecondLevels& levels) {
        if (qnames.trim()) names.forget();
        names.reset(false, qnames.table);
        grammars.reset(levels);
        values.reset(options);
        known.clear();
        types.clear();
        if (!far.empty()) far.clear();
        values.make_room(names.size());
    }
};

struct EncoderTables {
    struct Open {
        const QName* name = nullptr;
        std::uint32_t number = 0;
        std::uint32_t next = 0;  // the state behind the element
        bool contained = false;  // self-contained
    };
    struct Attribute {
        const QName* name;
        std::string_view value;
        std::uint32_t number;
        std::uint32_t ahead;  // its number as a value (look_ahead.h)
    };
    struct Declared {
        std::string_view prefix;
        std::string_view uri;
        std::size_t depth = 0;  // elements open, its own included
    };
    // Values that wait for their block to end (EXI 9).
    struct Channel {
        std::vector<std::string_view> values;
    };

    SecondLevels levels;
    std::vector<std::unique_ptr<WrittenTables>> written;
    std::vector<Open> open;
    std::vector<Declared> scope;
    LookAhead ahead;
    std::vector<Attribute> attributes;  // of the element that starts
    // Canonical EXI: its declarations, to be sorted.
    std::vector<std::pair<std::string_view, std::string_view>> declarations;
    Arena text;            // texts that the source does not keep
    Arena attribute_text;  // the same, of one start tag
    std::string joined;    // characters that came in pieces
    // EXI 9
    Buffer structure;
    Buffer packed;
    std::vector<Channel> channels;  // by name
    std::vector<std::uint32_t> order;

    void reset(const Options& options) {
        levels = SecondLevels(options);
        if (written.empty()) written.push_back(std::make_unique<WrittenTables>());
        written.front()->reset(options, levels);
        open.clear();
        scope.clear();
        attributes.clear();
        declarations.clear();
        text.clear();
        attribute_text.clear();
        structure.clear();
        packed.clear();
        for (const std::uint32_t name : order)
            channels[name].values.clear();
        order.clear();
    }
};

}  // namespace perfrelay::exi
