// A relay whose n-th allocation fails, for every n that a session makes: std::bad_alloc in one
// session ended the relay and with it all others.

#include <gtest/gtest.h>

#include "tests/integration/failing_memory.h"
#include "tests/integration/running_relay.h"

namespace perfrelay {
namespace {

// A session as far as it gets: one request of each kind.
void live(const Address& address) {
    ConnectOptions options;
    options.busy_retry = 0;
    std::string why;
    auto connection = RelayConnection::open(address, options, why);
    if (!connection) return;
    const auto payload = bytes_of(300'000);
    Buffer answer;
    client::Acknowledgement acknowledged;
    if ((*connection)->echo(payload, answer) && (*connection)->sink(payload, acknowledged) &&
        (*connection)->put(1, payload, acknowledged)) {
        (void)(*connection)->source(1, answer);
    }
}

TEST(RelayMemory, EachAllocationMayFail) {
    RunningRelay relay;
    const auto bystander = relay.connect();
    ASSERT_NE(bystander, nullptr);
    Buffer answer;
    const auto payload = bytes_of(1000);
    int failed = 0;
    for (int n = 0; n < 200; ++n) {
        fail_allocation(relay.thread_id(), n);
        live(relay.address());
        const bool happened = end_of_failing();
        failed += happened ? 1 : 0;
        ASSERT_TRUE(bystander->echo(payload, answer)) << n << ' ' << bystander->last_error();
        const auto next = relay.connect();
        ASSERT_NE(next, nullptr) << n;
        ASSERT_TRUE(next->echo(payload, answer)) << n << ' ' << next->last_error();
        if (!happened) break;
    }
    EXPECT_GT(failed, 2);
    // It ends only when every connection has gone: none is left behind.
    relay.stop(true);
}

}  // namespace
}  // namespace perfrelay
