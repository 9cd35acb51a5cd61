#pragma once
// DecoderTables: what a decoder keeps from document to document: its memory. Not a template, so
// that the decoder's body, which is one, holds no state of its own between calls.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/arena.h"
#include "proto/exi/grammar.h"
#include "proto/exi/names.h"
#include "proto/exi/value_tables.h"
#include "proto/model/name_table.h"

namespace perfrelay::exi {

// EXI 8.4.3, SC: what is put aside while a self-contained element is read.
struct LearnedTables {
    Names names;
    Grammars grammars;
    ReadValues values;
    std::vector<std::uint32_t> last_element;  // by name: where it was an attribute last
    // By name: as the text of an xsi:type with a prefix of ours, once it was one.
    std::vector<std::string_view> type_texts;

    void reset(const Options& options, const SecondLevels& levels, NameTable& handed_on,
               Arena& text) {
        names.reset(false, handed_on);
        grammars.reset(levels);
        values.reset(options, text);
        last_element.clear();
        type_texts.clear();
        make_room();
    }
    // After names were added.
    void make_room() {
        values.make_room(names.size());
        if (last_element.size() < names.size()) last_element.resize(names.size() * 2, 0);
    }
};

struct DecoderTables {
    struct Open {
        const QName* name = nullptr;
        std::uint32_t number = 0;
        std::uint32_t next = 0;  // the state behind the element
    };

    KeptNames qnames;  // handed to the sink
    Arena text;        // handed to the sink as well
    SecondLevels levels;
    // The stream's own, then one for each self-contained element that is open.
    std::vector<std::unique_ptr<LearnedTables>> learned;
    std::vector<Open> open;
    std::vector<std::size_t> contained;  // how many were open when each of those began
    std::vector<std::pair<std::string_view, std::string_view>> declared;  // prefix, uri

    void reset(const Options& options) {
        if (qnames.trim()) {
            for (const auto& one : learned)
                one->names.forget();
        }
        text.clear();
        levels = SecondLevels(options);
        open.clear();
        contained.clear();
        declared.clear();
        if (learned.empty()) learned.push_back(std::make_unique<LearnedTables>());
        learned.front()->reset(options, levels, qnames.table, text);
    }
};

}  // namespace perfrelay::exi
