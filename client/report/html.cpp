// write_html: page/page.html with everything it needs put into it: one file that asks nothing of
// anybody. Its Content-Security-Policy allows the two scripts and the style that are in it, by
// their hashes, and nothing else.

#include <string>
#include <utility>

#include "client/report/page/parts.h"
#include "client/report/report.h"
#include "client/report/saved_report.h"

namespace perfrelay::client {
namespace {

// Runs of a row that are drawn: more are no picture, but a heavy page.
constexpr std::size_t k_most_runs = 1000;

// 'sha256-...' as a policy has it (CSP Level 3, 2.3.1): base64 of what is given in hexadecimal.
std::string policy_hash(std::string_view hexadecimal) {
    constexpr std::string_view k_hex = "0123456789abcdef";
    constexpr std::string_view k_base64 =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text = "'sha256-";
    unsigned bits = 0;
    unsigned count = 0;
    for (const char digit : hexadecimal) {
        bits = bits << 4U | static_cast<unsigned>(k_hex.find(digit));
        count += 4;
        if (count < 6) continue;
        count -= 6;
        text += k_base64[bits >> count & 63U];
    }
    // 256 bits leave 4: one more letter and one "=".
    text += k_base64[bits << (6 - count) & 63U];
    return text + "='";
}

}  // namespace

void write_html(const Report& report, std::ostream& out) {
    const std::string json = thinned_json(report, k_most_runs);
    const std::string chart_hash = policy_hash(page::k_chart.sha256);
    const std::string script_hash = policy_hash(page::k_js.sha256);
    const std::string style_hash = policy_hash(page::k_css.sha256);
    const std::pair<std::string_view, std::string_view> places[] = {
        {"CHART_HASH", chart_hash},
        {"SCRIPT_HASH", script_hash},
        {"STYLE_HASH", style_hash},
        {"STYLE", page::k_css.content},
        {"REPORT", json},
        {"CHART", page::k_chart.content},
        {"SCRIPT", page::k_js.content}};
    const auto put = [&](std::string_view text) {
        out.write(text.data(), static_cast<std::streamsize>(text.size()));
    };
    // "text @NAME@ text @NAME@ text", the names in the order above.
    std::string_view rest = page::k_html.content;
    for (const auto& [name, content] : places) {
        const std::string place = "@" + std::string(name) + "@";
        const std::size_t at = rest.find(place);
        put(rest.substr(0, at));
        put(content);
        rest.remove_prefix(at + place.size());
    }
    put(rest);
}

}  // namespace perfrelay::client
