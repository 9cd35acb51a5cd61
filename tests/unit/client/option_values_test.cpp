#include "client/option_values.h"

#include <string>

#include <gtest/gtest.h>

namespace perfrelay::client {
namespace {

TEST(parse_count, takes_decimal_digits_alone) {
    std::string why;
    EXPECT_EQ(parse_count("0", why), 0U);
    EXPECT_EQ(parse_count("5", why), 5U);
    EXPECT_EQ(parse_count("1000000000000", why), 1'000'000'000'000U);
    for (const char* text : {"", "-1", "+1", "5.0", "5x", " 5", "0x5", "1e3", "five"}) {
        why.clear();
        EXPECT_FALSE(parse_count(text, why)) << text;
        EXPECT_EQ(why, "'" + std::string(text) + "': not a number, such as 10");
    }
    for (const char* text : {"1000000000001", "18446744073709551616", "99999999999999999999999"}) {
        EXPECT_FALSE(parse_count(text, why)) << text;
        EXPECT_NE(why.find("too large, at most 1000000000000"), std::string::npos) << why;
    }
}

TEST(parse_seed, takes_any_64_bit_number) {
    std::string why;
    EXPECT_EQ(parse_seed("18446744073709551615", why), UINT64_MAX);
    EXPECT_FALSE(parse_seed("18446744073709551616", why));
}

struct Good {
    const char* text;
    const char* host;
    std::uint16_t port;
    bool start_local;
};

TEST(parse_network, takes_every_form) {
    for (const Good& good : {
             Good{"host2:8000", "host2", 8000, false},
             Good{"net://host2:8000", "host2", 8000, false},
             Good{"NET://host2:8000/", "host2", 8000, false},
             Good{"192.0.2.1:1", "192.0.2.1", 1, false},
             Good{"[::1]:8000", "::1", 8000, false},
             Good{"net://[::1]:8000", "::1", 8000, false},
             Good{"[fe80::1%eth0]:65535", "fe80::1%eth0", 65535, false},
             Good{"localhost", "localhost", 0, true},
             Good{"net://localhost", "localhost", 0, true},
             Good{"LocalHost", "localhost", 0, true},
             Good{"localhost:8000", "localhost", 8000, true},
             Good{"net://localhost:8000", "localhost", 8000, true},
             Good{"localhost:0", "localhost", 0, true},
             // Only the name starts a relay.
             Good{"127.0.0.1:8000", "127.0.0.1", 8000, false},
             Good{"localhost.example:8000", "localhost.example", 8000, false},
             Good{"[localhost]:8000", "localhost", 8000, false},
         }) {
        std::string why;
        const auto network = parse_network(good.text, why);
        ASSERT_TRUE(network) << good.text << ": " << why;
        EXPECT_EQ(network->address.host, good.host) << good.text;
        EXPECT_EQ(network->address.port, good.port) << good.text;
        EXPECT_EQ(network->start_local, good.start_local) << good.text;
    }
}

struct Bad {
    const char* text;
    const char* says;
};

TEST(parse_network, refuses_in_one_line_that_says_what_to_do) {
    for (const Bad& bad : {
             Bad{"", "no host"},
             Bad{":8000", "no host"},
             Bad{"net://", "no host"},
             Bad{"[]:8000", "no host"},
             // It was told that an IPv6 address goes in brackets.
             Bad{"http://host:80", "a relay is no http server; it is HOST:PORT, as in host:80"},
             Bad{"net://http://host:80/x", "as in host:80"},
             Bad{"70000", "no port from 1 to 65535"},
             Bad{"net://0", "HOST:PORT"},
             Bad{"host/x:80", "no host"},
             Bad{"a b:80", "no host"},
             Bad{"host2", "no port; add the relay's, as in host2:8000"},
             Bad{"127.0.0.1", "as in 127.0.0.1:8000"},
             Bad{"[::1]", "as in [::1]:8000"},
             Bad{"::1", "in brackets"},
             Bad{"::1:8000", "in brackets"},
             Bad{"[::1:8000", "does not close"},
             Bad{"[::1]8000", "after the bracket"},
             Bad{"host:", "1 to 65535"},
             Bad{"host:0", "1 to 65535"},
             Bad{"host:65536", "1 to 65535"},
             Bad{"host:-1", "1 to 65535"},
             Bad{"host:80x", "1 to 65535"},
             Bad{"localhost:99999", "1 to 65535"},
         }) {
        std::string why;
        EXPECT_FALSE(parse_network(bad.text, why)) << bad.text;
        EXPECT_NE(why.find(bad.says), std::string::npos) << bad.text << " -> " << why;
        EXPECT_TRUE(why.starts_with("'" + std::string(bad.text) + "'")) << why;
        EXPECT_EQ(why.find('\n'), std::string::npos);
    }
}

}  // namespace
}  // namespace perfrelay::client
