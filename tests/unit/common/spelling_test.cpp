#include "common/cli/spelling.h"

#include <gtest/gtest.h>

namespace perfrelay {
namespace {

TEST(EditDistance, CountsLettersAndSwaps) {
    EXPECT_EQ(edit_distance("", ""), 0U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("abc", ""), 3U);
    EXPECT_EQ(edit_distance("format", "formt"), 1U);
    EXPECT_EQ(edit_distance("xlm", "xml"), 1U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

}  // namespace
}  // namespace perfrelay
