#include "proto/exi/schema/character_set.h"

#include <algorithm>
#include <bitset>
#include <memory>

#include "proto/exi/bit_writer.h"

namespace perfrelay::exi {

namespace {

// EXI E. A pattern is walked over once; quantifiers, groups and branches add nothing.
class PatternWalk {
  public:
    // False: the set is not restricted.
    bool walk(std::string_view pattern) {
        text_ = pattern;
        at_ = 0;
        while (more()) {
            const std::uint32_t c = take();
            switch (c) {
                case '(':
                case ')':
                case '|':
                case '?':
                case '*':
                case '+': break;
                case '{':
                    while (more() && take() != '}') {
                    }
                    break;
                case '.': return false;
                case '[': {
                    const auto members = std::make_unique<Members>();
                    if (!class_of(*members, 0)) return false;
                    all_ |= *members;
                    break;
                }
                case '\\': {
                    if (!escape(all_)) return false;
                    break;
                }
                default:
                    if (!add(all_, c)) return false;
            }
        }
        return true;
    }

    std::optional<CharacterSet> set() const {
        const std::size_t count = all_.count();
        if (count >= 256) return std::nullopt;
        std::vector<std::uint16_t> characters;
        for (std::size_t i = 0; characters.size() < count; ++i) {
            if (all_[i]) characters.push_back(static_cast<std::uint16_t>(i));
        }
        return CharacterSet(std::move(characters));
    }

  private:
    using Members = std::bitset<0x10000>;
    static constexpr unsigned k_most_subtractions = 64;

    bool more() const { return at_ < text_.size(); }
    std::uint32_t take() { return next_code_point(text_, at_); }
    static bool add(Members& to, std::uint32_t c) {
        if (c > 0xFFFF) return false;
        to.set(c);
        return true;
    }

    // Behind a backslash. XML Schema part 2, F.1.1: of the classes only \s is small enough.
    bool escape(Members& to) {
        if (!more()) return false;
        const std::uint32_t c = take();
        switch (c) {
            case 'n': return add(to, '\n');
            case 'r': return add(to, '\r');
            case 't': return add(to, '\t');
            case 's':
                for (const char blank : {'\t', '\n', '\r', ' '})
                    to.set(static_cast<unsigned char>(blank));
                return true;
            case '\\':
            case '|':
            case '.':
            case '-':
            case '^':
            case '?':
            case '*':
            case '+':
            case '{':
            case '}':
            case '(':
            case ')':
            case '[':
            case ']': return add(to, c);
            default: return false;
        }
    }

    // Behind "[", to the "]" that closes it.
    bool class_of(Members& to, unsigned depth) {
        if (depth > k_most_subtractions) return false;
        if (more() && text_[at_] == '^') return false;  // more than 255 characters
        std::uint32_t last = 0;
        bool can_begin_range = false;
        for (bool first = true; more(); first = false) {
            const std::uint32_t c = take();
            if (c == ']') return true;
            if (c == '-' && more() && text_[at_] == '[') {
                ++at_;
                const auto without = std::make_unique<Members>();
                if (!class_of(*without, depth + 1)) return false;
                to &= ~*without;
                can_begin_range = false;
                continue;
            }
            if (c == '-' && can_begin_range && !first && more() && text_[at_] != ']') {
                std::uint32_t end = take();
                if (end == '\\') {
                    if (!one_escape(end)) return false;
                }
                if (end > 0xFFFF) return false;
                for (std::uint32_t i = last; i <= end; ++i)
                    to.set(i);
                can_begin_range = false;
                continue;
            }
            last = c;
            if (c == '\\') {
                const bool single = more() && text_[at_] != 's';
                const std::size_t start = at_;
                if (!escape(to)) return false;
                if (single) {
                    at_ = start;
                    (void)one_escape(last);
                }
                can_begin_range = single;
                continue;
            }
            if (!add(to, c)) return false;
            can_begin_range = true;
        }
        return false;
    }
    // The one character behind a backslash.
    bool one_escape(std::uint32_t& c) {
        if (!more()) return false;
        c = take();
        if (c == 'n') c = '\n';
        if (c == 'r') c = '\r';
        if (c == 't') c = '\t';
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    Members all_;
};

}  // namespace

CharacterSet::CharacterSet(std::vector<std::uint16_t> characters)
    : characters_(std::move(characters)), width_(width_of(characters_.size() + 1)) {
    ascii_.fill(static_cast<std::uint8_t>(characters_.size()));
    for (std::size_t i = 0; i < characters_.size(); ++i) {
        if (characters_[i] < 128) ascii_[characters_[i]] = static_cast<std::uint8_t>(i);
    }
}

std::size_t CharacterSet::find_other(std::uint32_t code_point) const {
    const auto at = std::lower_bound(characters_.begin(), characters_.end(), code_point);
    if (at == characters_.end() || *at != code_point) return size();
    return static_cast<std::size_t>(at - characters_.begin());
}

std::optional<CharacterSet> characters_of(std::span<const std::string> patterns) {
    const auto walk = std::make_unique<PatternWalk>();
    for (const std::string& pattern : patterns) {
        if (!walk->walk(pattern)) return std::nullopt;
    }
    return walk->set();
}

}  // namespace perfrelay::exi
