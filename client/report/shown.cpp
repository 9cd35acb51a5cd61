#include "client/report/shown.h"

#include <algorithm>
#include <cmath>

#include "common/measure/compare.h"

namespace perfrelay::client {

const char* name(const Report& report, Quantity quantity) {
    switch (quantity) {
        case Quantity::encode: return report.stream ? "ENC+SEND" : "ENCODE";
        case Quantity::transmit: return report.stream ? "WAIT" : "TRANSMIT";
        case Quantity::decode: return report.stream ? "RECV+DEC" : "DECODE";
        case Quantity::total: break;
    }
    return "TOTAL";
}

const char* key_of(Quantity quantity) {
    switch (quantity) {
        case Quantity::encode: return "encode";
        case Quantity::transmit: return "transmit";
        case Quantity::decode: return "decode";
        case Quantity::total: break;
    }
    return "total";
}

std::vector<Quantity> quantities(const Report& report) {
    const bool network = !report.network.empty();
    std::vector<Quantity> shown;
    if (report.direction != Direction::decode) shown.push_back(Quantity::encode);
    if (network) shown.push_back(Quantity::transmit);
    if (report.direction != Direction::encode) shown.push_back(Quantity::decode);
    if (network) shown.push_back(Quantity::total);
    return shown;
}

std::vector<Quantity> row_quantities(const Report& report) {
    std::vector<Quantity> shown = quantities(report);
    // Of one phase alone the total says nothing new.
    if (shown.size() > 1 && shown.back() != Quantity::total) shown.push_back(Quantity::total);
    return shown;
}

namespace {

measure::Nanoseconds of_sample(const measure::Sample& sample, Quantity quantity) {
    switch (quantity) {
        case Quantity::encode: return sample.phase[k_encode];
        case Quantity::transmit: return sample.phase[k_up] + sample.phase[k_down];
        case Quantity::decode: return sample.phase[k_decode];
        case Quantity::total: break;
    }
    return sample.total;
}

}  // namespace

std::vector<double> values(const measure::Series& series, Quantity quantity) {
    std::vector<double> all;
    all.reserve(series.samples.size());
    for (const measure::Sample& sample : series.samples) {
        all.push_back(static_cast<double>(of_sample(sample, quantity)) / sample.batch);
    }
    return all;
}

measure::Summary summary(const measure::Series& series, Quantity quantity) {
    return measure::summarise_runs(series, values(series, quantity));
}

measure::Nanoseconds elapsed(const measure::Series& series, Quantity quantity) {
    measure::Nanoseconds sum = 0;
    for (const measure::Sample& sample : series.samples) {
        sum += of_sample(sample, quantity);
    }
    return sum;
}

std::vector<Mode> modes(const Report& report) {
    std::vector<Mode> all;
    for (const FileReport& file : report.files) {
        for (const Row& row : file.rows) {
            const auto same = [&](const Mode& mode) { return mode.spec == row.codec.spec; };
            if (std::none_of(all.begin(), all.end(), same)) {
                all.push_back({row.codec.spec, row.codec.title, &row.codec, row.group});
            }
        }
    }
    return all;
}

std::vector<std::string> notes(const Report& report, const CodecInfo& codec) {
    std::vector<std::string> all;
    if (report.direction != Direction::decode) all = codec.encoder_notes;
    all.insert(all.end(), codec.notes.begin(), codec.notes.end());
    return all;
}

bool several_groups(const Report& report) {
    const std::vector<Mode> all = modes(report);
    return std::any_of(all.begin(), all.end(),
                       [&](const Mode& mode) { return mode.group != all.front().group; });
}

bool comparable(RowGroup a, RowGroup b) {
    return (a == RowGroup::typed_values) == (b == RowGroup::typed_values);
}

const Row* find_row(const FileReport& file, const std::string& spec) {
    for (const Row& row : file.rows) {
        if (row.codec.spec == spec) return &row;
    }
    return nullptr;
}

bool has_times(const Row& row) {
    return row.status == RowStatus::timed && !row.main.samples.empty();
}

bool has_fixed_runs(const Report& report) {
    return report.schedule.main.time == 0 && report.schedule.main.runs != 0;
}

std::string remark(const Row& row) {
    switch (row.status) {
        case RowStatus::not_representable: return "not representable: " + row.why;
        case RowStatus::failed: return "FAILED: " + row.why;
        case RowStatus::unmeasured:
            return "not measured (" + (row.why.empty() ? "interrupted" : row.why) + ")";
        case RowStatus::timed: break;
    }
    if (row.main.samples.empty())
        return row.complete ? "no runs asked for" : "not measured (interrupted)";
    if (row.complete) return "";
    const std::size_t runs = row.main.runs();
    return "interrupted after " + std::to_string(runs) + (runs == 1 ? " run" : " runs");
}

bool phases_add_up(const measure::Series& series) {
    constexpr double k_tolerance = 0.02;
    std::vector<double> shares;
    shares.reserve(series.samples.size());
    for (const measure::Sample& sample : series.samples) {
        if (sample.total <= 0) continue;
        const measure::Nanoseconds sum = of_sample(sample, Quantity::encode) +
                                         of_sample(sample, Quantity::transmit) +
                                         of_sample(sample, Quantity::decode);
        shares.push_back(static_cast<double>(sum) / static_cast<double>(sample.total));
    }
    return shares.empty() || std::abs(measure::summarise(shares).median - 1) <= k_tolerance;
}

std::string too_few(const Row& row) {
    const std::size_t count = row.main.samples.size();
    if (!has_times(row) || summary(row.main, Quantity::total).has_interval) return "";
    const bool batched = row.main.samples.front().batch > 1;
    return std::to_string(count) + (batched ? " batch" : " run") +
           (count == 1 ? "" : (batched ? "es" : "s")) + ", " +
           std::to_string(measure::k_min_for_interval) + " needed";
}

}  // namespace perfrelay::client
