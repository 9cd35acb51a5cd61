#pragma once
// Secret: what both ends of a session know, from a file or the environment, never from the command
// line, which every user of the machine can read.
//
// Contract: 16 to 4,096 bytes; of a file, all but the line end at its end. A file that others may
// read or write, or the group write, is refused.
// Tested by tests/unit/common/secret_test.cpp.

#include <memory>
#include <string>
#include <vector>

#include "common/base/bytes.h"

namespace perfrelay {

class Secret {
  public:
    explicit Secret(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;
    ~Secret();  // overwrites it

    Bytes bytes() const { return bytes_; }

  private:
    std::vector<std::uint8_t> bytes_;
};

inline constexpr const char* k_secret_variable = "PERFRELAY_SECRET";

// That of `file`, or if it is "" that of $PERFRELAY_SECRET, or none. `why`, one line, when there is
// one that will not do. Call it before any thread is started.
std::shared_ptr<const Secret> read_secret(const std::string& file, std::string& why);

}  // namespace perfrelay
