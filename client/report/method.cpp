// What stands under the tables: what the rows are, how they were measured, what to beware of.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "client/report/conditions.h"
#include "client/report/items.h"
#include "client/report/layout.h"
#include "client/report/sections.h"
#include "client/report/shown.h"
#include "common/cli/units.h"

namespace perfrelay::client {
namespace {

// A run this many clock readings long is known to 0.5 %.
constexpr std::int64_t k_readings_a_run = 200;

// "1 document a run", "20 documents a run"; one for each file where they differ.
std::string batches(const Report& report) {
    std::vector<std::pair<std::uint32_t, std::string>> found;
    for (const FileReport& file : report.files) {
        const auto timed = std::find_if(file.rows.begin(), file.rows.end(), has_times);
        if (timed == file.rows.end()) continue;
        found.emplace_back(timed->main.samples.front().batch, file.name);
    }
    const auto same = [&](const auto& entry) { return entry.first == found.front().first; };
    const bool all_same = std::all_of(found.begin(), found.end(), same);
    std::string text;
    for (const auto& [batch, file] : found) {
        if (!text.empty()) text += "; ";
        text += std::to_string(batch) + (batch == 1 ? " document" : " documents") + " a run";
        if (all_same) break;
        text += " (" + file + ")";
    }
    return text;
}

std::string decode_meaning(const std::string& into) {
    if (into == "materialise") {
        return "materialise: from bytes to a stored tape of every event, names resolved, values as "
               "text";
    }
    return into + ": from bytes to every event, names resolved, values as text, counted and hashed";
}

void add_streamed(const Report& report, Items& items) {
    if (report.direction != Direction::decode) {
        items.add("enc+send", "encoded into the connection: until it has the last byte");
    }
    switch (report.direction) {
        case Direction::both: items.add("wait", "from there to the first byte back"); break;
        case Direction::encode: items.add("wait", "until the relay confirms the last byte"); break;
        case Direction::decode: items.add("wait", "from the request to the first byte"); break;
    }
    if (report.direction != Direction::encode) {
        items.add("recv+dec",
                  "decoded out of the connection: from the first byte to the last event");
    }
}

void add_transmit(const Report& report, Items& items) {
    switch (report.direction) {
        case Direction::both:
            items.add("transmit", "through the relay and back; up ends with the first byte back");
            break;
        case Direction::encode:
            items.add("transmit", "to the relay, until it confirms the last byte");
            break;
        case Direction::decode:
            items.add("transmit", "from the relay, from the request to the last byte");
            break;
    }
}

// "keep: every text", "auto: whitespace-only texts ...: 120 dropped (a.xml), none of b.xml".
std::string whitespace_meaning(const Report& report) {
    if (report.whitespace == "keep") return "keep: every text of the files, in every format";
    std::string text = report.whitespace;
    text += report.whitespace == "auto"
                ? ": whitespace-only texts beside tags are no part of the document, in any format"
                : ": no whitespace-only text is part of the document, in any format";
    for (const FileReport& file : report.files) {
        if (file.whitespace_dropped == 0) continue;
        text += "; " + std::to_string(file.whitespace_dropped) + " of " + file.name + " dropped";
    }
    return text;
}

void add_network(const Report& report, Items& items) {
    if (report.network.empty()) return;
    report.stream ? add_streamed(report, items) : add_transmit(report, items);
    items.add("total", "measured on its own, not the sum of its phases");
    if (!report.relay.empty()) items.add("relay", report.relay);
    if (report.rtt_ns > 0) {
        items.add("rtt", format_duration(static_cast<double>(report.rtt_ns)) +
                             ", the shortest round trip of an empty message");
    }
}

// Which files are whose, in the order of the files.
void add_parts(const Report& report, Items& items) {
    for (std::size_t i = 0; i < report.parts.size(); ++i) {
        const Report& part = report.parts[i];
        std::string text = part.started + ", " + part.command_line;
        if (part.rtt_ns > 0) text += ", rtt " + format_duration(static_cast<double>(part.rtt_ns));
        if (!part.relay.empty()) text += ", relay " + part.relay;
        text += ":";
        for (const FileReport& file : report.files)
            text += file.part == i ? " " + file.name : "";
        items.add("part " + std::to_string(i + 1), text);
    }
}

// "60.0 s; cut: ...", of each file where there are several.
std::string budget_meaning(const Report& report) {
    std::string text = format_duration(static_cast<double>(report.budget));
    bool any = false;
    for (const FileReport& file : report.files) {
        for (const std::string& cut : file.cuts) {
            text += (any ? "; " : "; cut: ") + cut;
            if (report.files.size() > 1) text += " (" + file.name + ")";
            any = true;
        }
    }
    return any ? text : text + "; nothing had to be cut";
}

double median(const Row& row, Quantity quantity) {
    return measure::summarise(values(row.main, quantity)).median;
}

std::string additivity(const Report& report, const Row& row) {
    std::string names;
    std::vector<double> sums(row.main.samples.size(), 0.0);
    for (const Quantity quantity : quantities(report)) {
        if (quantity == Quantity::total) continue;
        names += (names.empty() ? "" : " + ") + std::string(name(report, quantity));
        const std::vector<double> of_runs = values(row.main, quantity);
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += of_runs[i];
    }
    return names + " = " + format_duration(measure::summarise(sums).median) +
           " a run but TOTAL = " + format_duration(median(row, Quantity::total)) +
           ": they differ by more than 2 %";
}

// Codec phases that are over before the clock can tell them well; nothing when there are none.
std::string short_runs(const Report& report, const Row& row) {
    std::string text;
    const std::uint32_t batch = row.main.samples.front().batch;
    for (const Quantity quantity : quantities(report)) {
        if (quantity != Quantity::encode && quantity != Quantity::decode) continue;
        const double run = median(row, quantity) * batch;
        if (run >= static_cast<double>(k_readings_a_run * report.clock_cost_ns)) continue;
        text += std::string(text.empty() ? "" : ", ") + name(report, quantity) + " lasts " +
                format_duration(run) + " a run";
    }
    if (text.empty()) return text;
    return text + ": coarse for a clock that takes " +
           format_duration(static_cast<double>(report.clock_cost_ns)) + " to read";
}

bool any_times(const Report& report) {
    return std::any_of(report.files.begin(), report.files.end(), [](const FileReport& file) {
        return std::any_of(file.rows.begin(), file.rows.end(), has_times);
    });
}

// Each that was used, once.
std::vector<std::string> mappings(const Report& report) {
    std::vector<std::string> all;
    for (const FileReport& file : report.files) {
        if (file.mapping.empty() || std::find(all.begin(), all.end(), file.mapping) != all.end()) {
            continue;
        }
        all.push_back(file.mapping);
    }
    return all;
}

// Of all files. A note that holds for some of them names these.
std::vector<std::string> notes_of_mode(const Report& report, const Mode& mode) {
    std::vector<std::pair<std::string, std::string>> found;  // note, files
    std::string all;
    for (const FileReport& file : report.files) {
        const Row* const row = find_row(file, mode.spec);
        if (row == nullptr) continue;
        const auto join = [&](std::string& names) {
            names += (names.empty() ? "" : ", ") + file.name;
        };
        join(all);
        for (std::string& note : notes(report, row->codec)) {
            auto same = std::find_if(found.begin(), found.end(),
                                     [&](const auto& entry) { return entry.first == note; });
            if (same == found.end()) same = found.insert(same, {std::move(note), ""});
            join(same->second);
        }
    }
    std::vector<std::string> texts;
    for (auto& [note, files] : found)
        texts.push_back(files == all ? std::move(note) : note + " (" + files + ")");
    return texts;
}

}  // namespace

std::vector<std::string> row_warnings(const Report& report, const Row& row) {
    std::vector<std::string> found;
    if (!has_times(row)) return found;
    if (const std::string few = too_few(row); !few.empty()) {
        found.push_back("no interval: " + few);
    }
    if (!phases_add_up(row.main)) found.push_back(additivity(report, row));
    for (std::string& each : doubts(report, row))
        found.push_back(std::move(each));
    if (std::string coarse = short_runs(report, row); !coarse.empty()) {
        found.push_back(std::move(coarse));
    }
    return found;
}

std::string about_rows(const Report& report) {
    std::string text;
    const bool groups = several_groups(report);
    for (const Mode& mode : modes(report)) {
        const CodecInfo& codec = *mode.codec;
        text += "  " + mode.title + " (" + printable(mode.spec) + ")";
        if (groups) text += ", " + std::string(group_name(mode.group));
        text += "\n";
        if (report.direction != Direction::encode && !codec.reader.empty()) {
            text += "    reader: " + printable(codec.reader) + "\n";
        }
        if (report.direction != Direction::decode && !codec.writer.empty()) {
            text += "    writer: " + printable(codec.writer) + "\n";
        }
        for (const std::string& note : notes_of_mode(report, mode)) {
            text += "    note: " + printable(note) + "\n";
        }
    }
    return text.empty() ? text : "What these rows are\n" + text;
}

std::string about_method(const Report& report) {
    Items items("How they were measured");
    if (any_times(report)) {
        const bool decode = report.direction == Direction::decode;
        items.add("verified", std::string(decode ? "what is decoded" : "decode(encode(document))") +
                                  " gave the document again, before anything was timed");
    }
    if (!report.whitespace.empty()) items.add("ws", whitespace_meaning(report));
    for (const std::string& mapping : mappings(report))
        items.add("mapping", mapping);
    items.add("times", "a document; median, and its 95 % interval from order statistics");
    items.add("stages", "warm-up, then main, each until both its minima hold, time and runs");
    if (const double wanted = report.schedule.precision; wanted > 0) {
        items.add("", "main on until each interval is within " + format_fixed(100 * wanted, 1) +
                          " % of its median, at most " +
                          (report.schedule.patience > 0
                               ? format_duration(static_cast<double>(report.schedule.patience)) +
                                     " a format"
                               : std::string("three times as long")));
    }
    items.add("order", "interleaved in rounds, in cyclic orders drawn from seed " +
                           std::to_string(report.schedule.seed));
    if (report.budget > 0) items.add("budget", budget_meaning(report));
    if (const std::string text = batches(report); !text.empty()) {
        items.add("batch", text + ", the same for every format");
    }
    items.add("memory", "heap kept between runs, buffers reused");
    if (report.direction != Direction::encode && !report.decode_into.empty()) {
        items.add("decode", decode_meaning(report.decode_into));
    }
    if (!report.deflate_library.empty()) {
        items.add("deflate", report.deflate_library + " in every format that uses it");
    }
    add_network(report, items);
    if (report.clock_cost_ns > 0) {
        items.add("clock", format_duration(static_cast<double>(report.clock_cost_ns)) + " to read");
    }
    if (!report.version.empty()) items.add("program", "perfclient " + report.version);
    if (report.parts.empty() && !report.command_line.empty()) {
        items.add("command", report.command_line);
    }
    add_parts(report, items);
    return items.text();
}

std::string warnings(const Report& report) {
    std::string text;
    for (const FileReport& file : report.files) {
        for (const std::string& reason : measure::judge(file.noise).reasons)
            text += "  noisy machine, " + printable(file.name) + ": " + reason + "\n";
        for (const Row& row : file.rows) {
            for (const std::string& warning : row_warnings(report, row)) {
                text += "  " + row.codec.title + ", " + printable(file.name) + ": " +
                        printable(warning) + "\n";
            }
        }
    }
    return text.empty() ? text : "Warnings\n" + text;
}

}  // namespace perfrelay::client
