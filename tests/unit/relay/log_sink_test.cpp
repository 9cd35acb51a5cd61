#include "relay/log_sink.h"

#include <array>
#include <csignal>
#include <memory>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <sys/socket.h>
#include <unistd.h>

namespace perfrelay::relay {
namespace {

struct Ends {
    net::Fd reading;
    net::Fd writing;
};

Ends make_pipe() {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    return {net::Fd(ends[0]), net::Fd(ends[1])};
}

// What is there now.
std::string read_now(int fd) {
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    std::string all;
    std::array<char, 65536> some{};
    for (ssize_t got = 0; (got = ::read(fd, some.data(), some.size())) > 0;)
        all.append(some.data(), static_cast<std::size_t>(got));
    return all;
}

class Log {
  public:
    explicit Log(int fd) : sink(std::make_shared<LogSink>(fd)), logger("log", sink) {
        logger.set_pattern("%v");
    }
    std::shared_ptr<LogSink> sink;
    spdlog::logger logger;
};

// A log pipe that nobody reads stopped the whole relay in a write.
TEST(LogSink, DoesNotWaitForAReader) {
    const Ends pipe = make_pipe();
    Log log(pipe.writing.get());
    const std::string text(100, 'x');
    for (int i = 0; i < 2000; ++i)
        log.logger.info(text);
    EXPECT_GT(log.sink->lost(), 1000U);
    EXPECT_LT(log.sink->lost(), 1900U);
    const std::uint64_t lost = log.sink->lost();
    const std::string first = read_now(pipe.reading.get());
    EXPECT_EQ(first.size(), (2000 - lost) * 101);
    log.logger.info("again");
    EXPECT_EQ(read_now(pipe.reading.get()),
              std::to_string(lost) + " lines lost: nobody read this log\nagain\n");
    EXPECT_EQ(log.sink->lost(), 0U);
    // Whoever shares the pipe with us still waits when it is full.
    EXPECT_EQ(fcntl(pipe.writing.get(), F_GETFL) & O_NONBLOCK, 0);
}

// A socket cannot be opened a second time.
TEST(LogSink, DoesNotWaitForASocketEither) {
    std::array<int, 2> ends{-1, -1};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const net::Fd reading(ends[0]);
    const net::Fd writing(ends[1]);
    Log log(writing.get());
    for (int i = 0; i < 5000; ++i)
        log.logger.info(std::string(100, 'x'));
    EXPECT_GT(log.sink->lost(), 0U);
}

TEST(LogSink, CutsWhatIsTooLongForOnePiece) {
    const Ends pipe = make_pipe();
    Log log(pipe.writing.get());
    log.logger.info(std::string(10'000, 'x'));
    EXPECT_EQ(read_now(pipe.reading.get()), std::string(4092, 'x') + "...\n");
}

TEST(LogSink, AReaderThatHasGoneCostsLinesOnly) {
    Ends pipe = make_pipe();
    Log log(pipe.writing.get());
    pipe.reading.reset();
    const auto before = signal(SIGPIPE, SIG_IGN);
    log.logger.info("to nobody");
    signal(SIGPIPE, before);
    EXPECT_EQ(log.sink->lost(), 1U);
}

}  // namespace
}  // namespace perfrelay::relay
