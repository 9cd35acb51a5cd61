#pragma once
// Crew: threads that do one thing at the same moment, again and again, for measuring what several
// of them get done together.
//
// Contract: `run` calls the task once for each number below `size`, each on its own thread (the
// caller's is number 0), and returns when all are done. They start together: each waits until all
// are awake, so that what they take does not contain the waking of others. Signals are the
// caller's alone. Tested by tests/unit/common/crew_test.cpp.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace perfrelay::measure {

class Crew {
  public:
    explicit Crew(std::size_t size);
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    ~Crew();

    std::size_t size() const { return threads_.size() + 1; }
    void run(const std::function<void(std::size_t)>& task);

  private:
    void work(std::size_t number);
    void take_part(std::size_t number);

    const std::function<void(std::size_t)>* task_ = nullptr;  // null: go home
    std::atomic<std::uint32_t> round_ = 0;
    std::atomic<std::uint32_t> awake_ = 0;
    std::atomic<std::uint32_t> working_ = 0;
    std::vector<std::thread> threads_;
};

}  // namespace perfrelay::measure
