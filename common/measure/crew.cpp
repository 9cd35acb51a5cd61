#include "common/measure/crew.h"

#include <csignal>

namespace perfrelay::measure {

namespace {

// No signal reaches the threads that are made while this lives.
class SignalsBlocked {
  public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_{};
};

}  // namespace

Crew::Crew(std::size_t size) {
    const SignalsBlocked blocked;
    threads_.reserve(size);
    for (std::size_t number = 1; number < size; ++number)
        threads_.emplace_back([this, number] { work(number); });
}

Crew::~Crew() {
    task_ = nullptr;
    ++round_;
    round_.notify_all();
    for (std::thread& thread : threads_)
        thread.join();
}

void Crew::run(const std::function<void(std::size_t)>& task) {
    task_ = &task;
    awake_ = 0;
    working_ = static_cast<std::uint32_t>(threads_.size());
    ++round_;
    round_.notify_all();
    take_part(0);
    for (std::uint32_t left = working_; left != 0; left = working_)
        working_.wait(left);
}

void Crew::work(std::size_t number) {
    for (std::uint32_t round = 0;;) {
        round_.wait(round);
        ++round;
        if (task_ == nullptr) return;
        take_part(number);
        if (--working_ == 0) working_.notify_one();
    }
}

void Crew::take_part(std::size_t number) {
    ++awake_;
    // A matter of microseconds, unless there are fewer processors than threads.
    while (awake_ < size())
        std::this_thread::yield();
    (*task_)(number);
}

}  // namespace perfrelay::measure
