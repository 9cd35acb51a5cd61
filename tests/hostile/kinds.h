#pragma once
// The kinds of hostile XML: each a document, and what a conforming processor must make of it.

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"

namespace perfrelay::hostile {

enum class Verdict {
    loaded,     // a document, however unpleasant
    malformed,  // also cut short: an error with line and column
    refused,    // beyond a limit, or not supported: an error that says so
};

struct Kind {
    std::string name;  // a test's name: letters, digits, underscores
    Verdict verdict;
    std::function<std::string()> make;
    // Where the error must be; 0: anywhere but nowhere.
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

// XML 1.0 sections 2 and 3: markup, characters, elements, attributes.
std::vector<Kind> markup_kinds();
// XML 1.0 section 4.3.3 and appendix F.
std::vector<Kind> encoding_kinds();
// XML 1.0 sections 2.8, 4.1 to 4.5: document types and entities; expansion bombs. `secret` is the
// path of a file that nobody may open, `port` one of this host that nobody may connect to.
std::vector<Kind> entity_kinds(const std::string& secret, int port);
// Namespaces in XML 1.0.
std::vector<Kind> namespace_kinds();
// Much of everything.
std::vector<Kind> size_kinds();

inline Kind kind(const std::string& name, Verdict verdict, std::string text) {
    return {name, verdict, [text = std::move(text)] { return text; }};
}

inline std::string repeated(std::string_view text, std::size_t times) {
    std::string out;
    out.reserve(text.size() * times);
    for (std::size_t i = 0; i < times; ++i)
        out += text;
    return out;
}

// repeated, with the numbers from 0 between `before` and `after`.
inline std::string numbered(std::string_view before, std::size_t times, std::string_view after) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) {
        out += before;
        out += std::to_string(i);
        out += after;
    }
    return out;
}

}  // namespace perfrelay::hostile
