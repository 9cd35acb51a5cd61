#include "client/report/costs.h"

#include <gtest/gtest.h>

#include "client/report/sections.h"
#include "tests/unit/client/report_samples.h"

namespace perfrelay::client {
namespace {

using namespace samples;  // NOLINT(google-build-using-namespace): short cases

// 1,000 bytes with the header, 8 us each at a megabit; 2 ms of processor.
Report one_row() {
    Report made =
        report({file({row("xml", "XML", 976, {.encode = 1 * k_ms, .decode = 1 * k_ms})})});
    made.links = {
        {.name = "link", .down = 1'000'000, .up = 1'000'000, .rtt = 100 * k_ms, .overhead = 0}};
    return made;
}

TEST(LinkCosts, BytesAirtimeAndPriceOfBothWays) {
    Report made = one_row();
    made.links[0].overhead = 50;
    made.price = 0.1;
    const auto costs = link_costs(made, made.files[0]);
    ASSERT_EQ(costs.size(), 1U);
    EXPECT_EQ(costs[0].wire_bytes, 2'100U);
    EXPECT_DOUBLE_EQ(costs[0].airtime, 16.8 * k_ms);
    EXPECT_DOUBLE_EQ(costs[0].price, 0.00021);
    const std::string text = costs_tables(made);
    EXPECT_NE(text.find("link  XML            2100    16.8 ms  0.000210\n"), std::string::npos)
        << text;
    made.direction = Direction::decode;
    EXPECT_EQ(link_costs(made, made.files[0])[0].wire_bytes, 1'050U);
}

TEST(LinkCosts, ManyMessages) {
    Report made = one_row();
    made.message_count = 10;
    const LinkCost cost = link_costs(made, made.files[0])[0];
    // Ten times the processor, and: 80 ms up, of which the last takes 8 ms back, and a round trip.
    // Documents share packets: what is behind the last one's begin travels with it.
    EXPECT_NEAR(static_cast<double>(cost.at_once), (20 + 80 + 8 + 100) * 1e6, 1e6);
    // ten times 8 + 8 ms and a round trip; the same with a handshake each.
    EXPECT_EQ(cost.in_turn, (20 + 160 + 1000) * k_ms);
    EXPECT_EQ(cost.new_each, (20 + 160 + 2000) * k_ms);
    made.links[0].cold = true;  // the first of them all is
    EXPECT_EQ(link_costs(made, made.files[0])[0].in_turn, (20 + 160 + 1100) * k_ms);
    EXPECT_NE(costs_tables(made).find("10 such documents: AT ONCE"), std::string::npos);
}

}  // namespace
}  // namespace perfrelay::client
