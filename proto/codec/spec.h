#pragma once
// SPEC: how a format is named on the command line.
//
//   spec       = name [":" option *("," option)] *("+" compressor)
//   name       = 1*(a-z / 0-9)
//   option     = key ["=" value]                  value may hold ":" ";" ">" and braced names
//   compressor = name *(":" option)               "zstd:3", "zstd:dict=FILE"
//   braced     = "{" anything but "}" "}" ...     inside braces "+" and "," are literal
//
// "xml:tinyxml2+gzip:6" is format xml, option tinyxml2, compressor gzip with option 6.
// Tested by tests/unit/proto/spec_test.cpp.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perfrelay {

struct SpecOption {
    std::string key;
    std::optional<std::string> value;  // none: a bare word
};

struct SpecPart {
    std::string name;
    std::vector<SpecOption> options;
};

struct Spec {
    SpecPart format;
    std::vector<SpecPart> compressors;  // applied left to right when encoding

    std::string text() const;  // canonical form
};

// Nothing, and `why` one line that names the place, when `text` is no SPEC.
std::optional<Spec> parse_spec(std::string_view text, std::string& why);

// The format's name of a SPEC, whatever its options and compressors.
inline std::string_view spec_name(std::string_view spec) {
    return spec.substr(0, spec.find_first_of(":+"));
}

// What the user typed, for a message: one line whatever it holds.
std::string quoted(std::string_view text);

}  // namespace perfrelay
