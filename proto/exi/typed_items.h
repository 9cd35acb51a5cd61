#pragma once
// Typed values in a stream (EXI 7.1, 7.2): read_value and write_value, for whatever is no String
// and no List; TypedReader for all of them, as text.
//
// Contract: a value that the type's representation has but its own range has not (a month 13, an
// item that an enumeration lacks) fails the reader. Integers have at most k_most_octets.
// Tested by tests/unit/proto/exi/datatypes_test.cpp.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "proto/exi/big_integer.h"
#include "proto/exi/bit_writer.h"
#include "proto/exi/date_time.h"
#include "proto/exi/item_reader.h"
#include "proto/exi/typed_value.h"

namespace perfrelay::exi {

// Items of a list that take no bits: what they come to is bounded by nothing else.
inline constexpr std::uint64_t k_most_empty_items = 65'536;

// EXI 7.1.6, of any size.
template <Packing packing>
void read_magnitude(BitReader<packing>& reader, Arena& arena, std::uint64_t& number,
                    std::string_view& digits) {
    number = 0;
    digits = {};
    unsigned shift = 0;
    for (; shift < 63; shift += 7) {
        const std::uint8_t octet = reader.octet();
        number |= static_cast<std::uint64_t>(octet & 0x7FU) << shift;
        if (octet < 0x80) return;
    }
    const std::uint8_t tenth = reader.octet();
    if (tenth < 2) {
        number |= static_cast<std::uint64_t>(tenth) << 63U;
        return;
    }
    std::string groups;
    for (unsigned i = 0; i < 63; i += 7)
        groups += static_cast<char>(number >> i & 0x7FU);
    for (std::uint8_t octet = tenth;; octet = reader.octet()) {
        groups += static_cast<char>(octet & 0x7FU);
        if (octet < 0x80 || reader.failed()) break;
        if (groups.size() > k_most_octets) {
            reader.fail(Errc::limit_exceeded, "EXI 7.1.6: an integer longer than the limit");
            return;
        }
    }
    number = 0;
    digits = arena.copy(digits_of_groups(groups));
}

// The digits behind a point, in reverse (EXI 7.1.3).
template <Packing packing>
std::string_view read_fraction(BitReader<packing>& reader, Arena& arena) {
    std::uint64_t number = 0;
    std::string_view digits;
    read_magnitude(reader, arena, number, digits);
    if (number == 0 && digits.empty()) return {};
    char* const to = arena.prepare(std::max<std::size_t>(digits.size(), 20));
    if (digits.empty()) {
        const std::size_t size =
            static_cast<std::size_t>(std::to_chars(to, to + 20, number).ptr - to);
        std::reverse(to, to + size);
        return arena.commit(size);
    }
    std::reverse_copy(digits.begin(), digits.end(), to);
    return arena.commit(digits.size());
}

// But for the part of a second, which `read_part` reads where there is one.
template <Packing packing, class ReadPart>
void read_date_time(BitReader<packing>& reader, Representation type, Value& value,
                    ReadPart read_part) {
    const auto malformed = [&](const char* where) { reader.fail(Errc::malformed, where); };
    if (has_year(type)) {
        const bool negative = reader.boolean();
        const std::uint64_t offset = reader.unsigned_integer();
        constexpr std::uint64_t k_most = std::uint64_t{1} << 62U;
        if (offset > k_most) return malformed("EXI 7.1.8: a year beyond the limit");
        const auto years = static_cast<std::int64_t>(offset);
        value.year = 2000 + (negative ? -years - 1 : years);
    }
    if (has_month_day(type)) {
        const std::uint32_t both = reader.bits(9);
        value.month = static_cast<std::uint8_t>(both / 32);
        value.day = static_cast<std::uint8_t>(both % 32);
        if (has_month(type) && (value.month == 0 || value.month > 12))
            return malformed("EXI 7.1.8: no such month");
        if (has_day(type) && value.day == 0) return malformed("EXI 7.1.8: no such day");
    }
    if (has_time(type)) {
        const std::uint32_t all = reader.bits(17);
        value.second = static_cast<std::uint8_t>(all % 64);
        value.minute = static_cast<std::uint8_t>(all / 64 % 64);
        value.hour = static_cast<std::uint8_t>(all / 4096);
        if (value.second > 60 || value.minute > 59 || value.hour > 24)
            return malformed("EXI 7.1.8: no such time");
        if (reader.boolean()) read_part();
    }
    value.has_zone = reader.boolean();
    value.zone = 0;
    if (!value.has_zone) return;
    const int zone = static_cast<int>(reader.bits(11)) - 896;
    const int hours = zone / 64;
    const int minutes = zone % 64;
    if (zone > 14 * 64 + 59 || minutes > 59 || minutes < -59)
        return malformed("EXI 7.1.8: no such time zone");
    value.zone = static_cast<std::int16_t>(hours * 60 + minutes);
}

// Not for strings and lists. What the value looks at is in `arena` or its scratch.
template <Packing packing>
void read_value(BitReader<packing>& reader, const Datatype& datatype, Arena& arena, Value& value) {
    using R = Representation;
    switch (datatype.representation) {
        case R::boolean: value.number = reader.bits(1); break;
        case R::boolean_pattern: value.number = reader.bits(2); break;
        case R::decimal:
            value.negative = reader.boolean();
            read_magnitude(reader, arena, value.number, value.digits);
            value.fraction = read_fraction(reader, arena);
            break;
        case R::floating: {
            const auto integer = [&] {
                const bool negative = reader.boolean();
                const std::uint64_t bits = reader.unsigned_integer();
                if (bits > INT64_MAX)
                    reader.fail(Errc::malformed, "EXI 7.1.4: a mantissa of more than 64 bits");
                const auto number = static_cast<std::int64_t>(bits & INT64_MAX);
                return negative ? -number - 1 : number;
            };
            value.mantissa = integer();
            const std::int64_t exponent = integer();
            if (exponent < Value::k_special || exponent >= -Value::k_special)
                reader.fail(Errc::malformed, "EXI 7.1.4: an exponent out of range");
            value.exponent = static_cast<std::int32_t>(exponent);
            break;
        }
        case R::integer:
            value.negative = reader.boolean();
            read_magnitude(reader, arena, value.number, value.digits);
            if (value.negative) add_one(value, arena);
            break;
        case R::unsigned_integer:
            value.negative = false;
            read_magnitude(reader, arena, value.number, value.digits);
            break;
        case R::n_bit: value.number = reader.bits(datatype.width); break;
        case R::enumeration:
            value.number = reader.bits(datatype.width);
            if (value.number >= datatype.count) {
                value.number = 0;
                reader.fail(Errc::malformed, "EXI 7.2: no item with this number");
            }
            break;
        case R::base64_binary:
        case R::hex_binary: {
            const std::uint64_t size = reader.unsigned_integer();
            value.scratch.clear();
            for (std::uint64_t i = 0; i < size && !reader.failed(); ++i)
                value.scratch += static_cast<char>(reader.octet());
            value.text = value.scratch;
            break;
        }
        case R::string:
        case R::list:
        case R::foreign:
            reader.fail(Errc::unsupported, "EXI 7.4: a datatype representation that is not known");
            break;
        default:
            value.fraction = {};
            read_date_time(reader, datatype.representation, value,
                           [&] { value.fraction = read_fraction(reader, arena); });
            break;
    }
}

template <Packing packing>
void write_magnitude(BitWriter<packing>& writer, std::uint64_t number, std::string_view digits,
                     std::string& groups) {
    if (digits.empty()) return writer.unsigned_integer(number);
    groups_of_digits(digits, groups);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto group = static_cast<std::uint8_t>(groups[i]);
        writer.octet(i + 1 == groups.size() ? group : static_cast<std::uint8_t>(group | 0x80U));
    }
}

