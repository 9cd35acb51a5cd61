#pragma once
// CRC-32C (Castagnoli), as iSCSI, ext4 and our wire protocol use it.
//
// Contract: crc32c(b, crc32c(a)) == crc32c(a followed by b); crc32c of nothing is 0. The
// processor's own instruction (SSE 4.2) is used where there is one, a table otherwise; both give
// the same. Source: RFC 3720 section 12.1, vectors in B.4. Tested by
// tests/unit/common/crc32c_test.cpp.

#include <cstdint>

#include "common/base/bytes.h"

namespace perfrelay {

std::uint32_t crc32c(Bytes bytes, std::uint32_t before = 0);

// The two ways, for the test that holds them against each other.
bool crc32c_has_instruction();
std::uint32_t crc32c_by_table(Bytes bytes, std::uint32_t before = 0);
// Only where crc32c_has_instruction().
std::uint32_t crc32c_by_instruction(Bytes bytes, std::uint32_t before = 0);

}  // namespace perfrelay
