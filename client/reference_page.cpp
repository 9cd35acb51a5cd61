#include "client/reference_page.h"

#include <iostream>
#include <string>
#include <string_view>

#include "client/exit_codes.h"
#include "client/help.h"
#include "client/normalise.h"
#include "common/cli/reference.h"

namespace perfrelay::client {
namespace {

Reference reference_of(const FormatTable& formats) {
    Reference reference;
    reference.program = "perfclient";
    reference.summary = "measure how documents are encoded, sent and decoded, format by format";
    reference.synopsis = "[modes] [options] ([-schema XSD | --schema-auto | -noschema] file...)+";
    reference.description =
        "Each format must give the document back as it was; then all are timed against each other, "
        "in turn, in memory or through perfrelay(1) on this or another host. Medians come with 95 "
        "% "
        "intervals. Every option may be written with one dash or two, -repeat 5 or --repeat=5.";
    for (const OptionLine& line : option_table()) {
        if (line.group == OptionGroup::commands) {
            reference.commands.emplace_back(
                std::string(line.names.front()) + " " + std::string(line.value),
                std::string(line.help));
            continue;
        }
        ReferenceOption option;
        for (const std::string_view name : line.names) {
            if (!name.empty()) {
                option.names.push_back((line.efxperf ? "-" : "--") + std::string(name));
            }
        }
        option.value = line.value;
        option.help = line.help;
        option.group = option_group_title(line.group);
        if (line.names.front() == "format") {
            option.help += ". NAME is one of:";
            for (const FormatLine& format : formats.formats)
                option.help += " " + format.spec;
        }
        reference.options.push_back(std::move(option));
    }
    for (const ExitCodeLine& line : exit_code_table())
        reference.statuses.emplace_back(std::to_string(status(line.code)), line.meaning);
    reference.see_also = "perfrelay(1)";
    return reference;
}

}  // namespace

int reference_main(std::span<const char* const> words, const FormatTable& formats) {
    const auto text =
        words.size() == 1 ? render(reference_of(formats), words.front()) : std::nullopt;
    if (!text) return complain(ExitCode::usage, "reference man|bash|zsh|fish, for standard output");
    std::cout << *text << std::flush;
    return status(std::cout.good() ? ExitCode::ok : ExitCode::partial);
}

}  // namespace perfrelay::client
