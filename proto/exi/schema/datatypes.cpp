#include "proto/exi/schema/datatypes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

#include "common/base/arena.h"
#include "proto/exi/bit_reader.h"
#include "proto/exi/date_time.h"
#include "proto/exi/names.h"
#include "proto/exi/typed_value.h"

namespace perfrelay::exi {

namespace {

using R = Representation;

struct Named {
    std::string_view name;
    R representation;
};
// Table 7-1: the names are those of XML Schema's types and, but for "float", of EXI's identifiers.
constexpr Named k_named[] = {{"anySimpleType", R::string},
                             {"string", R::string},
                             {"boolean", R::boolean},
                             {"decimal", R::decimal},
                             {"float", R::floating},
                             {"double", R::floating},
                             {"integer", R::integer},
                             {"base64Binary", R::base64_binary},
                             {"hexBinary", R::hex_binary},
                             {"dateTime", R::date_time},
                             {"time", R::time},
                             {"date", R::date},
                             {"gYearMonth", R::g_year_month},
                             {"gYear", R::g_year},
                             {"gMonthDay", R::g_month_day},
                             {"gDay", R::g_day},
                             {"gMonth", R::g_month}};

std::optional<R> named(std::string_view name) {
    for (const Named& one : k_named) {
        if (one.name == name) return one.representation;
    }
    return std::nullopt;
}

// Table 7-2
constexpr std::string_view k_blank = "\t\n\r ";
constexpr std::string_view k_digits = "0123456789";
constexpr std::string_view k_lower = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view k_upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

std::string lexical_characters(R representation) {
    std::string set(k_blank);
    switch (representation) {
        case R::string:
        case R::foreign: return {};
        case R::base64_binary:
            return set.append("+/=").append(k_digits).append(k_lower).append(k_upper);
        case R::hex_binary: return set.append(k_digits).append("ABCDEFabcdef");
        case R::boolean:
        case R::boolean_pattern: return set.append("01aeflrstu");
        case R::decimal: return set.append(k_digits).append("+-.");
        case R::floating: return set.append(k_digits).append("+-.EFINae");
        case R::integer:
        case R::unsigned_integer:
        case R::n_bit: return set.append(k_digits).append("+-");
        default: return set.append(k_digits).append("+-.:TZ");
    }
}

// Less, equal or greater than zero as a is than b; of any size.
int compare_integers(std::string_view a, std::string_view b) {
    const auto split = [](std::string_view text) {
        const bool negative = text[0] == '-';
        if (negative || text[0] == '+') text.remove_prefix(1);
        text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
        return std::pair(negative && !text.empty(), text);
    };
    const auto [a_negative, x] = split(a);
    const auto [b_negative, y] = split(b);
    if (a_negative != b_negative) return a_negative ? -1 : 1;
    const int order = x.size() != y.size() ? (x.size() < y.size() ? -1 : 1) : x.compare(y);
    return a_negative ? -order : order;
}

// A bound as a number, when it fits.
std::optional<std::int64_t> small_integer(std::string_view text) {
    if (!text.empty() && text[0] == '+') text.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

}  // namespace

class Datatypes::Maker {
  public:
    Maker(Datatypes& out, std::span<const SimpleType> types,
          const std::vector<DatatypeMapping>& map, bool lexical)
        : out_(out), types_(types), map_(map), lexical_(lexical) {}

    // Bases and items come before what refers to them only if the reader of the schema puts them
    // so; hence each type is made by walking its chain, not from the datatype of its base.
    void make() {
        out_.all_.resize(types_.size());
        for (std::uint32_t i = 0; i < types_.size(); ++i)
            out_.all_[i] = lexical_ ? lexical_of(i) : datatype_of(i);
    }

  private:
    template <class Visit>  // bool(const SimpleType&): whether to go on to the base
    void up(std::uint32_t type, Visit&& visit) const {
        for (; type != k_no_component; type = types_[type].base) {
            if (!visit(types_[type])) return;
        }
    }

    // EXI 7.4: the closest type that is mapped, or has a representation of its own.
    struct Found {
        R representation = R::string;
        const SimpleType* mapped = nullptr;
    };
    Found closest(std::uint32_t type) const {
        Found found;
        up(type, [&](const SimpleType& at) {
            if (const DatatypeMapping* mapping = mapping_of(at)) {
                found.mapped = &at;
                const ExpandedName& to = mapping->representation;
                const bool known = to.uri == k_exi_uri && to.local != "float" &&
                                   to.local != "anySimpleType" && named(to.local);
                found.representation = known ? *named(to.local) : R::foreign;
                return false;
            }
            if (at.variety == SimpleType::Variety::list) {
                // Directly derived by list, or from such a type.
                if (types_[at.base].variety == SimpleType::Variety::list) return true;
                found.representation = R::list;
                return false;
            }
            if (at.variety == SimpleType::Variety::union_of) {
                return types_[at.base].variety == SimpleType::Variety::union_of;
            }
            if (!at.built_in) return true;
            if (const auto own = named(at.name.local)) {
                found.representation = *own;
                return false;
            }
            return true;
        });
        return found;
    }
    const DatatypeMapping* mapping_of(const SimpleType& type) const {
        if (type.name.local.empty()) return nullptr;
        for (const DatatypeMapping& mapping : map_) {
            if (mapping.type == type.name) return &mapping;
        }
        return nullptr;
    }

