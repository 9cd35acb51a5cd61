#pragma once
// base64 (RFC 4648 section 4), with padding.
// Tested by tests/unit/proto/bridge_test.cpp.

#include <string>
#include <string_view>

#include "common/base/bytes.h"

namespace perfrelay {

std::string base64_of(Bytes bytes);

// Into `out`, which is cleared; blanks may stand anywhere. False when it is none.
bool bytes_of_base64(std::string_view text, std::string& out);

}  // namespace perfrelay
