#pragma once
// QualifiedNames: names as they are written, "prefix:local" with a NUL behind, one for each QName.
// For engines whose interfaces take such strings.
// Tested by tests/unit/proto/xml/engines_test.cpp.

#include <string>
#include <vector>

#include "proto/model/name_table.h"

namespace perfrelay::xml {

class QualifiedNames {
  public:
    // For a document whose names come from another table than before.
    void clear() { names_.clear(); }

    const char* text(const QName* name) {
        if (name->id >= names_.size()) names_.resize(name->id + std::size_t{1});
        Entry& entry = names_[name->id];
        if (entry.name != name || entry.hash != name->hash) {
            entry.name = name;
            entry.hash = name->hash;
            entry.text = name->prefix;
            if (!name->prefix.empty()) entry.text += ':';
            entry.text += name->local;
        }
        return entry.text.c_str();
    }

  private:
    struct Entry {
        const QName* name = nullptr;
        std::uint64_t hash = 0;  // a later document may have another name in the same place
        std::string text;
    };
    std::vector<Entry> names_;
};

// "xmlns", "xmlns:p".
inline void declaration_name(std::string_view prefix, std::string& out) {
    out = prefix.empty() ? "xmlns" : "xmlns:";
    out += prefix;
}

}  // namespace perfrelay::xml
