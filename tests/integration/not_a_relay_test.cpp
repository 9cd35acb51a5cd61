// What a client says of a peer that is no relay, or of none at all: the right kind of error, one
// line, and soon.

#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "client/relay_connection.h"
#include "common/net/resolve.h"
#include "common/net/tcp.h"
#include "proto/wire/frames.h"

namespace perfrelay {
namespace {

using client::Address;
using client::ConnectOptions;
using client::RelayConnection;

constexpr measure::Nanoseconds k_second = 1'000'000'000;

// Accepts one connection and treats it as told.
class Impostor {
  public:
    explicit Impostor(std::function<void(int)> treat) {
        auto endpoints = net::resolve("127.0.0.1", 0, net::Family::v4, true);
        auto listener = net::listen(endpoints->front(), false);
        address_ = {"127.0.0.1", net::local_endpoint(listener->get()).port()};
        thread_ = std::thread([listener = std::move(*listener), treat = std::move(treat)] {
            const net::Fd fd(accept(listener.get(), nullptr, nullptr));
            treat(fd.get());
        });
    }
    Impostor(const Impostor&) = delete;
    Impostor& operator=(const Impostor&) = delete;
    ~Impostor() { thread_.join(); }

    const Address& address() const { return address_; }

  private:
    Address address_;
    std::thread thread_;
};

void say(int fd, std::string_view text) {
    (void)send(fd, text.data(), text.size(), MSG_NOSIGNAL);
}

// Until the client gives up.
void wait_for_end(int fd) {
    std::vector<char> bytes(65536);
    while (recv(fd, bytes.data(), bytes.size(), 0) > 0) {
    }
}

struct Outcome {
    Errc code = Errc::io;
    std::string why;
};

Outcome meet(const Address& address) {
    const measure::Nanoseconds start = measure::now();
    Outcome outcome;
    const auto connection = RelayConnection::open(address, {}, outcome.why);
    EXPECT_FALSE(connection);
    if (!connection) outcome.code = connection.error().code;
    EXPECT_LT(measure::now() - start, 15 * k_second);
    EXPECT_EQ(outcome.why.find('\n'), std::string::npos);
    EXPECT_NE(outcome.why.find(address.text()), std::string::npos) << outcome.why;
    return outcome;
}

Outcome meet(std::function<void(int)> treat) {
    const Impostor impostor(std::move(treat));
    return meet(impostor.address());
}

TEST(NotARelay, Http) {
    const Outcome outcome = meet([](int fd) {
        say(fd, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        wait_for_end(fd);
    });
    EXPECT_EQ(outcome.code, Errc::malformed);
    EXPECT_NE(outcome.why.find("is not a perfrelay: it answered \"HTTP/1.1 400 Bad Request\""),
              std::string::npos)
        << outcome.why;
}

TEST(NotARelay, Silence) {
    const Outcome outcome = meet(wait_for_end);
    EXPECT_EQ(outcome.code, Errc::timed_out);
    EXPECT_NE(outcome.why.find("does not answer"), std::string::npos) << outcome.why;
}

TEST(NotARelay, ClosesAtOnce) {
    const Outcome outcome = meet([](int) {});
    EXPECT_EQ(outcome.code, Errc::closed);
}

TEST(NotARelay, Echo) {
    const Outcome outcome = meet([](int fd) {
        std::vector<char> bytes(65536);
        ssize_t got = 0;
        while ((got = recv(fd, bytes.data(), bytes.size(), 0)) > 0) {
            say(fd, {bytes.data(), static_cast<std::size_t>(got)});
        }
    });
    EXPECT_EQ(outcome.code, Errc::malformed);
    EXPECT_NE(outcome.why.find("sends back"), std::string::npos) << outcome.why;
}

TEST(NotARelay, ZerosWithoutEnd) {
    const Outcome outcome = meet([](int fd) {
        const std::string zeros(65536, '\0');
        while (send(fd, zeros.data(), zeros.size(), MSG_NOSIGNAL) > 0) {
        }
    });
    EXPECT_EQ(outcome.code, Errc::malformed);
}

TEST(NotARelay, MagicThenNonsense) {
    const Outcome outcome = meet([](int fd) {
        say(fd, "PRLY" + std::string(4096, '\xff'));
        wait_for_end(fd);
    });
    EXPECT_EQ(outcome.code, Errc::malformed);
}

TEST(NotARelay, AllFirstBytes) {
    for (int byte = 0; byte < 256; byte += 5) {
        const Outcome outcome =
            meet([byte](int fd) { say(fd, std::string(1000, static_cast<char>(byte))); });
        EXPECT_TRUE(outcome.code == Errc::malformed || outcome.code == Errc::closed) << byte;
    }
}

TEST(NotARelay, AsksForASecret) {
    const Outcome outcome = meet([](int fd) {
        const auto welcome = wire::encode(wire::Welcome{.auth_required = true});
        say(fd, as_text(welcome));
        wait_for_end(fd);
    });
    EXPECT_EQ(outcome.code, Errc::refused);
    EXPECT_NE(outcome.why.find("secret"), std::string::npos) << outcome.why;
}

TEST(NotARelay, OtherVersion) {
    const Outcome outcome = meet([](int fd) {
        auto welcome = wire::encode(wire::Welcome{});
        welcome[4] = 2;
        say(fd, as_text(welcome));
        wait_for_end(fd);
    });
    EXPECT_EQ(outcome.code, Errc::unsupported);
}

TEST(NotARelay, NobodyThere) {
    auto endpoints = net::resolve("127.0.0.1", 0, net::Family::v4, true);
    auto listener = net::listen(endpoints->front(), false);
    const Address address{"127.0.0.1", net::local_endpoint(listener->get()).port()};
    listener->reset();
    const Outcome outcome = meet(address);
    EXPECT_EQ(outcome.code, Errc::refused);
    EXPECT_NE(outcome.why.find("perfrelay " + std::to_string(address.port)), std::string::npos)
        << outcome.why;
}

TEST(NotARelay, NoSuchHost) {
    std::string why;
    const auto connection = RelayConnection::open({"no.such.host.invalid", 8000}, {}, why);
    ASSERT_FALSE(connection);
    EXPECT_NE(why.find("cannot find host no.such.host.invalid"), std::string::npos) << why;
}

// A relay that goes, or goes wrong, in the middle of things.
class Turncoat : public testing::Test {
  protected:
    // Greets, then does as told; the client sends an echo of 1,000 bytes.
    Outcome echo_with(const std::function<void(int)>& then) {
        const Impostor impostor([&then](int fd) {
            std::vector<char> bytes(wire::k_hello_size);
            (void)recv(fd, bytes.data(), bytes.size(), MSG_WAITALL);
            const auto welcome = wire::encode(wire::Welcome{.max_payload = 1U << 20U});
            say(fd, as_text(welcome));
            then(fd);
        });
        Outcome outcome;
        const auto connection = RelayConnection::open(impostor.address(), {}, outcome.why);
        EXPECT_TRUE(connection) << outcome.why;
        if (!connection) return outcome;
        const std::vector<std::uint8_t> payload(1000, 1);
        Buffer answer;
        const auto echo = (*connection)->echo(payload, answer);
        EXPECT_FALSE(echo);
        if (!echo) outcome.code = echo.error().code;
        outcome.why = (*connection)->last_error();
        EXPECT_NE(outcome.why.find(impostor.address().text()), std::string::npos) << outcome.why;
        return outcome;
    }

    static void answer(int fd, const wire::FrameHeader& header, std::size_t bytes) {
        const auto encoded = wire::encode(header);
        say(fd, as_text(encoded));
        say(fd, std::string(bytes, '\1'));
    }
};

TEST_F(Turncoat, Closes) {
    const Outcome outcome = echo_with([](int) {});
    EXPECT_EQ(outcome.code, Errc::closed);
}

TEST_F(Turncoat, ClosesInMidAnswer) {
    const Outcome outcome = echo_with([](int fd) {
        answer(fd, {.type = wire::FrameType::data, .request = 1, .length = 1000}, 500);
    });
    EXPECT_EQ(outcome.code, Errc::closed);
}

TEST_F(Turncoat, AnswersAnotherRequest) {
    const Outcome outcome = echo_with([](int fd) {
        answer(fd, {.type = wire::FrameType::data, .request = 77, .length = 1000}, 1000);
        wait_for_end(fd);
    });
    EXPECT_EQ(outcome.code, Errc::malformed);
}

TEST_F(Turncoat, AnswersAnotherLength) {
    for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{999}, ~std::uint64_t{0}}) {
        const Outcome outcome = echo_with([length](int fd) {
            answer(fd, {.type = wire::FrameType::data, .request = 1, .length = length}, 1000);
            wait_for_end(fd);
        });
        EXPECT_EQ(outcome.code, Errc::malformed);
        // It was called the answer to another request.
        EXPECT_NE(outcome.why.find(" bytes where 1000 were due"), std::string::npos) << outcome.why;
    }
}

TEST_F(Turncoat, DamagedHeader) {
    const Outcome outcome = echo_with([](int fd) {
        say(fd, std::string(2000, '\x11'));
        wait_for_end(fd);
    });
    EXPECT_EQ(outcome.code, Errc::malformed);
}

TEST_F(Turncoat, UnexpectedFrameOfAnyLength) {
    for (const std::uint64_t length : {std::uint64_t{3}, std::uint64_t{500}, ~std::uint64_t{0}}) {
        const Outcome outcome = echo_with([length](int fd) {
            answer(fd, {.type = wire::FrameType::status, .request = 1, .length = length}, 500);
            wait_for_end(fd);
        });
        EXPECT_EQ(outcome.code, Errc::malformed);
    }
}

TEST_F(Turncoat, SaysBye) {
    const Outcome outcome = echo_with([](int fd) {
        answer(fd, {}, 0);
        wait_for_end(fd);
    });
    EXPECT_EQ(outcome.code, Errc::closed);
    EXPECT_NE(outcome.why.find("shutting down"), std::string::npos) << outcome.why;
}

// An echo answered after frames of unknown types: `sizes` of their payloads.
class Newcomer : public testing::TestWithParam<bool> {
  protected:
    static Result<> echo(std::size_t size, const std::vector<std::size_t>& sizes,
                         std::uint8_t flags) {
        const Impostor impostor([&](int fd) {
            std::vector<char> bytes(wire::k_hello_size);
            (void)recv(fd, bytes.data(), bytes.size(), MSG_WAITALL);
            say(fd, as_text(wire::encode(wire::Welcome{.max_payload = 1U << 20U})));
            std::string all;
            for (const std::size_t each : sizes) {
                all += as_text(wire::encode(wire::FrameHeader{
                    .type = static_cast<wire::FrameType>(0x42), .flags = flags, .length = each}));
                all += std::string(each, 'u');
            }
            all += as_text(wire::encode(
                wire::FrameHeader{.type = wire::FrameType::data, .request = 1, .length = size}));
            all += std::string(size, 'e');
            say(fd, all);
            wait_for_end(fd);
        });
        std::string why;
        const ConnectOptions options{.cut_through = GetParam()};
        auto connection = RelayConnection::open(impostor.address(), options, why);
        EXPECT_TRUE(connection) << why;
        if (!connection) return connection.error();
        Buffer answer;
        const auto exchange = (*connection)->echo(std::vector<std::uint8_t>(size, 'e'), answer);
        if (!exchange) return exchange.error();
        EXPECT_EQ(as_text(answer.view()), std::string(size, 'e'));
        return {};
    }
};

// The client took a frame of a later version for a fault: WIRE 3 has it read over it.
TEST_P(Newcomer, FramesUnknownAndNotCriticalAreSkipped) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{1000}, std::size_t{100'000}}) {
        for (const std::vector<std::size_t>& sizes :
             {std::vector<std::size_t>{0}, {1}, {999}, {1000}, {5, 0, 700}, {200'000}}) {
            EXPECT_TRUE(echo(size, sizes, 0)) << size << ' ' << sizes[0];
        }
    }
}

TEST_P(Newcomer, CriticalOrEndlessOnesEndTheSession) {
    EXPECT_FALSE(echo(1000, {10}, wire::k_flag_critical));
    EXPECT_FALSE(echo(1000, std::vector<std::size_t>(70, 1U << 20U), 0));
}

INSTANTIATE_TEST_SUITE_P(Forms, Newcomer, testing::Bool());

}  // namespace
}  // namespace perfrelay
