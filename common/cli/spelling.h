#pragma once
// Spelling: how far one word is from another, for "did you mean".
// Tested by tests/unit/common/spelling_test.cpp.

#include <cstddef>
#include <string_view>

namespace perfrelay {

// The smallest number of letters put in, left out, changed or swapped with a neighbour that makes
// one of the other (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace perfrelay
