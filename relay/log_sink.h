#pragma once
// LogSink: log lines to a descriptor that nobody may be reading, and never a wait for it: a relay
// that waits for the reader of its log serves nobody, and hears no SIGTERM.
//
// Sockets (systemd's journal) are written to by a send that does not block. Pipes and terminals are
// opened a second time, without blocking: the flag belongs to the open file description, which
// others share. Where that is not to be had, a line is written only when poll
// says that there is room, and is then short enough to fit (PIPE_BUF). What cannot be written is
// counted, and told with the next line that can.
//
// Contract: any thread, none of which waits for more than another's write; `fd` outlives the sink.
// Tested by tests/unit/relay/log_sink_test.cpp and tests/integration/relay_faults.py.

#include <cstdint>
#include <mutex>
#include <string_view>

#include <spdlog/sinks/base_sink.h>

#include "common/net/fd.h"

namespace perfrelay::relay {

class LogSink final : public spdlog::sinks::base_sink<std::mutex> {
  public:
    explicit LogSink(int fd);

    std::uint64_t lost() const { return lost_; }

  protected:
    void sink_it_(const spdlog::details::log_msg& message) override;
    void flush_() override {}

  private:
    bool write(std::string_view line) const;

    int fd_;
    net::Fd own_;  // the same file, not blocking, if it can be had
    bool may_block_ = false;
    bool socket_ = false;
    bool colour_ = false;
    std::uint64_t lost_ = 0;  // lines, since the last one that was written
};

}  // namespace perfrelay::relay