template <Packing packing>
void write_fraction(BitWriter<packing>& writer, std::string_view fraction, std::string& groups) {
    const std::string reversed(fraction.rbegin(), fraction.rend());
    const std::string_view digits = std::string_view(reversed).substr(
        std::min(reversed.find_first_not_of('0'), reversed.size()));
    std::uint64_t number = 0;
    if (digits.size() < 20) {
        (void)std::from_chars(digits.data(), digits.data() + digits.size(), number);
        return writer.unsigned_integer(number);
    }
    write_magnitude(writer, 0, digits, groups);
}

template <Packing packing>
void write_date_time(BitWriter<packing>& writer, Representation type, const Value& value,
                     std::string& groups) {
    if (has_year(type)) {
        const std::int64_t offset = value.year - 2000;
        writer.boolean(offset < 0);
        writer.unsigned_integer(static_cast<std::uint64_t>(offset < 0 ? -(offset + 1) : offset));
    }
    if (has_month_day(type)) writer.bits(9, value.month * 32U + value.day);
    if (has_time(type)) {
        writer.bits(17, (value.hour * 64U + value.minute) * 64U + value.second);
        writer.boolean(!value.fraction.empty());
        if (!value.fraction.empty()) write_fraction(writer, value.fraction, groups);
    }
    writer.boolean(value.has_zone);
    if (value.has_zone)
        writer.bits(11, static_cast<std::uint32_t>(value.zone / 60 * 64 + value.zone % 60 + 896));
}

