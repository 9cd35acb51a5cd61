#pragma once
// Codecs for tests, by SPEC.

#include <cctype>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "proto/formats.h"

namespace perfrelay {

inline std::unique_ptr<Codec> codec_of(const std::string& spec, const Limits& limits = {}) {
    std::string why;
    auto codec = FormatTable::built_in().make(spec, {.limits = limits}, why);
    EXPECT_NE(codec, nullptr) << spec << ": " << why;
    return codec;
}

// A SPEC as the name of a test: letters, digits, underscores. A file is named without its folder.
inline std::string test_name(std::string spec) {
    if (const auto file = spec.find("{/"); file != std::string::npos) {
        spec.erase(file, spec.rfind('/') - file);
    }
    for (char& c : spec) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    return spec;
}
struct SpecTestName {
    std::string operator()(const testing::TestParamInfo<std::string>& test) const {
        return test_name(test.param);
    }
};

}  // namespace perfrelay
