#include "common/net/resolve.h"

#include <cerrno>
#include <csignal>
#include <utility>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace perfrelay::net {
namespace {

constexpr measure::Nanoseconds k_millisecond = 1'000'000;

int silent(const char* host, const char* port, const addrinfo* hints, addrinfo** found) {
    if ((hints->ai_flags & AI_NUMERICHOST) != 0) return getaddrinfo(host, port, hints, found);
    for (;;)
        pause();
}

int killed(const char* host, const char* port, const addrinfo* hints, addrinfo** found) {
    if ((hints->ai_flags & AI_NUMERICHOST) != 0) return getaddrinfo(host, port, hints, found);
    raise(SIGKILL);
    return EAI_FAIL;
}

int four_addresses(const char*, const char* port, const addrinfo* hints, addrinfo** found) {
    if ((hints->ai_flags & AI_NUMERICHOST) != 0) return EAI_NONAME;
    return getaddrinfo("192.0.2.7", port, hints, found);
}

// With silent name servers nobody but their configuration bounded the wait.
TEST(Resolve, HasADeadline) {
    const auto found =
        resolve({.host = "host.example", .port = 1}, 50 * k_millisecond, nullptr, silent);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Errc::timed_out);
    EXPECT_STREQ(found.error().where, "the name servers do not answer in time");
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "the helper is still there";
    EXPECT_EQ(errno, ECHILD);
}

TEST(Resolve, AddressesNeedNoHelper) {
    for (const char* host : {"127.0.0.1", "::1"}) {
        const auto found = resolve({.host = host, .port = 8000}, 0, nullptr, silent);
        ASSERT_TRUE(found) << host;
        EXPECT_EQ(found->front().port(), 8000);
    }
    EXPECT_TRUE(resolve({.host = "", .port = 1, .passive = true}, 0, nullptr, silent));
}

TEST(Resolve, TheHelperBringsWhatItFound) {
    const auto found = resolve({.host = "host.example", .port = 80}, 10'000 * k_millisecond,
                               nullptr, four_addresses);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->front().text(), "192.0.2.7:80");
}

TEST(Resolve, AHelperThatDiesIsAnError) {
    const auto found =
        resolve({.host = "host.example", .port = 80}, 10'000 * k_millisecond, nullptr, killed);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Errc::io);
}

TEST(Resolve, NamesOfThisHostAreFound) {
    const auto found = resolve("localhost", 80, Family::any, false);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->front().is_loopback());
    const auto nowhere = resolve("no.such.host.invalid", 80, Family::any, false);
    ASSERT_FALSE(nowhere);
    EXPECT_TRUE(nowhere.error().code == Errc::refused || nowhere.error().code == Errc::timed_out);
}

// It was "no such host".
TEST(Resolve, AnAddressOfTheOtherFamilyIsCalledThat) {
    for (const auto& [host, family] : {std::pair("::1", Family::v4), {"127.0.0.1", Family::v6}}) {
        const auto found = resolve(host, 80, family, true);
        ASSERT_FALSE(found);
        EXPECT_STREQ(found.error().where, "no address of the family asked for");
    }
}

}  // namespace
}  // namespace perfrelay::net
