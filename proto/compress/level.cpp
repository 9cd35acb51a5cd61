#include "proto/compress/level.h"

#include <charconv>
#include <system_error>

namespace perfrelay::compress {

namespace {

std::optional<int> number(const std::string& text) {
    int value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
}

}  // namespace

std::optional<int> level_of(const SpecPart& part, const LevelRange& range, std::string& why) {
    const std::string takes = part.name + " takes a level from " + std::to_string(range.lowest) +
                              " to " + std::to_string(range.highest) + ", as in " + part.name +
                              ":" + std::to_string(range.usual);
    if (part.options.empty()) return range.usual;
    const SpecOption& option = part.options.front();
    const std::optional<int> level = option.value ? std::nullopt : number(option.key);
    if (!level) {
        why = part.name + ": option \"" + option.key + "\" is not in this build; " + takes;
        return std::nullopt;
    }
    if (part.options.size() > 1) {
        why = part.name + ": nothing is known after the level, \"" + part.options[1].key +
              "\" is not in this build; " + takes;
        return std::nullopt;
    }
    if (*level < range.lowest || *level > range.highest) {
        why = part.name + ": no level " + option.key + "; " + takes;
        return std::nullopt;
    }
    return level;
}

}  // namespace perfrelay::compress