    WhiteSpace white_space(std::uint32_t type) const {
        if (types_[type].variety == SimpleType::Variety::list) return WhiteSpace::collapse;
        WhiteSpace found = WhiteSpace::preserve;
        up(type, [&](const SimpleType& at) {
            if (!at.white_space) return true;
            found = *at.white_space;
            return false;
        });
        return found;
    }

    bool derives_from(std::uint32_t type, std::string_view built_in) const {
        bool does = false;
        up(type, [&](const SimpleType& at) {
            does = at.built_in && at.name.local == built_in;
            return !does;
        });
        return does;
    }

    Datatype datatype_of(std::uint32_t type) {
        const SimpleType& simple = types_[type];
        const Found found = closest(type);
        Datatype datatype;
        datatype.representation = found.representation;
        datatype.white_space = white_space(type);
        switch (found.representation) {
            case R::string: datatype.set = pattern_set(type); break;
            case R::boolean:
                if (has_pattern(type) && derives_from(type, "boolean"))
                    datatype.representation = R::boolean_pattern;
                break;
            case R::integer:
                if (derives_from(type, "integer")) bound(datatype, type);
                break;
            case R::list: datatype.other = simple.item; break;
            default: break;
        }
        enumerate(datatype, type, found.mapped);
        return datatype;
    }

    Datatype lexical_of(std::uint32_t type) {
        Datatype datatype;
        std::uint32_t of = type;
        while (closest(of).representation == R::list)
            of = types_[of].item;
        datatype.set = lexical_set(closest(of).representation);
        return datatype;
    }
    std::uint32_t lexical_set(R representation) {
        auto& known = lexical_sets_[static_cast<std::size_t>(representation)];
        if (known) return *known;
        std::string characters = lexical_characters(representation);
        std::sort(characters.begin(), characters.end());
        known =
            characters.empty() ? 0 : add_set(CharacterSet({characters.begin(), characters.end()}));
        return *known;
    }
    std::uint32_t add_set(CharacterSet set) {
        const auto same = [&](const CharacterSet& other) {
            if (other.size() != set.size()) return false;
            for (std::size_t i = 0; i < set.size(); ++i) {
                if (other[i] != set[i]) return false;
            }
            return true;
        };
        const auto known = std::find_if(out_.sets_.begin(), out_.sets_.end(), same);
        if (known != out_.sets_.end())
            return static_cast<std::uint32_t>(known - out_.sets_.begin()) + 1;
        out_.sets_.push_back(std::move(set));
        return static_cast<std::uint32_t>(out_.sets_.size());
    }

    // EXI 7.1.10.1
    std::uint32_t pattern_set(std::uint32_t type) {
        if (!derives_from(type, "string")) return 0;
        std::uint32_t set = 0;
        up(type, [&](const SimpleType& at) {
            if (at.built_in) return false;
            if (at.patterns.empty()) return true;
            // Of all types derived from it.
            const auto [known, fresh] = pattern_sets_.emplace(&at, 0);
            if (fresh) {
                if (auto found = characters_of(at.patterns))
                    known->second = add_set(std::move(*found));
            }
            set = known->second;
            return false;
        });
        return set;
    }
    bool has_pattern(std::uint32_t type) const {
        bool has = false;
        up(type, [&](const SimpleType& at) {
            has = !at.patterns.empty() && !at.built_in;
            return !has;
        });
        return has;
    }

    // EXI 7.1.5. The narrowest of all facets that the type and its ancestors have.
    void bound(Datatype& datatype, std::uint32_t type) const {
        std::string_view low;
        std::string_view high;
        std::int64_t low_offset = 0;
        std::int64_t high_offset = 0;
        up(type, [&](const SimpleType& at) {
            if (!at.min_inclusive.empty() &&
                (low.empty() || compare_integers(at.min_inclusive, low) > 0)) {
                low = at.min_inclusive;
                low_offset = 0;
            }
            if (!at.min_exclusive.empty() &&
                (low.empty() || compare_integers(at.min_exclusive, low) >= 0)) {
                low = at.min_exclusive;
                low_offset = 1;
            }
            if (!at.max_inclusive.empty() &&
                (high.empty() || compare_integers(at.max_inclusive, high) < 0)) {
                high = at.max_inclusive;
                high_offset = 0;
            }
            if (!at.max_exclusive.empty() &&
                (high.empty() || compare_integers(at.max_exclusive, high) <= 0)) {
                high = at.max_exclusive;
                high_offset = -1;
            }
            return true;
        });
        if (low.empty()) return;
        const std::optional<std::int64_t> least = small_integer(low);
        const std::optional<std::int64_t> most = small_integer(high);
        constexpr std::int64_t k_most_values = 4096;
        if (least && most) {
            // Neither end can overflow: they are compared before they are moved.
            const auto distance =
                static_cast<std::uint64_t>(*most) - static_cast<std::uint64_t>(*least);
            const auto values = static_cast<std::int64_t>(distance) + 1 + high_offset - low_offset;
            if (*most >= *least && distance < 2 * k_most_values && values > 0 &&
                values <= k_most_values) {
                datatype.representation = R::n_bit;
                datatype.minimum = *least + low_offset;
                datatype.count = static_cast<std::uint32_t>(values);
                datatype.width = static_cast<std::uint8_t>(width_of(datatype.count));
                return;
            }
        }
        const bool not_negative = least ? *least + low_offset >= 0 : low[0] != '-';
        if (not_negative) datatype.representation = R::unsigned_integer;
    }

