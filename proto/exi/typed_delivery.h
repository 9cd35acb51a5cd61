#pragma once
// Typed values into a TypedSink: `hand_over` gives one that was parsed (typed_value.h),
// TypedDelivery reads them out of a stream (EXI 7.1, 7.2). Both deliver the same of the same value.
//
// Nothing becomes text but what is one: strings, and numbers beyond 64 bits. Contract: as
// typed_items.h; after a failure of the reader nothing is delivered.
// Tested by tests/unit/proto/exi/typed_rows_test.cpp.

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "proto/exi/typed_items.h"
#include "proto/model/typed_sink.h"

namespace perfrelay::exi {

// Digits behind a point that are handed over as a number.
inline constexpr std::size_t k_most_part_digits = 18;

// The double nearest to mantissa * 10^exponent (EXI 7.1.4).
inline double double_of(std::int64_t mantissa, std::int32_t exponent) {
    if (exponent == Value::k_special)
        return mantissa == 1 ? HUGE_VAL : mantissa == -1 ? -HUGE_VAL : NAN;
    // Both factors are doubles, so that one rounding is all there is.
    constexpr std::int64_t k_exact = std::int64_t{1} << 53U;
    static constexpr double k_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    constexpr std::int32_t k_most = 22;
    if (mantissa > -k_exact && mantissa < k_exact && exponent >= -k_most && exponent <= k_most) {
        const auto whole = static_cast<double>(mantissa);
        return exponent < 0 ? whole / k_powers[-exponent] : whole * k_powers[exponent];
    }
    char text[40];
    char* at = std::to_chars(text, text + 24, mantissa).ptr;
    *at++ = 'e';
    at = std::to_chars(at, text + sizeof text, exponent).ptr;
    double value = 0;
    if (std::from_chars(text, at, value).ec == std::errc()) return value;
    // Out of range, above or below.
    return std::copysign(exponent < 0 ? 0.0 : HUGE_VAL, mantissa < 0 ? -1.0 : 1.0);
}

// Of the parts that its type has: the others of `value` may be those of the one before.
inline DateTime date_time_of(Representation type, const Value& value) {
    DateTime time;
    if (has_year(type)) time.year = value.year;
    if (has_month(type)) time.month = value.month;
    if (has_day(type)) time.day = value.day;
    if (has_time(type)) {
        time.hour = value.hour;
        time.minute = value.minute;
        time.second = value.second;
    }
    time.has_zone = value.has_zone;
    time.zone = value.has_zone ? value.zone : std::int16_t{0};
    return time;
}

// The digits behind a point as a number. False when they are too many.
inline bool part_of(std::string_view digits, std::uint64_t& part, std::uint8_t& count) {
    if (digits.size() > k_most_part_digits) return false;
    part = 0;
    count = static_cast<std::uint8_t>(digits.size());
    for (const char c : digits)
        part = part * 10 + static_cast<std::uint64_t>(c - '0');
    return true;
}

// A parsed value, not of a string or list, to `sink`. `arena`: for wide ones.
template <TypedSink S>
void hand_over_one(const Datatypes& datatypes, const Datatype& datatype, const Value& value,
                   Arena& arena, S& sink) {
    using R = Representation;
    const auto wide = [&] { sink.wide(text_of(datatypes, datatype, value, arena)); };
    switch (datatype.representation) {
        case R::boolean: return sink.boolean(value.number != 0);
        case R::boolean_pattern: return sink.boolean(value.number >= 2);
        case R::integer:
        case R::unsigned_integer:
            return value.digits.empty() ? sink.integer(value.negative, value.number) : wide();
        case R::n_bit: {
            const std::uint64_t bits = value.number + static_cast<std::uint64_t>(datatype.minimum);
            const bool negative = static_cast<std::int64_t>(bits) < 0;
            return sink.integer(negative, negative ? ~bits + 1 : bits);
        }
        case R::decimal: {
            Decimal decimal{.negative = value.negative, .whole = value.number};
            if (!value.digits.empty() || !part_of(value.fraction, decimal.part, decimal.digits))
                return wide();
            return sink.decimal(decimal);
        }
        case R::floating: return sink.floating(double_of(value.mantissa, value.exponent));
        case R::enumeration: return sink.item(static_cast<std::uint32_t>(value.number));
        case R::base64_binary:
        case R::hex_binary: return sink.octets(value.text);
        case R::string:
        case R::list:
        case R::foreign: return;
        default: {
            DateTime time = date_time_of(datatype.representation, value);
            if (!part_of(value.fraction, time.part, time.digits)) return wide();
            return sink.date_time(time);
        }
    }
}

// `value` as parse_value made it; `item` is for the items of lists.
template <TypedSink S>
void hand_over(const Datatypes& datatypes, const Datatype& datatype, const Value& value,
               Value& item, Arena& arena, S& sink) {
    if (datatype.representation == Representation::string) return sink.string(value.text);
    if (datatype.representation != Representation::list)
        return hand_over_one(datatypes, datatype, value, arena, sink);
    const Datatype& of = datatypes[datatype.other];
    sink.start_list();
    std::string_view text;
    for (std::size_t at = 0; next_item(value.text, at, text);) {
        if (parse_value(datatypes, of, text, item))
            hand_over(datatypes, of, item, item, arena, sink);
    }
    sink.end_list();
}

// Reads typed values and delivers them.
template <Packing packing>
class TypedDelivery {
  public:
    TypedDelivery(BitReader<packing>& reader, ItemReader<packing>& items, Arena& arena,
                  const Datatypes& datatypes)
        : reader_(reader), items_(items), arena_(arena), datatypes_(datatypes) {}

