#include "common/measure/instructions.h"

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace perfrelay::measure {
namespace {

std::string paranoid_level() {
    std::ifstream in("/proc/sys/kernel/perf_event_paranoid");
    std::string level;
    in >> level;
    return level;
}

}  // namespace

std::string why_no_counter(int error, const std::string& paranoid) {
    switch (error) {
        case ENOENT:
        case ENODEV:
        case EOPNOTSUPP:
            return "this processor, or the virtual machine, has no instruction counter";
        case ENOSYS: return "this kernel has no perf events";
        case EACCES:
        case EPERM:
            return "not permitted" +
                   (paranoid.empty()
                        ? std::string(" (a container may forbid it)")
                        : ": kernel.perf_event_paranoid is " + paranoid +
                              ", 2 or less counts user mode (a container may forbid it, too)");
        default: return "perf_event_open: " + std::generic_category().message(error);
    }
}

InstructionCounter::InstructionCounter() {
    perf_event_attr wanted{};
    wanted.type = PERF_TYPE_HARDWARE;
    wanted.size = sizeof wanted;
    wanted.config = PERF_COUNT_HW_INSTRUCTIONS;
    wanted.disabled = 1;
    wanted.exclude_kernel = 1;
    wanted.exclude_hv = 1;
    wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const long fd = ::syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) {
        why_not_ = why_no_counter(errno, paranoid_level());
        return;
    }
    fd_ = static_cast<int>(fd);
}

InstructionCounter::~InstructionCounter() {
    if (fd_ >= 0) ::close(fd_);
}

void InstructionCounter::start() {
    if (fd_ < 0) return;
    ::ioctl(fd_, PERF_EVENT_IOC_RESET, 0);
    ::ioctl(fd_, PERF_EVENT_IOC_ENABLE, 0);
}

std::optional<std::uint64_t> InstructionCounter::stop() {
    if (fd_ < 0) return std::nullopt;
    ::ioctl(fd_, PERF_EVENT_IOC_DISABLE, 0);
    std::array<std::uint64_t, 3> seen{};  // count, time enabled, time running
    if (::read(fd_, seen.data(), sizeof seen) != sizeof seen) return std::nullopt;
    if (seen[1] != seen[2]) return std::nullopt;  // others had the counter for a while
    return seen[0];
}

}  // namespace perfrelay::measure
