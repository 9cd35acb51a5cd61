#include "relay/log.h"

#include <ctime>
#include <memory>
#include <string_view>
#include <utility>

#include <spdlog/formatter.h>

namespace perfrelay::relay {
namespace {

constexpr char k_members = '\x1e';  // begins a message that is members of an object already

std::string json_string(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            result += {'\\', c};
        } else if (byte < 0x20 || byte >= 0x7f) {
            result += fmt::format("\\u{:04x}", byte);
        } else {
            result += c;
        }
    }
    return result + '"';
}

class JsonLines final : public spdlog::formatter {
  public:
    void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
        using std::chrono::duration_cast;
        const auto since = message.time.time_since_epoch();
        const auto seconds = duration_cast<std::chrono::seconds>(since);
        const auto milliseconds = duration_cast<std::chrono::milliseconds>(since - seconds);
        const std::time_t whole = seconds.count();
        std::tm utc{};
        gmtime_r(&whole, &utc);
        const std::string_view text(message.payload.data(), message.payload.size());
        const std::string_view level(spdlog::level::to_string_view(message.level).data());
        const std::string line = fmt::format(
            "{{\"time\":\"{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z\",\"level\":\"{}\",{}}}\n",
            utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
            milliseconds.count(), level,
            text.starts_with(k_members) ? std::string(text.substr(1))
                                        : "\"message\":" + json_string(text));
        out.append(line.data(), line.data() + line.size());
    }
    std::unique_ptr<spdlog::formatter> clone() const override {
        return std::make_unique<JsonLines>();
    }
};

}  // namespace

Log::Log(spdlog::sink_ptr sink, Style style)
    : spdlog::logger("perfrelay", std::move(sink)), style_(style) {
    if (style_ == Style::json) {
        set_formatter(std::make_unique<JsonLines>());
    } else {
        set_pattern("%Y-%m-%d %H:%M:%S.%e %^%l%$ %v");
    }
}

void Log::session(const SessionRecord& record) {
    const Tally& tally = record.tally;
    const double seconds = static_cast<double>(record.lasted) / 1e9;
    if (style_ == Style::text) {
        info(
            "session {} from {}: protocol {}{}{}; echo {}, sink {}, put {}, source {}, ping {}; "
            "{} bytes in, {} bytes out; {:.1f} s; {}",
            record.id, record.peer, record.protocol, record.tls.empty() ? "" : ", " + record.tls,
            record.authenticated ? ", secret" : "", tally.echo, tally.sink, tally.put, tally.source,
            tally.ping, tally.bytes_in, tally.bytes_out, seconds, record.outcome);
        return;
    }
    info(
        "{}\"message\":\"session ended\",\"session\":{},\"peer\":{},\"protocol\":{},\"tls\":{},"
        "\"authenticated\":{},\"echo\":{},\"sink\":{},\"put\":{},\"source\":{},\"ping\":{},"
        "\"bytes_in\":{},\"bytes_out\":{},\"seconds\":{:.3f},\"outcome\":{}",
        k_members, record.id, json_string(record.peer), json_string(record.protocol),
        json_string(record.tls), record.authenticated, tally.echo, tally.sink, tally.put,
        tally.source, tally.ping, tally.bytes_in, tally.bytes_out, seconds,
        json_string(record.outcome));
}

}  // namespace perfrelay::relay
