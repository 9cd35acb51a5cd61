#include "client/option_setters.h"

#include <algorithm>
#include <charconv>
#include <thread>
#include <utility>

#include "client/option_values.h"
#include "common/cli/units.h"

namespace perfrelay::client {
namespace {

template <class Value, class Parsed>
bool store(Value& to, const std::optional<Parsed>& parsed) {
    if (parsed) to = static_cast<Value>(*parsed);
    return parsed.has_value();
}

// One of two words: false for the first, true for the second.
bool choose(bool& to, const std::string& value, std::string_view no, std::string_view yes,
            std::string& why) {
    if (value != no && value != yes) {
        why = "'" + value + "': neither " + std::string(no) + " nor " + std::string(yes);
        return false;
    }
    to = value == yes;
    return true;
}

}  // namespace

bool set_format(Options& options, const std::string& value, std::string&) {
    options.formats.push_back(value);
    return true;
}
// -d and -e together are what neither is: both.
bool set_decode(Options& options, const std::string&, std::string&) {
    options.direction = Direction::decode;
    return true;
}
bool set_encode(Options& options, const std::string&, std::string&) {
    options.direction =
        options.direction == Direction::decode ? Direction::both : Direction::encode;
    return true;
}
bool set_zip(Options& options, const std::string&, std::string&) {
    options.efx.zip = true;
    return true;
}
bool set_lexical(Options& options, const std::string&, std::string&) {
    options.efx.lexical = true;
    return true;
}
bool set_strict(Options& options, const std::string&, std::string&) {
    options.efx.strict = true;
    return true;
}
bool set_extensible(Options& options, const std::string&, std::string&) {
    options.efx.extensible = true;
    return true;
}
bool set_schema_id(Options& options, const std::string& value, std::string& why) {
    // It becomes part of a SPEC.
    if (value.find_first_of(",+:") == std::string::npos) {
        options.efx.schema_id = value;
        return true;
    }
    why = "'" + value + "': a name without ',', '+' and ':'";
    return false;
}
bool set_catalogue(Options& options, const std::string& value, std::string& why) {
    const std::size_t equals = value.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == value.size()) {
        why = "'" + value + "': LOCATION=FILE or NAMESPACE=FILE";
        return false;
    }
    options.catalogue[value.substr(0, equals)] = value.substr(equals + 1);
    return true;
}
bool set_network(Options& options, const std::string& value, std::string& why) {
    options.network = parse_network(value, why);
    return options.network.has_value();
}
bool set_echo(Options& options, const std::string& value, std::string& why) {
    return choose(options.cut_through, value, "store", "cut-through", why);
}
bool set_link(Options& options, const std::string& value, std::string&) {
    options.link_words.push_back(value);
    return true;
}
bool set_link_file(Options& options, const std::string& value, std::string&) {
    options.link_file = value;
    return true;
}
bool set_link_time(Options& options, const std::string& value, std::string& why) {
    return store(options.link_time, parse_duration(value, BareDuration::milliseconds, why));
}
bool set_budget(Options& options, const std::string& value, std::string& why) {
    if (!store(options.budget, parse_duration(value, BareDuration::refused, why))) return false;
    if (options.budget > 0) return true;
    why = "'" + value + "': more than nothing";
    return false;
}
bool set_plan(Options& options, const std::string&, std::string&) {
    options.plan = true;
    return true;
}
bool set_price(Options& options, const std::string& value, std::string& why) {
    const auto [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), options.price);
    const bool good = error == std::errc() && end == value.data() + value.size() &&
                      options.price > 0 && options.price < 1e9;
    if (!good) why = "'" + value + "': what a megabyte costs, such as 0.05";
    return good;
}
bool set_messages(Options& options, const std::string& value, std::string& why) {
    constexpr std::uint64_t k_most = 1'000'000;
    const auto count = parse_count(value, why);
    if (count && (*count < 2 || *count > k_most)) {
        why = "'" + value + "': from 2 to 1000000 documents";
        return false;
    }
    return store(options.messages, count);
}
bool set_emulate(Options& options, const std::string&, std::string&) {
    options.emulate = true;
    return true;
}
bool set_secret_file(Options& options, const std::string& value, std::string&) {
    options.secret_file = value;
    return true;
}
bool set_tls_cert(Options& options, const std::string& value, std::string&) {
    options.tls_files.certificate = value;
    return true;
}
bool set_tls_key(Options& options, const std::string& value, std::string&) {
    options.tls_files.key = value;
    return true;
}
bool set_tls_ca(Options& options, const std::string& value, std::string&) {
    options.tls_files.authorities = value;
    return true;
}
bool set_stream(Options& options, const std::string&, std::string&) {
    options.stream = true;
    return true;
}
bool set_multithread(Options& options, const std::string& value, std::string& why) {
    constexpr std::uint64_t k_most = 256;
    // Without a number: what the machine has.
    options.threads = std::max(1U, std::thread::hardware_concurrency());
    if (value == "auto") return true;
    const auto count = parse_count(value, why);
    if (!count) return false;
    if (*count == 0 || *count > k_most) {
        why = "'" + value + "': from 1 to " + std::to_string(k_most) + " threads";
        return false;
    }
    options.threads = static_cast<std::size_t>(*count);
    return true;
}
bool set_repeat(Options& options, const std::string& value, std::string& why) {
    options.minima_given = true;
    return store(options.schedule.main.runs, parse_count(value, why));
}
bool set_time(Options& options, const std::string& value, std::string& why) {
    options.minima_given = true;
    return store(options.schedule.main.time,
                 parse_duration(value, BareDuration::milliseconds, why));
}
bool set_warmup(Options& options, const std::string& value, std::string& why) {
    return store(options.schedule.warmup.runs, parse_count(value, why));
}
bool set_warmup_time(Options& options, const std::string& value, std::string& why) {
    return store(options.schedule.warmup.time,
                 parse_duration(value, BareDuration::milliseconds, why));
}
bool set_seed(Options& options, const std::string& value, std::string& why) {
    if (!store(options.schedule.seed, parse_seed(value, why))) return false;
    options.generator_seed = options.schedule.seed;
    return true;
}
bool set_decode_into(Options& options, const std::string& value, std::string& why) {
    return choose(options.decode_into_tape, value, "parse", "materialise", why);
}
bool set_deflate(Options& options, const std::string& value, std::string& why) {
    bool libdeflate = false;
    if (!choose(libdeflate, value, "zlib", "libdeflate", why)) return false;
    options.codecs.deflate = libdeflate ? DeflateLibrary::libdeflate : DeflateLibrary::zlib;
    return true;
}
bool set_processes(Options& options, const std::string& value, std::string& why) {
    constexpr std::uint64_t k_most = 100;
    const auto count = parse_count(value, why);
    if (!count) return false;
    if (*count == 0 || *count > k_most) {
        why = "'" + value + "': from 1 to " + std::to_string(k_most) + " processes";
        return false;
    }
    options.processes = static_cast<std::size_t>(*count);
    return true;
}
bool set_precision(Options& options, const std::string& value, std::string& why) {
    return store(options.precision, parse_percentage(value, why));
}
bool set_require_convergence(Options& options, const std::string&, std::string&) {
    options.require_convergence = true;
    return true;
}
bool set_from(Options& options, const std::string& value, std::string&) {
    options.from = value;
    return true;
}
bool set_whitespace(Options& options, const std::string& value, std::string& why) {
    for (const Whitespace policy : {Whitespace::automatic, Whitespace::keep, Whitespace::drop}) {
        if (whitespace_name(policy) != value) continue;
        options.whitespace = policy;
        return true;
    }
    why = "'" + value + "': neither auto, keep nor drop";
    return false;
}
bool set_binding(Options& options, const std::string& value, std::string& why) {
    using bridge::Binding;
    for (const auto& [name, binding] : {std::pair{"text", Binding::text},
                                        {"typed", Binding::typed},
                                        {"schema", Binding::schema}}) {
        if (value != name) continue;
        options.binding = binding;
        return true;
    }
    why = "'" + value + "': neither text, typed nor schema";
    return false;
}
bool set_max_document(Options& options, const std::string& value, std::string& why) {
    return store(options.codecs.limits.max_document, parse_bytes(value, why));
}
bool set_save(Options& options, const std::string& value, std::string&) {
    options.save = value;
    return true;
}
bool set_quiet(Options& options, const std::string&, std::string&) {
    options.quiet = true;
    return true;
}
bool set_verbose(Options& options, const std::string&, std::string&) {
    options.verbose = true;
    return true;
}

}  // namespace perfrelay::client