// Not for strings and lists. `groups` is scratch memory.
template <Packing packing>
void write_typed(BitWriter<packing>& writer, const Datatype& datatype, const Value& value,
                 std::string& groups) {
    using R = Representation;
    const auto integer = [&](std::int64_t number) {
        writer.boolean(number < 0);
        writer.unsigned_integer(static_cast<std::uint64_t>(number < 0 ? -(number + 1) : number));
    };
    switch (datatype.representation) {
        case R::boolean: writer.bits(1, static_cast<std::uint32_t>(value.number)); break;
        case R::boolean_pattern: writer.bits(2, static_cast<std::uint32_t>(value.number)); break;
        case R::decimal:
            writer.boolean(value.negative);
            write_magnitude(writer, value.number, value.digits, groups);
            write_fraction(writer, value.fraction, groups);
            break;
        case R::floating:
            integer(value.mantissa);
            integer(value.exponent);
            break;
        case R::integer:
            writer.boolean(value.negative);
            if (value.negative && !value.digits.empty()) {
                write_magnitude(writer, 0, one_less(value.digits), groups);
            } else {
                write_magnitude(writer, value.number - (value.negative ? 1 : 0), value.digits,
                                groups);
            }
            break;
        case R::unsigned_integer:
            write_magnitude(writer, value.number, value.digits, groups);
            break;
        case R::n_bit:
        case R::enumeration:
            writer.bits(datatype.width, static_cast<std::uint32_t>(value.number));
            break;
        case R::base64_binary:
        case R::hex_binary:
            writer.unsigned_integer(value.text.size());
            for (const char c : value.text)
                writer.octet(static_cast<std::uint8_t>(c));
            break;
        case R::string:
        case R::list:
        case R::foreign: break;
        default: write_date_time(writer, datatype.representation, value, groups); break;
    }
}

// Any typed value as text.
template <Packing packing>
class TypedReader {
  public:
    TypedReader(BitReader<packing>& reader, ItemReader<packing>& items, Arena& arena,
                const Datatypes& datatypes)
        : reader_(reader), items_(items), arena_(arena), datatypes_(datatypes) {}

    // In the partition of `name`, where it is a String.
    std::string_view text(LearnedTables& tables, std::uint32_t name, std::uint32_t type) {
        return text(tables, name, datatypes_[type]);
    }

  private:
    std::string_view text(LearnedTables& tables, std::uint32_t name, const Datatype& datatype) {
        if (datatype.representation == Representation::string) {
            return items_.value(tables, name,
                                datatype.set == 0 ? nullptr : &datatypes_.set(datatype.set));
        }
        if (datatype.representation == Representation::list) return list(tables, name, datatype);
        if (datatype.representation == Representation::enumeration) {
            const std::uint32_t item = reader_.bits(datatype.width);
            if (item < datatype.count) [[likely]]
                return datatypes_.enumeration(datatype).items[item];
            reader_.fail(Errc::malformed, "EXI 7.2: no item with this number");
            return {};
        }
        read_value(reader_, datatype, arena_, value_);
        return reader_.failed() ? std::string_view()
                                : text_of(datatypes_, datatype, value_, arena_);
    }
    // EXI 7.1.11. An item is no list.
    std::string_view list(LearnedTables& tables, std::uint32_t name, const Datatype& datatype) {
        const Datatype& item = datatypes_[datatype.other];
        const std::uint64_t count = reader_.unsigned_integer();
        std::string all;
        if (item.representation == Representation::list) {
            reader_.fail(Errc::malformed, "EXI 7.1.11: a list of lists");
            return {};
        }
        const bool empty = item.width == 0 && (item.representation == Representation::enumeration ||
                                               item.representation == Representation::n_bit);
        if (empty && count > k_most_empty_items) {
            reader_.fail(Errc::limit_exceeded, "EXI 7.1.11: a list of more items than the limit");
            return {};
        }
        for (std::uint64_t i = 0; i < count && !reader_.failed(); ++i) {
            if (i != 0) all += ' ';
            all += text(tables, name, item);
            if (!items_.fits(all.size())) return {};
        }
        return arena_.copy(all);
    }

    BitReader<packing>& reader_;
    ItemReader<packing>& items_;
    Arena& arena_;
    const Datatypes& datatypes_;
    Value value_;
};

}  // namespace perfrelay::exi