    // The bytes of text that were in it.
    template <TypedSink S>
    std::size_t attribute(LearnedTables& tables, std::uint32_t name, std::uint32_t type,
                          const QName* qname, S& sink) {
        sink.attribute_of(qname);
        const Datatype& datatype = datatypes_[type];
        switch (datatype.representation) {
            case Representation::string: {
                const std::string_view text = string(tables, name, datatype);
                if (!reader_.failed()) sink.string(text);
                return text.size();
            }
            case Representation::list:
                return list(tables, name, datatype, count_of(datatype), sink);
            case Representation::base64_binary:
            case Representation::hex_binary: {
                const std::string_view value = octets();
                if (!reader_.failed()) sink.octets(value);
                return value.size();
            }
            default: one(datatype, sink); return 0;
        }
    }

    // The same; what is empty is not delivered.
    template <TypedSink S>
    std::size_t content(LearnedTables& tables, std::uint32_t name, std::uint32_t type, S& sink) {
        const Datatype& datatype = datatypes_[type];
        switch (datatype.representation) {
            case Representation::string: {
                const std::string_view text = string(tables, name, datatype);
                if (reader_.failed() || text.empty()) return 0;
                sink.content();
                sink.string(text);
                return text.size();
            }
            case Representation::list: {
                const std::uint64_t count = count_of(datatype);
                if (reader_.failed() || count == 0) return 0;
                sink.content();
                return list(tables, name, datatype, count, sink);
            }
            case Representation::base64_binary:
            case Representation::hex_binary: {
                const std::string_view value = octets();
                if (reader_.failed() || value.empty()) return 0;
                sink.content();
                sink.octets(value);
                return value.size();
            }
            default:
                sink.content();
                one(datatype, sink);
                return 0;
        }
    }

  private:
    std::string_view string(LearnedTables& tables, std::uint32_t name, const Datatype& datatype) {
        return items_.value(tables, name,
                            datatype.set == 0 ? nullptr : &datatypes_.set(datatype.set));
    }

    // EXI 7.1.1. Room comes as the octets do, whatever their number claims.
    std::string_view octets() {
        const std::uint64_t size = reader_.unsigned_integer();
        octets_.clear();
        for (std::uint64_t i = 0; i < size && !reader_.failed(); ++i)
            octets_ += static_cast<char>(reader_.octet());
        return octets_;
    }

