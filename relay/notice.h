#pragma once
// Notice: tells systemd how the relay is (Type=notify), by one datagram; without systemd, nothing.
// Source: sd_notify(3).
// Tested by tests/integration/relay_service.py.

#include <string>
#include <string_view>
#include <utility>

namespace perfrelay::relay {

class Notice {
  public:
    Notice() = default;
    // `path` as in $NOTIFY_SOCKET; '@' begins an abstract one.
    explicit Notice(std::string path) : path_(std::move(path)) {}

    // "READY=1", "STOPPING=1", "WATCHDOG=1", "STATUS=...". Never waits.
    void tell(std::string_view state) const;

  private:
    std::string path_;
};

}  // namespace perfrelay::relay
