#pragma once
// What documents cost on links besides time: bytes on the wire, airtime, money; and what many small
// ones cost, sent at once, in turn, or on a new connection each.
// Tested by tests/unit/client/costs_test.cpp.

#include <cstdint>
#include <string>
#include <vector>

#include "client/report/report.h"

namespace perfrelay::client {

// A row on a link, both ways together.
struct LinkCost {
    std::string link = {};  // its name
    std::string spec = {};  // of the row
    std::string title = {};
    std::uint64_t wire_bytes = 0;  // headers of packets included
    double airtime = 0;            // ns in which the link carries them
    double price = 0;              // at Report::price
    // Of Report::message_count documents, ns, processor time included: one after the other without
    // waiting, each when the one before has come back, and so on a new connection each.
    double at_once = 0;
    double in_turn = 0;
    double new_each = 0;
};
// Links outside, rows with times inside.
std::vector<LinkCost> link_costs(const Report& report, const FileReport& file);

}  // namespace perfrelay::client
