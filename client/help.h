#pragma once
// What perfclient says about itself. Made from the option table, the format table and the table of
// exit codes, so that it cannot say less, or other, than what is there. Lines are at most 100 wide.
// Tested by tests/unit/client/options_test.cpp.

#include <ostream>
#include <string_view>

#include "client/normalise.h"
#include "proto/formats.h"

namespace perfrelay::client {

void write_help(std::ostream& out, const FormatTable& formats);

// "Network (without it: in memory)".
std::string_view option_group_title(OptionGroup group);

// --list-formats: one line a format and a compressor: SPEC, aliases, summary, headline mark.
void write_formats(std::ostream& out, const FormatTable& formats);

// --list-links: the profiles and where their figures come from.
void write_links(std::ostream& out);

}  // namespace perfrelay::client
