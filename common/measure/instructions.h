#pragma once
// Instructions that a piece of work executes, in user mode, counted by the processor where the
// system lets us (perf_event_open(2)): the one figure that neighbours do not change.
// Tested by tests/unit/common/instructions_test.cpp.

#include <cstdint>
#include <optional>
#include <string>

namespace perfrelay::measure {

class InstructionCounter {
  public:
    // Of this thread.
    InstructionCounter();
    InstructionCounter(const InstructionCounter&) = delete;
    InstructionCounter& operator=(const InstructionCounter&) = delete;
    ~InstructionCounter();

    // "" or why there is no counting here, in words a user can act on.
    const std::string& why_not() const { return why_not_; }

    void start();
    // Since `start`; nothing when they are not counted, or the counter was shared meanwhile.
    std::optional<std::uint64_t> stop();

  private:
    int fd_ = -1;
    std::string why_not_;
};

// What an errno of perf_event_open means. `paranoid`: kernel.perf_event_paranoid, "" when there is
// none.
std::string why_no_counter(int error, const std::string& paranoid);

}  // namespace perfrelay::measure
