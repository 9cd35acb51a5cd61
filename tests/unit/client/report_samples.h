#pragma once
// Hand-made results for the tests of the reports.

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "client/report/report.h"

namespace perfrelay::client::samples {

using measure::Nanoseconds;
using measure::Sample;

constexpr Nanoseconds k_us = 1'000;
constexpr Nanoseconds k_ms = 1'000'000;

struct Times {
    Nanoseconds encode = 0;
    Nanoseconds up = 0;
    Nanoseconds down = 0;
    Nanoseconds decode = 0;
};

// `count` runs around `times`: run i is i - count / 2 thousandths longer, in every phase.
inline measure::Series series(int count, const Times& times, std::uint32_t batch = 1) {
    measure::Series made;
    for (int i = 0; i < count; ++i) {
        const auto of = [&](Nanoseconds time) {
            return (time + time * (i - count / 2) / 1'000) * batch;
        };
        Sample sample;
        sample.phase = {of(times.encode), of(times.up), of(times.down), of(times.decode)};
        for (const Nanoseconds phase : sample.phase)
            sample.total += phase;
        sample.batch = batch;
        made.samples.push_back(sample);
    }
    return made;
}

inline Row row(const std::string& spec, const std::string& title, std::uint64_t size,
               const Times& times, int count = 101) {
    Row made;
    made.codec.spec = spec;
    made.codec.title = title;
    made.codec.reader = "reader of " + spec;
    made.codec.writer = "writer of " + spec;
    made.status = RowStatus::timed;
    made.size = size;
    made.warmup = series(count / 2, times);
    made.main = series(count, times);
    made.complete = true;
    return made;
}

inline Row xml_row() {
    return row("xml", "XML", 923'797, {.encode = 4 * k_ms, .decode = 12'340 * k_us});
}
inline Row gzxml_row() {
    return row("xml+gzip", "GZXML", 72'933, {.encode = 22'220 * k_us, .decode = 9'170 * k_us});
}
inline Row tinyxml_row() {
    Row made = row("xml:tinyxml2", "XML:TINYXML2", 923'800,
                   {.encode = 31'200 * k_us, .decode = 79'380 * k_us});
    made.codec.encoder_notes = {"from DOM"};
    made.codec.notes = {"no UTF-8 check"};
    return made;
}
inline Row not_representable_row() {
    Row made;
    made.codec = row("xml:pugixml", "XML:PUGIXML", 0, {}).codec;
    made.codec.encoder_notes = {"from DOM"};
    made.status = RowStatus::not_representable;
    made.why = "a default attribute of the internal subset";
    return made;
}
inline Row failed_row() {
    Row made;
    made.codec = row("bad", "BAD", 0, {}).codec;
    made.status = RowStatus::failed;
    made.why = "decode(encode(document)) differs at event 7";
    return made;
}

inline FileReport file(std::vector<Row> rows) {
    FileReport made;
    made.name = "test.xml";
    made.bytes = 937'005;
    made.rows = std::move(rows);
    return made;
}

inline Report report(std::vector<FileReport> files) {
    Report made;
    made.version = "0.1.0";
    made.command_line = "perfclient test.xml";
    made.decode_into = "parse";
    made.schedule.seed = 42;
    made.deflate_library = "zlib";
    made.clock_cost_ns = 40;
    made.files = std::move(files);
    return made;
}

inline std::string text_of(const Report& made) {
    std::ostringstream out;
    write_text(made, out);
    return out.str();
}
inline std::string tables_of(const Report& made) {
    std::ostringstream out;
    write_tables(made, out);
    return out.str();
}

}  // namespace perfrelay::client::samples
