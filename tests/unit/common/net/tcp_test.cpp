#include "common/net/tcp.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include "common/net/resolve.h"

namespace perfrelay::net {
namespace {

constexpr measure::Nanoseconds k_second = 1'000'000'000;

Fd listen_on(const std::string& host) {
    auto endpoints = resolve(host, 0, Family::any, true);
    if (!endpoints) return {};
    auto fd = listen(endpoints->front(), false);
    return fd ? std::move(*fd) : Fd();
}

bool set_in(int fd, int level, int option, int wanted) {
    int value = 0;
    socklen_t size = sizeof value;
    return getsockopt(fd, level, option, &value, &size) == 0 && value == wanted;
}

TEST(Endpoint, Text) {
    const auto text = [](const std::string& host) {
        auto endpoints = resolve(host, 8000, Family::any, false);
        return endpoints ? endpoints->front().text() : describe(endpoints.error());
    };
    EXPECT_EQ(text("127.0.0.1"), "127.0.0.1:8000");
    EXPECT_EQ(text("::1"), "[::1]:8000");
    EXPECT_EQ(text("::ffff:10.1.2.3"), "10.1.2.3:8000");
    EXPECT_EQ(Endpoint().text(), "an unknown address");
}

TEST(Endpoint, Loopback) {
    const auto loopback = [](const std::string& host) {
        auto endpoints = resolve(host, 1, Family::any, false);
        return endpoints && endpoints->front().is_loopback();
    };
    EXPECT_TRUE(loopback("127.0.0.1"));
    EXPECT_TRUE(loopback("127.9.9.9"));
    EXPECT_TRUE(loopback("::1"));
    EXPECT_TRUE(loopback("::ffff:127.0.0.1"));
    EXPECT_FALSE(loopback("10.0.0.1"));
    EXPECT_FALSE(loopback("::"));
}

TEST(Tcp, ConnectsAndTunes) {
    for (const char* host : {"127.0.0.1", "::1"}) {
        const Fd listener = listen_on(host);
        if (!listener) continue;  // no IPv6 here
        auto fd = connect(local_endpoint(listener.get()), 5 * k_second);
        ASSERT_TRUE(fd) << describe(fd.error());
        EXPECT_EQ(remote_endpoint(fd->get()).port(), local_endpoint(listener.get()).port());
        EXPECT_EQ(fcntl(fd->get(), F_GETFL) & O_NONBLOCK, 0);
        EXPECT_NE(fcntl(fd->get(), F_GETFD) & FD_CLOEXEC, 0);
        EXPECT_TRUE(set_in(fd->get(), IPPROTO_TCP, TCP_NODELAY, 1));
        EXPECT_TRUE(set_in(fd->get(), SOL_SOCKET, SO_KEEPALIVE, 1));
        EXPECT_TRUE(set_in(fd->get(), IPPROTO_TCP, TCP_KEEPIDLE, 10));
        EXPECT_TRUE(set_in(fd->get(), IPPROTO_TCP, TCP_USER_TIMEOUT, 15'000));
    }
}

TEST(Tcp, RefusedWhereNobodyListens) {
    Fd listener = listen_on("127.0.0.1");
    const Endpoint endpoint = local_endpoint(listener.get());
    listener.reset();
    const auto fd = connect(endpoint, 5 * k_second);
    ASSERT_FALSE(fd);
    EXPECT_EQ(fd.error().code, Errc::refused);
    EXPECT_EQ(fd.error().system, ECONNREFUSED);
}

TEST(Tcp, SecondListenerIsTold) {
    const Fd listener = listen_on("127.0.0.1");
    const auto second = listen(local_endpoint(listener.get()), false);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().system, EADDRINUSE);
}

TEST(Wait, TimesOutAndStops) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const Fd reading(ends[0]);
    const Fd writing(ends[1]);
    const auto late = wait(reading.get(), POLLIN, measure::now() + 20'000'000);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, Errc::timed_out);
    ASSERT_EQ(write(writing.get(), "x", 1), 1);
    EXPECT_TRUE(wait(reading.get(), POLLIN, measure::now() + 20 * k_second));
}

TEST(Fd, OwnsOne) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    Fd first(ends[0]);
    Fd second(ends[1]);
    first = std::move(second);
    EXPECT_EQ(first.get(), ends[1]);
    EXPECT_FALSE(second);  // NOLINT(bugprone-use-after-move): moved from means empty
    EXPECT_EQ(fcntl(ends[0], F_GETFD), -1);
    EXPECT_EQ(first.release(), ends[1]);
    EXPECT_FALSE(first);
    EXPECT_EQ(close(ends[1]), 0);
}

}  // namespace
}  // namespace perfrelay::net
