#pragma once
// Values that only perfclient takes: counts, networks, single formats (times and sizes:
// common/cli/units.h). What is not understood is refused with one line in `why`, the value quoted
// first. Tested by tests/unit/client/option_values_test.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/options.h"

namespace perfrelay::client {

// Decimal digits alone, at most a million million.
std::optional<std::uint64_t> parse_count(std::string_view text, std::string& why);

// Any 64-bit number, decimal.
std::optional<std::uint64_t> parse_seed(std::string_view text, std::string& why);

// "1%", "0.5%": a share, 0.01 and 0.005; more than 0 and at most 50 %.
std::optional<double> parse_percentage(std::string_view text, std::string& why);

// "HOST:PORT", "net://HOST:PORT", "[::1]:8000", "localhost", "localhost:PORT". Only the name
// localhost may go without a port.
std::optional<Network> parse_network(std::string_view text, std::string& why);

// The canonical SPEC of one format, such as --from and --to take; "xml:all" is several.
std::optional<std::string> single_format(const FormatTable& formats, const std::string& spec,
                                         std::string& why);

// To try SPECs with, whose options may need a schema: `codecs`, and where there will be one, XML
// Schema's own types, which stand for any.
CodecOptions for_trial(CodecOptions codecs, bool informed);

// What it means that a SPEC cannot be made: bad_input when a file that it names cannot be used
// (+zstd:dict=FILE), else usage.
ExitCode code_of_refused(std::string_view spec);

}  // namespace perfrelay::client
