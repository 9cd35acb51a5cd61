// Each in a process of its own: the handlers and their count are a process's.
#include "client/signals.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <functional>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace perfrelay::client {
namespace {

// How a child that does this ends, as waitpid tells it.
int ended(const std::function<bool()>& fine) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(fine() ? 0 : 1);
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
}

TEST(signals, are_counted_and_the_third_has_its_default_effect) {
    for (const auto& [first, second, third] :
         {std::array{SIGINT, SIGINT, SIGINT}, std::array{SIGTERM, SIGINT, SIGTERM},
          std::array{SIGINT, SIGTERM, SIGINT}}) {
        const int status = ended([first = first, second = second, third = third] {
            const std::atomic<int>& stop = install_signals();
            if (stop != 0) return false;
            ::raise(first);
            if (stop != 1) return false;
            ::raise(second);
            if (stop != 2) return false;
            ::raise(third);
            return false;  // not reached
        });
        EXPECT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
        EXPECT_EQ(WTERMSIG(status), third);
    }
}

TEST(signals, interrupt_a_blocking_read) {
    const int status = ended([] {
        const std::atomic<int>& stop = install_signals();
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
        const pid_t reader = ::getpid();
        const pid_t sender = ::fork();
        if (sender == 0) {
            // Until it has ended: the first may come before the read.
            for (int i = 0; i < 1 && ::kill(reader, 0) == 0; ++i) {
                ::usleep(200'000);
                ::kill(reader, SIGTERM);
            }
            ::_exit(0);
        }
        char byte = 0;
        const bool interrupted = ::read(ends[0], &byte, 1) < 0 && errno == EINTR;
        ::waitpid(sender, nullptr, 0);
        return interrupted && stop == 1;
    });
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(signals, a_pipe_without_reader_is_an_error_and_not_the_end) {
    const int status = ended([] {
        install_signals();
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
        ::close(ends[0]);
        return ::write(ends[1], "x", 1) < 0 && errno == EPIPE;
    });
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace perfrelay::client
