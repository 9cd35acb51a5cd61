#include "relay/log_sink.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace perfrelay::relay {
namespace {

constexpr std::string_view k_plain = "\033[0m";

std::string_view colour_of(spdlog::level::level_enum level) {
    if (level >= spdlog::level::err) return "\033[31m";
    if (level == spdlog::level::warn) return "\033[33m";
    return "\033[32m";
}

}  // namespace

LogSink::LogSink(int fd) : fd_(fd), colour_(isatty(fd) == 1) {
    struct stat facts {};
    if (fstat(fd, &facts) != 0 || S_ISREG(facts.st_mode)) return;
    socket_ = S_ISSOCK(facts.st_mode);
    if (socket_) return;
    may_block_ = true;
    const std::string again = "/proc/self/fd/" + std::to_string(fd);
    own_ = net::Fd(open(again.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (own_) fd_ = own_.get();
}

void LogSink::sink_it_(const spdlog::details::log_msg& message) {
    spdlog::memory_buf_t formatted;
    formatter_->format(message, formatted);
    std::string line(formatted.data(), formatted.size());
    if (colour_ && message.color_range_end > message.color_range_start) {
        line.insert(message.color_range_end, k_plain);
        line.insert(message.color_range_start, colour_of(message.level));
    }
    if (lost_ != 0) {
        const std::string told = std::to_string(lost_) + " lines lost: nobody read this log";
        spdlog::memory_buf_t notice;
        formatter_->format({message.logger_name, spdlog::level::warn, told}, notice);
        line.insert(0, notice.data(), notice.size());
    }
    if (line.size() > PIPE_BUF) line.replace(PIPE_BUF - 4, std::string::npos, "...\n");
    lost_ = write(line) ? 0 : lost_ + 1;
}

bool LogSink::write(std::string_view line) const {
    if (may_block_ && !own_) {
        pollfd room{fd_, POLLOUT, 0};
        if (poll(&room, 1, 0) != 1 || (room.revents & POLLOUT) == 0) return false;
    }
    ssize_t written = 0;
    do {
        written = socket_ ? ::send(fd_, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
                          : ::write(fd_, line.data(), line.size());
    } while (written < 0 && errno == EINTR);
    return written > 0;
}

}  // namespace perfrelay::relay
