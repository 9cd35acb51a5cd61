#include "common/net/link.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "common/cli/spelling.h"
#include "common/cli/units.h"

namespace perfrelay::net {

namespace {

constexpr measure::Nanoseconds k_ms = 1'000'000;
constexpr const char* k_ours = "nominal, ours";
constexpr const char* k_webpagetest = "WebPageTest connectivity profiles";
constexpr const char* k_chrome = "Chrome DevTools throttling presets";

const std::vector<Link>& profiles() {
    static const std::vector<Link> all = [] {
        std::vector<Link> links;
        const auto add = [&](const char* name, std::uint64_t down, std::uint64_t up, int rtt_ms,
                             double loss, const char* source) {
            links.push_back({.name = name,
                             .down = down,
                             .up = up,
                             .rtt = rtt_ms * k_ms,
                             .loss = loss,
                             .source = source});
        };
        add("lora-sf12", 250, 250, 1000, 0, "LoRaWAN EU868 DR0; round trip nominal, ours");
        add("iridium-dialup", 2'400, 2'400, 1800, 0, k_ours);
        add("lora-sf7", 5'470, 5'470, 1000, 0, "LoRaWAN EU868 DR5; round trip nominal, ours");
        add("tactical-9600", 9'600, 9'600, 1000, 0.02, k_ours);
        add("tactical-16k", 16'000, 16'000, 1000, 0.02, k_ours);
        add("wpt-2g", 35'000, 32'000, 1300, 0, k_webpagetest);
        add("dial", 49'000, 30'000, 120, 0, k_webpagetest);
        add("gprs", 50'000, 20'000, 500, 0.02, "Firefox DevTools; loss tylertreat/comcast");
        add("vsat-64", 64'000, 64'000, 650, 0.005, k_ours);
        add("iridium-certus-100", 88'000, 88'000, 700, 0, k_ours);
        add("edge", 240'000, 200'000, 840, 0, k_webpagetest);
        add("slow-3g", 500'000, 500'000, 400, 0, k_chrome);
        add("iridium-certus-700", 704'000, 352'000, 700, 0, k_ours);
        add("3g-slow", 780'000, 330'000, 200, 0, k_webpagetest);
        add("dsl", 1'500'000, 384'000, 50, 0, k_webpagetest);
        add("3g", 1'600'000, 768'000, 300, 0, k_webpagetest);
        add("slow-4g", 1'600'000, 750'000, 150, 0, k_chrome);
        add("cable", 5'000'000, 1'000'000, 28, 0, k_webpagetest);
        add("fast-4g", 9'000'000, 1'500'000, 60, 0, k_chrome);
        add("geo", 10'000'000, 1'000'000, 600, 0.002, k_ours);
        add("eth10", 10'000'000, 10'000'000, 1, 0, k_ours);
        add("lte", 12'000'000, 12'000'000, 70, 0, k_webpagetest);
        add("fios", 20'000'000, 5'000'000, 4, 0, k_webpagetest);
        add("wifi", 30'000'000, 15'000'000, 4, 0.002, "Firefox DevTools; loss tylertreat/comcast");
        add("leo", 100'000'000, 10'000'000, 40, 0.005, k_ours);
        add("eth100", 100'000'000, 100'000'000, 1, 0, k_ours);
        add("eth1000", 1'000'000'000, 1'000'000'000, 0, 0, k_ours);
        links.back().rtt = 200'000;
        return links;
    }();
    return all;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view k_blank = " \t\r";
    const std::size_t from = text.find_first_not_of(k_blank);
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(k_blank) - from + 1);
}

// ", did you mean 'edge'?", or nothing.
std::string meant(std::string_view word, std::span<const Link> known) {
    constexpr std::size_t k_near = 2;
    const auto distance = [&](const Link& link) { return edit_distance(word, link.name); };
    const auto nearest = std::ranges::min_element(known, {}, distance);
    if (nearest == known.end() || distance(*nearest) > k_near) return "";
    return ", did you mean '" + nearest->name + "'?";
}

std::string in_quotes(std::string_view text) {
    return "'" + std::string(text) + "'";
}

// "2%" or "0.02", at most a half.
bool read_loss(std::string_view text, double& loss, std::string& why) {
    const bool percent = text.ends_with('%');
    const std::string_view number = percent ? text.substr(0, text.size() - 1) : text;
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value,
                                              std::chars_format::fixed);
    if (percent) value /= 100;
    const bool good =
        error == std::errc() && end == number.data() + number.size() && value >= 0 && value <= 0.5;
    if (good) loss = value;
    if (!good) why = in_quotes(text) + ": a share of packets, such as 1% or 0.01, at most 50%";
    return good;
}

bool read_delay(std::string_view text, measure::Nanoseconds& to, std::string& why) {
    constexpr measure::Nanoseconds k_longest = 60'000 * k_ms;
    const auto parsed = parse_duration(text, BareDuration::refused, why);
    if (!parsed) return false;
    if (*parsed > k_longest) {
        why = in_quotes(text) + ": at most 60s";
        return false;
    }
    to = *parsed;
    return true;
}

bool read_rate(std::string_view text, std::uint64_t& to, std::string& why) {
    constexpr std::uint64_t k_fastest = 100'000'000'000;
    const auto parsed = parse_rate(text, why);
    if (!parsed) return false;
    if (*parsed > k_fastest) {
        why = in_quotes(text) + ": at most 100G";
        return false;
    }
    to = *parsed;
    return true;
}

bool read_overhead(std::string_view text, std::uint32_t& to, std::string& why) {
    constexpr std::uint32_t k_most = 1000;
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = error == std::errc() && end == text.data() + text.size() && value <= k_most;
    if (good) to = value;
    if (!good) why = in_quotes(text) + ": bytes of headers a packet has, 0 to 1000";
    return good;
}

bool set(Link& link, std::string_view key, std::string_view value, std::string& why) {
    if (key == "down") return read_rate(value, link.down, why);
    if (key == "up") return read_rate(value, link.up, why);
    if (key == "rate") return read_rate(value, link.down, why) && read_rate(value, link.up, why);
    if (key == "rtt") return read_delay(value, link.rtt, why);
    if (key == "jitter") return read_delay(value, link.jitter, why);
    if (key == "loss") return read_loss(value, link.loss, why);
    if (key == "overhead") return read_overhead(value, link.overhead, why);
    why = in_quotes(key) +
          " is no property of a link: down, up, rate, rtt, jitter, loss, overhead, cold";
    return false;
}

}  // namespace

std::span<const Link> built_in_links() {
    return profiles();
}

std::optional<Link> parse_link(std::string_view text, std::span<const Link> known,
                               std::string& why) {
    Link link;
    link.name = trimmed(text);
    bool first = true;
    for (std::string_view rest = text; first || !rest.empty(); first = false) {
        const std::size_t comma = rest.find(',');
        const std::string_view part = trimmed(rest.substr(0, comma));
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
        const std::size_t equals = part.find('=');
        if (part == "cold") {
            link.cold = true;
        } else if (equals != std::string_view::npos) {
            if (!set(link, trimmed(part.substr(0, equals)), trimmed(part.substr(equals + 1)), why))
                return std::nullopt;
        } else if (const auto found = std::ranges::find(known, part, &Link::name);
                   first && found != known.end()) {
            const std::string name = link.name;
            link = *found;
            link.name = name;
        } else {
            why = in_quotes(part) + " is no link" + meant(part, known) +
                  "; --list-links shows them, or describe one: down=240k,up=200k,rtt=840ms";
            return std::nullopt;
        }
    }
    if (link.down == 0 || link.up == 0) {
        why = in_quotes(link.name) + ": a link needs a rate each way, such as down=240k,up=200k";
        return std::nullopt;
    }
    return link;
}

std::optional<std::vector<Link>> parse_link_file(std::string_view text, std::string& why) {
    std::vector<Link> links;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        line = trimmed(line.substr(0, line.find('#')));
        if (line.empty()) continue;
        const std::size_t equals = line.find('=');
        const std::string_view name = trimmed(line.substr(0, equals));
        const bool good_name = equals != std::string_view::npos && !name.empty() &&
                               name.find_first_of(", \t") == std::string_view::npos;
        std::string reason = "expected: name = down=240k,up=200k,rtt=840ms";
        std::optional<Link> link;
        if (good_name) link = parse_link(line.substr(equals + 1), profiles(), reason);
        if (!link) {
            why = "line " + std::to_string(number) + ": " + reason;
            return std::nullopt;
        }
        link->name = name;
        link->source = "a link file";
        links.push_back(std::move(*link));
    }
    return links;
}

std::string format_rate(std::uint64_t bits_per_second) {
    const char* unit = "";
    double value = static_cast<double>(bits_per_second);
    for (const char* larger : {"k", "M", "G"}) {
        if (value < 1000) break;
        value /= 1000;
        unit = larger;
    }
    std::string text = format_fixed(value, 3);
    while (text.ends_with('0'))
        text.pop_back();
    if (text.ends_with('.')) text.pop_back();
    return text + unit;
}

}  // namespace perfrelay::net
