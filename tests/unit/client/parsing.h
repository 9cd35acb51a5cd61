#pragma once
// Command lines for tests: words as main gets them, and what parsing made of them.

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "client/options.h"

namespace perfrelay::client {

using Words = std::vector<std::string>;

// As in argv; they point into `words`.
inline std::vector<const char*> pointers(const Words& words) {
    std::vector<const char*> argv;
    argv.reserve(words.size());
    for (const std::string& word : words)
        argv.push_back(word.c_str());
    return argv;
}

// What must be accepted; the refusal otherwise fails the test and leaves the defaults.
template <class Accepted>
Accepted accepted(std::variant<Accepted, Refusal> parsed) {
    if (const auto* refusal = std::get_if<Refusal>(&parsed)) {
        ADD_FAILURE() << refusal->line;
        return {};
    }
    return std::get<Accepted>(std::move(parsed));
}

// The one line of a refusal of usage; "" when it was accepted.
template <class Accepted>
std::string refused(const std::variant<Accepted, Refusal>& parsed) {
    const auto* refusal = std::get_if<Refusal>(&parsed);
    if (refusal == nullptr) return "";
    EXPECT_EQ(refusal->code, ExitCode::usage);
    EXPECT_EQ(refusal->line.find('\n'), std::string::npos) << refusal->line;
    return refusal->line;
}

}  // namespace perfrelay::client