    // EXI 7.1.11
    std::uint64_t count_of(const Datatype& list) {
        const Datatype& item = datatypes_[list.other];
        const std::uint64_t count = reader_.unsigned_integer();
        if (item.representation == Representation::list)
            reader_.fail(Errc::malformed, "EXI 7.1.11: a list of lists");
        const bool empty = item.width == 0 && (item.representation == Representation::enumeration ||
                                               item.representation == Representation::n_bit);
        if (empty && count > k_most_empty_items)
            reader_.fail(Errc::limit_exceeded, "EXI 7.1.11: a list of more items than the limit");
        return count;
    }
    template <TypedSink S>
    std::size_t list(LearnedTables& tables, std::uint32_t name, const Datatype& datatype,
                     std::uint64_t count, S& sink) {
        const Datatype& item = datatypes_[datatype.other];
        std::size_t size = 0;
        sink.start_list();
        for (std::uint64_t i = 0; i < count && !reader_.failed(); ++i) {
            if (item.representation == Representation::string) {
                const std::string_view text = string(tables, name, item);
                if (!reader_.failed()) sink.string(text);
                size += text.size();
                if (!items_.fits(size)) break;
            } else if (item.representation == Representation::base64_binary ||
                       item.representation == Representation::hex_binary) {
                const std::string_view value = octets();
                if (!reader_.failed()) sink.octets(value);
            } else {
                one(item, sink);
            }
        }
        sink.end_list();
        return size;
    }

    // No string, list or octets.
    template <TypedSink S>
    void one(const Datatype& datatype, S& sink) {
        using R = Representation;
        if (datatype.representation == R::decimal) return decimal(datatype, sink);
        if (has_time(datatype.representation)) return time(datatype, sink);
        read_value(reader_, datatype, arena_, value_);
        if (!reader_.failed()) hand_over_one(datatypes_, datatype, value_, arena_, sink);
    }

    // EXI 7.1.3: the digits behind the point travel in reverse, as a number.
    template <TypedSink S>
    void decimal(const Datatype& datatype, S& sink) {
        Decimal& decimal = decimal_;
        decimal.negative = reader_.boolean();
        read_magnitude(reader_, arena_, decimal.whole, value_.digits);
        value_.fraction = {};
        const bool small = part(decimal.part, decimal.digits);
        if (reader_.failed()) return;
        if (small && value_.digits.empty()) return sink.decimal(decimal);
        if (small) value_.fraction = digits_of(decimal.part, decimal.digits);
        value_.negative = decimal.negative;
        value_.number = decimal.whole;
        sink.wide(text_of(datatypes_, datatype, value_, arena_));
    }

    template <TypedSink S>
    void time(const Datatype& datatype, S& sink) {
        std::uint64_t part_number = 0;
        std::uint8_t digits = 0;
        bool small = true;
        value_.fraction = {};
        read_date_time(reader_, datatype.representation, value_,
                       [&] { small = part(part_number, digits); });
        if (reader_.failed()) return;
        if (!small) return sink.wide(text_of(datatypes_, datatype, value_, arena_));
        DateTime time = date_time_of(datatype.representation, value_);
        time.part = part_number;
        time.digits = digits;
        sink.date_time(time);
    }

    // False: too many digits for a number; then they are value_.fraction.
    bool part(std::uint64_t& number, std::uint8_t& count) {
        std::uint64_t reversed = 0;
        std::string_view digits;
        read_magnitude(reader_, arena_, reversed, digits);
        number = 0;
        count = 0;
        // 10^18 and more has 19 digits.
        constexpr std::uint64_t k_least_wide = 1'000'000'000'000'000'000;
        if (digits.empty() && reversed < k_least_wide) {
            for (; reversed != 0; reversed /= 10) {
                number = number * 10 + reversed % 10;
                ++count;
            }
            return true;
        }
        char* const to = arena_.prepare(std::max<std::size_t>(digits.size(), 20));
        std::size_t size = digits.size();
        if (digits.empty()) {
            size = static_cast<std::size_t>(std::to_chars(to, to + 20, reversed).ptr - to);
            std::reverse(to, to + size);
        } else {
            std::reverse_copy(digits.begin(), digits.end(), to);
        }
        value_.fraction = arena_.commit(size);
        return false;
    }
    std::string_view digits_of(std::uint64_t number, std::size_t count) {
        char* const to = arena_.prepare(count);
        for (std::size_t i = count; i-- != 0; number /= 10)
            to[i] = static_cast<char>('0' + number % 10);
        return arena_.commit(count);
    }

    BitReader<packing>& reader_;
    ItemReader<packing>& items_;
    Arena& arena_;
    const Datatypes& datatypes_;
    Value value_;
    Decimal decimal_;
    std::string octets_;
};

}  // namespace perfrelay::exi
