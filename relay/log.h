#pragma once
// Log: what the relay says, a line each: for people, or as JSON objects (--log-json), one a line,
// with "time" (UTC), "level" and "message"; of a session that has ended, its figures as members.
// Contract: any thread.
// Tested by tests/unit/relay/log_test.cpp.

#include <cstdint>
#include <string>

#include <spdlog/logger.h>

#include "common/measure/clock.h"
#include "relay/session.h"

namespace perfrelay::relay {

// A session that has ended.
struct SessionRecord {
    std::uint64_t id = 0;
    std::string peer;      // "192.0.2.7:4711"
    std::string protocol;  // "1.0"
    std::string tls;       // "TLS 1.3, ..."; "": plain
    bool authenticated = false;
    Tally tally;
    measure::Nanoseconds lasted = 0;
    std::string outcome;  // "ok", or what went wrong
};

class Log final : public spdlog::logger {
  public:
    enum class Style : std::uint8_t { text, json };

    // Without a sink it says nothing.
    Log() : spdlog::logger("perfrelay") {}
    Log(spdlog::sink_ptr sink, Style style);

    void session(const SessionRecord& record);

  private:
    Style style_ = Style::text;
};

}  // namespace perfrelay::relay
