// write_csv: tidy data, a line a run.

#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "client/report/layout.h"
#include "client/report/report.h"
#include "client/report/shown.h"

namespace perfrelay::client {
namespace {

constexpr const char* k_header =
    "part,started,file,file_bytes,content,format,title,row_group,size,status,why,stage,run,"
    "documents,"
    "start_ns,encode_ns,up_ns,down_ns,decode_ns,total_ns\r\n";
constexpr std::size_t k_columns_of_a_run = 9;  // from stage on

// RFC 4180, section 2.
std::string quoted(const std::string& text) {
    std::string shown = printable(text);
    if (shown.find_first_of(",\"") == std::string::npos) return shown;
    std::string out = "\"";
    for (const char c : shown)
        out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
}

const char* word(RowStatus status) {
    switch (status) {
        case RowStatus::timed: return "timed";
        case RowStatus::not_representable: return "not representable";
        case RowStatus::failed: return "failed";
        case RowStatus::unmeasured: break;
    }
    return "not measured";
}

// A document's share, all digits.
std::string share(measure::Nanoseconds time, std::uint32_t documents) {
    if (time % documents == 0) return std::to_string(time / documents);
    std::array<char, 40> digits{};
    const auto [end, error] =
        std::to_chars(digits.data(), digits.data() + digits.size(),
                      static_cast<double>(time) / documents, std::chars_format::fixed, 3);
    return {digits.data(), end};
}

class Csv {
  public:
    Csv(const Report& report, std::ostream& out) : report_(report), out_(out) { put(k_header); }

    void file(const FileReport& file) {
        const Report& part = report_.parts.empty() ? report_ : report_.parts[file.part];
        const std::string start = std::to_string(file.part) + "," + quoted(part.started) + "," +
                                  quoted(file.name) + "," + std::to_string(file.bytes) + "," +
                                  quoted(file.content) + ",";
        if (!file.error.empty()) {
            put(start + ",,,,failed," + quoted(file.error) + nothing());
        }
        for (const Row& row : file.rows) {
            const std::string of_row =
                start + quoted(row.codec.spec) + "," + quoted(row.codec.title) + "," +
                std::string(group_name(row.group)) + "," + std::to_string(row.size) + "," +
                word(row.status) + "," + quoted(row.why);
            if (!has_times(row)) put(of_row + nothing());
            runs(of_row, "warmup", row.warmup);
            runs(of_row, "main", row.main);
            runs(of_row, "alone", row.alone);
        }
    }

  private:
    static std::string nothing() { return std::string(k_columns_of_a_run, ',') + "\r\n"; }

    void runs(const std::string& of_row, const char* stage, const measure::Series& series) {
        const bool network = !report_.network.empty();
        const bool encode = report_.direction != Direction::decode;
        const bool decode = report_.direction != Direction::encode;
        std::size_t number = 0;
        for (const measure::Sample& sample : series.samples) {
            std::string line = of_row + "," + stage + "," + std::to_string(number++) + "," +
                               std::to_string(sample.batch) + "," + std::to_string(sample.start);
            for (const auto& [measured, time] : {std::pair{encode, sample.phase[k_encode]},
                                                 {network, sample.phase[k_up]},
                                                 {network, sample.phase[k_down]},
                                                 {decode, sample.phase[k_decode]},
                                                 {true, sample.total}}) {
                line += ",";
                if (measured) line += share(time, sample.batch);
            }
            put(line + "\r\n");
        }
    }

    void put(const std::string& text) {
        out_.write(text.data(), static_cast<std::streamsize>(text.size()));
    }

    const Report& report_;
    std::ostream& out_;
};

}  // namespace

void write_csv(const Report& report, std::ostream& out) {
    Csv csv(report, out);
    for (const FileReport& file : report.files)
        csv.file(file);
}

}  // namespace perfrelay::client
