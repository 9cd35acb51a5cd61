#include "client/options.h"

#include <algorithm>
#include <exception>
#include <fstream>
#include <random>

#include <CLI/CLI.hpp>

#include "client/generate.h"
#include "client/normalise.h"
#include "client/option_values.h"
#include "common/cli/units.h"

namespace perfrelay::client {
namespace {

Refusal refuse(const std::string& line, ExitCode code = ExitCode::usage) {
    return {code, line};
}

// The GNU parser, with a line of it for every setting of the table.
void declare(CLI::App& parser, const Normalised& normalised, Options& options) {
    parser.set_help_flag();
    for (const OptionLine& line : option_table()) {
        if (line.set == nullptr) continue;
        const std::string name = "--" + std::string(line.names.front());
        const auto apply = [&options, &normalised, &line](const std::string& value) {
            std::string why;
            if (line.set(options, value, why)) return;
            const auto spelled = normalised.spellings.find(line.names.front());
            throw CLI::ValidationError(spelled->second + " " + why,
                                       CLI::ExitCodes::ValidationError);
        };
        if (line.argument == OptionArgument::none) {
            parser.add_flag_callback(name, [apply] { apply(""); });
            continue;
        }
        parser
            .add_option_function<std::vector<std::string>>(
                name,
                [apply, &line](const std::vector<std::string>& values) {
                    for (auto value = line.repeatable ? values.begin() : values.end() - 1;
                         value != values.end(); ++value) {
                        apply(*value);
                    }
                })
            ->expected(1)
            ->allow_extra_args(false)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
}

std::string random_why(std::uint64_t& seed) {
    try {
        std::random_device device;
        seed = (std::uint64_t{device()} << 32U) | device();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

// The SPEC of the EFX row and of its transcoding, by efxperf's settings.
std::string with_efx_settings(const std::string& spec, const EfxSettings& settings) {
    std::string with;
    if (settings.zip) with += ",align=comp";
    if (settings.lexical) with += ",lexical";
    if (settings.strict) with += ",strict";
    if (!settings.schema_id.empty()) with += ",options,schemaId=" + settings.schema_id;
    if (!with.empty()) with.front() = ':';
    return spec + with;
}

// Aliases and "all" replaced, each SPEC once, and each one tried.
std::optional<Refusal> expand_formats(Options& options, const FormatTable& table) {
    const bool has_schema = std::ranges::any_of(options.inputs, &Input::informed);
    const CodecOptions codecs = for_trial(options.codecs, has_schema);
    if (options.efx.strict && options.efx.extensible) {
        return refuse("-strict and -extensible exclude each other");
    }
    if (!has_schema && (options.efx.strict || !options.efx.schema_id.empty())) {
        return refuse(std::string(options.efx.strict ? "-strict" : "--schema-id") +
                      " is about a schema; add -schema FILE.xsd in front of the files");
    }
    const bool headline = options.formats.empty();
    if (headline) options.formats = table.headline();
    std::vector<std::string> expanded;
    bool has_efx = false;
    for (std::string asked : options.formats) {
        std::string why;
        const bool efx = asked == "efx" || (headline && asked == "exi");
        if (efx || asked == "transcode") {
            asked = with_efx_settings(efx ? "exi" : asked, options.efx);
            has_efx = true;
        }
        const std::vector<std::string> specs = table.expand(asked, why);
        if (specs.empty()) return refuse(why, code_of_refused(asked));
        for (const std::string& spec : specs) {
            if (std::find(expanded.begin(), expanded.end(), spec) != expanded.end()) continue;
            if (!table.make(spec, codecs, why)) {
                return refuse(why);
            }
            expanded.push_back(spec);
        }
    }
    if (options.efx.any() && !has_efx) {
        const EfxSettings& efx = options.efx;
        return refuse(std::string(efx.zip       ? "-zip"
                                  : efx.lexical ? "-lexical"
                                  : efx.strict  ? "-strict"
                                                : "--schema-id") +
                      " is a setting of the -efx row; add -efx");
    }
    options.formats = std::move(expanded);
    return std::nullopt;
}

std::optional<Refusal> check_generated(const Input& input, const Limits& limits) {
    if (!input.generated) return std::nullopt;
    std::string why;
    const auto generator = parse_generator(input.path, why);
    if (!generator) return refuse("--generate " + why);
    if (generator->exceeds(limits.max_document)) {
        return refuse("--generate '" + input.path + "': larger than " +
                      format_bytes(limits.max_document) + "; --max-document SIZE raises the limit");
    }
    return std::nullopt;
}

// --from is one format, not several.
std::optional<Refusal> check_from(const Options& options, const FormatTable& table) {
    if (options.from.empty()) return std::nullopt;
    std::string why;
    if (!single_format(table, options.from, why)) {
        return refuse("--from " + why, code_of_refused(options.from));
    }
    return std::nullopt;
}

// --link-file, then --link, whose names it may give.
std::optional<Refusal> find_links(Options& options) {
    std::vector<net::Link> known(net::built_in_links().begin(), net::built_in_links().end());
    std::string why;
    if (!options.link_file.empty()) {
        constexpr std::size_t k_longest = std::size_t{1} << 20U;
        std::string text(k_longest, '\0');
        std::ifstream file(options.link_file, std::ios::binary);
        file.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(file.gcount()));
        why = "cannot be read, or is empty";
        auto own = text.empty() ? std::nullopt : net::parse_link_file(text, why);
        if (!own) {
            return Refusal{ExitCode::bad_input, "--link-file '" + options.link_file + "': " + why};
        }
        // Own links come first: they may bear the name of one that is known.
        known.insert(known.begin(), own->begin(), own->end());
        if (options.link_words.empty()) options.links = std::move(*own);
    }
    for (const std::string& word : options.link_words) {
        auto link = net::parse_link(word, known, why);
        if (!link) return refuse("--link " + why);
        options.links.push_back(std::move(*link));
    }
    return std::nullopt;
}

std::optional<Refusal> find_security(Options& options) {
    if (!options.network) {
        if (options.secret_file.empty() && !options.tls_files.any()) return std::nullopt;
        return refuse("--secret-file and --tls-... are for a relay; add -net HOST:PORT");
    }
    std::string why;
    if (read_security(options, why)) return std::nullopt;
    return refuse(why);
}

// A value has the type that its file's schema says.
std::optional<Refusal> check_binding(const Options& options) {
    if (options.binding != bridge::Binding::schema) return std::nullopt;
    const auto without = std::ranges::find_if_not(options.inputs, &Input::informed);
    if (without == options.inputs.end()) return std::nullopt;
    return refuse("--bind schema, and " + without->path +
                  " has none; add -schema FILE.xsd or --schema-auto in front of it");
}

std::optional<Refusal> check(const Options& options) {
    const measure::Minimum& main = options.schedule.main;
    if (main.runs == 0 && main.time == 0) {
        return refuse("-repeat 0 and -time 0 leave nothing to measure");
    }
    if (options.cut_through && !options.network) {
        return refuse("--echo is how a relay answers; add -net HOST:PORT");
    }
    if (options.cut_through && options.direction != Direction::both) {
        return refuse("--echo is about round trips; -decode and -encode go one way");
    }
    if (options.stream && !options.network) {
        return refuse("--stream is about a connection; add -net HOST:PORT or -net localhost");
    }
    if (options.stream && options.cut_through) {
        return refuse(
            "--stream and --echo cut-through exclude each other: the answer is read when "
            "the payload is out");
    }
    if (options.link_words.empty() && options.link_file.empty()) {
        const char* const what = options.emulate        ? "--emulate"
                                 : options.price > 0    ? "--price"
                                 : options.messages > 1 ? "--messages"
                                                        : nullptr;
        if (what != nullptr) {
            return refuse(std::string(what) + " is about links; add --link NAME");
        }
    }
    if (options.quiet && options.verbose) {
        return refuse("-quiet and -verbose exclude each other");
    }
    if (options.inputs.empty()) return refuse("no file to measure; -help shows how");
    for (const Input& input : options.inputs) {
        if (auto refusal = check_generated(input, options.codecs.limits)) return refusal;
    }
    if (auto refusal = check_binding(options)) return refusal;
    const auto is_stdin = [](const Input& input) { return input.path == "-" && !input.generated; };
    if (options.processes > 1 && std::ranges::any_of(options.inputs, is_stdin)) {
        return refuse("--processes reads its inputs again, and standard input can be read once");
    }
    if (std::count_if(options.inputs.begin(), options.inputs.end(), is_stdin) > 1) {
        return refuse("standard input can be read once, and here is '-' twice");
    }
    return std::nullopt;
}

// How long main goes on.
void set_stopping_rule(Options& options) {
    constexpr measure::Nanoseconds k_patience = 60'000'000'000;
    measure::ScheduleOptions& schedule = options.schedule;
    if (options.precision > 0) {
        schedule.precision = options.precision;
        schedule.patience = std::max(k_patience, 3 * schedule.main.time);
    } else if (!options.minima_given && options.budget == 0) {
        schedule.precision = usual_precision(options.network.has_value());
    }
}

std::optional<Refusal> parse_settings(const Normalised& normalised, Options& options) {
    CLI::App parser;
    declare(parser, normalised, options);
    try {
        // CLI11 takes the words last first.
        parser.parse(
            std::vector<std::string>(normalised.arguments.rbegin(), normalised.arguments.rend()));
    } catch (const CLI::ParseError& error) {
        return refuse(error.what());
    }
    return std::nullopt;
}

// What the normalised words ask for, whatever else is wrong with them.
std::vector<Output> outputs_of(const Normalised& normalised) {
    std::vector<Output> outputs;
    for (const std::string& argument : normalised.arguments) {
        const std::size_t equals = std::min(argument.find('='), argument.size());
        const std::string kind = argument.substr(2, equals - 2);
        if (writer_of(kind) != nullptr) outputs.push_back({kind, argument.substr(equals + 1)});
    }
    return outputs;
}

std::variant<Options, Refusal> parse_normalised(Normalised normalised, const FormatTable& formats) {
    Options options;
    options.action = normalised.action;
    options.inputs = std::move(normalised.inputs);
    options.relay_arguments = std::move(normalised.relay_arguments);
    if (options.action == Action::help || options.action == Action::relay) return options;
    if (normalised.problem) return refuse(*normalised.problem);
    if (options.action != Action::run) return options;

    if (const std::string why = random_why(options.schedule.seed); !why.empty()) {
        return refuse("no random seed (" + why + "); give one with --seed N");
    }
    if (auto refusal = parse_settings(normalised, options)) return *refusal;
    if (auto refusal = check(options)) return *refusal;
    set_stopping_rule(options);
    if (auto refusal = find_security(options)) return *refusal;
    if (auto refusal = find_links(options)) return *refusal;
    if (auto refusal = check_from(options, formats)) return *refusal;
    if (auto refusal = expand_formats(options, formats)) return *refusal;
    return options;
}

}  // namespace

bool read_security(Options& options, std::string& why) {
    options.secret = read_secret(options.secret_file, why);
    if (why.empty() && options.tls_files.any()) {
        options.tls = net::TlsContext::client(options.tls_files, why);
    }
    return why.empty();
}

std::variant<Options, Refusal> parse_options(std::span<const char* const> words,
                                             const FormatTable& formats) {
    if (words.empty()) {
        Options options;
        options.action = Action::help;
        return options;
    }
    Normalised normalised = normalise(words);
    std::vector<Output> outputs = outputs_of(normalised);
    auto parsed = parse_normalised(std::move(normalised), formats);
    if (auto* const refused = std::get_if<Refusal>(&parsed)) refused->outputs = std::move(outputs);
    return parsed;
}

}  // namespace perfrelay::client
