#pragma once
// TypedSink: a sink that takes values as what a schema says they are, and not as text.
//
// Between start_element and what follows, an attribute is `attribute_of` and a value, or, where its
// value is of no type, `attribute` with its text. An element's own value is `content` and a value;
// text of no type is `characters`. A list is `start_list`, a value an item, `end_list`. Attributes
// of an element come in any order. Declarations, comments and the like may be left out.
// Contract: as XmlSink; numbers beyond 64 bits, and decimals of more than 18 digits behind the
// point, are `wide`, as their canonical text; content without any text is not delivered.
//
// TypedDigestSink is what typed decoding is timed into. It counts every event and touches every
// name and every value. Whitespace of no type says nothing, and is passed over.
// Tested by tests/unit/proto/exi/typed_rows_test.cpp.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "proto/model/digest_sink.h"
#include "proto/model/xml_sink.h"

namespace perfrelay {

// whole + part / 10^digits, the sign apart; `part` does not end in a nought.
struct Decimal {
    bool negative = false;
    std::uint8_t digits = 0;
    std::uint64_t whole = 0;
    std::uint64_t part = 0;
};

// What a type does not have is 0: a time has no year, a year no month.
struct DateTime {
    std::int64_t year = 0;
    std::uint8_t month = 0, day = 0, hour = 0, minute = 0, second = 0;
    std::uint8_t digits = 0;  // of the second's part
    std::uint64_t part = 0;   // 10^-digits of a second
    bool has_zone = false;
    std::int16_t zone = 0;  // minutes east of UTC
};

template <class S>
concept TypedSink = XmlSink<S> && requires(S& sink, const QName* name, std::string_view text,
                                           const Decimal& decimal, const DateTime& time) {
    sink.attribute_of(name);
    sink.content();
    sink.boolean(true);
    sink.integer(true, std::uint64_t{});  // negative, magnitude
    sink.decimal(decimal);
    sink.floating(0.5);
    sink.date_time(time);
    sink.octets(text);
    sink.item(std::uint32_t{});  // of an enumeration: its place
    sink.string(text);
    sink.wide(text);
    sink.start_list();
    sink.end_list();
    sink.type(text, text);  // of xsi:type: uri, local name
};

class TypedDigestSink {
  public:
    void start_document() { *this = TypedDigestSink(); }
    void doctype(const Doctype&) {}
    void namespace_declaration(std::string_view, std::string_view) {}
    void comment(std::string_view) {}
    void processing_instruction(std::string_view, std::string_view) {}
    void entity_reference(std::string_view) {}

    void start_element(const QName* name) { event(2 + expanded(*name)); }
    void end_element(const QName* name) { event(9 + expanded(*name)); }
    void end_document() { event(10); }

    void attribute_of(const QName* name) {
        ++digest_.events;
        place_ = expanded(*name) | 1U;
    }
    void content() { event(5); }
    void attribute(const QName* name, std::string_view text) {
        attribute_of(name);
        string(text);
    }
    void characters(std::string_view text) {
        if (text.find_first_not_of(" \t\n\r") == std::string_view::npos) return;
        content();
        string(text);
    }
    void type(std::string_view uri, std::string_view local) {
        string(uri);
        string(local);
    }

    void boolean(bool value) { add(11, value ? 1 : 0); }
    void integer(bool negative, std::uint64_t magnitude) { add(negative ? 13 : 12, magnitude); }
    void decimal(const Decimal& value) {
        add(value.negative ? 15 : 14, value.whole);
        add(value.digits, value.part);
    }
    // Every NaN is one.
    void floating(double value) {
        add(16, value == value ? std::bit_cast<std::uint64_t>(value) : ~std::uint64_t{0});
    }
    void date_time(const DateTime& value) {
        add(17, static_cast<std::uint64_t>(value.year));
        add(18, std::uint64_t{value.month} << 32U | std::uint64_t{value.day} << 24U |
                    std::uint64_t{value.hour} << 16U | std::uint64_t{value.minute} << 8U |
                    value.second);
        add(value.digits, value.part);
        add(19, value.has_zone ? static_cast<std::uint64_t>(value.zone) + 1'000'000 : 0);
    }
    void item(std::uint32_t place) { add(20, place); }
    void octets(std::string_view value) { bytes(21, value); }
    void string(std::string_view value) { bytes(22, value); }
    void wide(std::string_view value) { bytes(23, value); }
    void start_list() { place_ = std::rotl(place_, 3); }
    void end_list() { add(24, 0); }

    const Digest& digest() const { return digest_; }

  private:
    // Of a name without its prefix, which EXI does not keep: its length and both its ends. (A
    // QName's own hash has the prefix in it.)
    static std::uint64_t expanded(const QName& name) {
        const std::size_t size = name.local.size();
        const char* const text = name.local.data();
        std::uint64_t first = 0;
        std::uint64_t last = 0;
        if (size >= 8) {
            std::memcpy(&first, text, 8);
            std::memcpy(&last, text + size - 8, 8);
        } else if (size >= 4) {
            std::memcpy(&first, text, 4);
            std::memcpy(&last, text + size - 4, 4);
        } else if (size != 0) {
            first = static_cast<unsigned char>(text[0]);
            last = static_cast<std::uint64_t>(static_cast<unsigned char>(text[size / 2])) << 8U |
                   static_cast<unsigned char>(text[size - 1]);
        }
        const std::uint64_t mixed = (first * 0x9E3779B97F4A7C15U) ^ (last * 0xC2B2AE3D27D4EB4FU);
        return mixed + (mixed >> 32U) + size + name.uri.size() * 0x165667B19E3779F9U;
    }

    // Events in order; what an element's attributes are is summed, and so in none.
    void event(std::uint64_t what) {
        digest_.value = std::rotl(digest_.value + sum_, 7) * 0x9E3779B97F4A7C15U + what;
        ++digest_.events;
        sum_ = 0;
        place_ = 1;
    }
    // A value of several parts, and a list, have each in a place of its own.
    void add(std::uint64_t kind, std::uint64_t value) {
        sum_ += (value + kind * 0x632BE59BD9B4E019U) * place_;
        place_ = std::rotl(place_, 5) + 2;
    }
    void bytes(std::uint64_t kind, std::string_view value) {
        std::uint64_t sum = 0;
        for (const char c : value)
            sum += static_cast<unsigned char>(c);
        add(kind, sum + value.size());
        digest_.text_bytes += value.size();
    }

    Digest digest_;
    std::uint64_t sum_ = 0;
    std::uint64_t place_ = 1;
};
static_assert(TypedSink<TypedDigestSink>);

}  // namespace perfrelay