    // EXI 7.2
    void enumerate(Datatype& datatype, std::uint32_t type, const SimpleType* mapped) {
        if (datatype.representation == R::list) return;
        bool excluded = false;
        const std::vector<std::string>* literals = nullptr;
        up(type, [&](const SimpleType& at) {
            excluded = excluded || at.variety == SimpleType::Variety::union_of ||
                       at.variety == SimpleType::Variety::list ||
                       (at.built_in && (at.name.local == "QName" || at.name.local == "NOTATION"));
            if (literals == nullptr && !at.enumeration.empty()) literals = &at.enumeration;
            return true;
        });
        if (excluded || literals == nullptr) return;
        // EXI 7.4: a map counts where it names a type that has enumerated values itself.
        if (mapped != nullptr) {
            bool has = false;
            up(static_cast<std::uint32_t>(mapped - types_.data()), [&](const SimpleType& at) {
                has = !at.enumeration.empty();
                return !has;
            });
            if (has) return;
            // Compared as values of what the type is without the map.
            const std::vector<DatatypeMapping> none;
            datatype = Maker(out_, types_, none, false).without_enumeration(type);
        }
        Enumeration& to = out_.enumerations_.emplace_back();
        to.base = datatype;
        to.items.reserve(literals->size());
        to.keys.reserve(literals->size());
        for (const std::string& literal : *literals) {
            const std::string_view text = normalised(literal, datatype.white_space, scratch_);
            // A literal that its own type cannot represent stays as it is.
            const bool has_value = parse_value(out_, datatype, text, value_);
            to.items.emplace_back(has_value ? text_of(out_, datatype, value_, arena_) : text);
            // Of a date and the same in UTC only the first moments are the same.
            if (has_value && has_time(datatype.representation))
                to_utc(datatype.representation, value_);
            to.keys.emplace_back(has_value ? text_of(out_, datatype, value_, arena_) : text);
            arena_.clear();
        }
        to.sorted.resize(to.items.size());
        for (std::uint32_t i = 0; i < to.sorted.size(); ++i)
            to.sorted[i] = i;
        std::stable_sort(to.sorted.begin(), to.sorted.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return to.keys[a] < to.keys[b]; });
        datatype.representation = R::enumeration;
        datatype.other = static_cast<std::uint32_t>(out_.enumerations_.size() - 1);
        datatype.count = static_cast<std::uint32_t>(to.items.size());
        datatype.width = static_cast<std::uint8_t>(width_of(to.items.size()));
    }
    Datatype without_enumeration(std::uint32_t type) {
        Datatype datatype;
        datatype.representation = closest(type).representation;
        datatype.white_space = white_space(type);
        return datatype;
    }

    Datatypes& out_;
    std::span<const SimpleType> types_;
    const std::vector<DatatypeMapping>& map_;
    bool lexical_;
    std::array<std::optional<std::uint32_t>, static_cast<std::size_t>(R::foreign) + 1>
        lexical_sets_;
    std::unordered_map<const SimpleType*, std::uint32_t> pattern_sets_;
    Value value_;
    std::string scratch_;
    Arena arena_;
};

bool sound_types(std::span<const SimpleType> types) {
    // More derivations or lists of lists than anybody means; a cycle has no end.
    constexpr std::size_t k_most_steps = 100;
    for (const SimpleType& type : types) {
        const SimpleType* at = &type;
        std::size_t steps = 0;
        for (; steps < k_most_steps && at->base != k_no_component; ++steps)
            at = &types[at->base];
        const SimpleType* item = &type;
        std::size_t lists = 0;
        for (; lists < 2 && item->variety == SimpleType::Variety::list; ++lists)
            item = &types[item->item];
        if (at->base != k_no_component || item->variety == SimpleType::Variety::list) return false;
    }
    return true;
}

Datatypes::Datatypes(std::span<const SimpleType> types, const std::vector<DatatypeMapping>& map,
                     bool lexical) {
    Maker(*this, types, map, lexical).make();
}

std::uint32_t Datatypes::find_item(const Enumeration& in, std::string_view key) {
    const auto at = std::lower_bound(
        in.sorted.begin(), in.sorted.end(), key,
        [&](std::uint32_t item, std::string_view wanted) { return in.keys[item] < wanted; });
    if (at == in.sorted.end() || in.keys[*at] != key) return k_no_component;
    return *at;
}

}  // namespace perfrelay::exi
