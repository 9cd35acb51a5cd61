#include "proto/model/neutral_values.h"

#include <charconv>

#include "proto/model/wide_text.h"

namespace perfrelay {

using graph::Node;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

// The unit of an escape \uXXXX at `at`, or -1.
int unit_at(std::string_view json, std::size_t at) {
    if (json.size() - at < 6 || json[at] != '\\' || json[at + 1] != 'u') return -1;
    int unit = 0;
    const char* const first = json.data() + at + 2;
    const auto [end, error] = std::from_chars(first, first + 4, unit, 16);
    return error == std::errc() && end == first + 4 ? unit : -1;
}

}  // namespace

std::string without_lone_surrogates(std::string_view json) {
    std::string out;
    out.reserve(json.size());
    for (std::size_t at = 0; at < json.size();) {
        if (json[at] != '\\') {
            out += json[at++];
            continue;
        }
        const int unit = unit_at(json, at);
        if (unit < 0 || !is_surrogate(static_cast<std::uint32_t>(unit))) {
            out += json.substr(at, 2);
            at += 2;
            continue;
        }
        const int low = unit < 0xDC00 ? unit_at(json, at + 6 < json.size() ? at + 6 : at) : -1;
        if (low >= 0xDC00 && low <= 0xDFFF) {
            out += json.substr(at, 12);
            at += 12;
            continue;
        }
        const auto bits = static_cast<unsigned>(unit);
        out += static_cast<char>(0xE0U | (bits >> 12U));
        out += static_cast<char>(0x80U | ((bits >> 6U) & 0x3FU));
        out += static_cast<char>(0x80U | (bits & 0x3FU));
        at += 6;
    }
    return out;
}

const NeutralValues::Json* NeutralValues::member(const Json& json, const char* name) {
    const auto found = json.FindMember(name);
    return found == json.MemberEnd() ? nullptr : &found->value;
}

const NeutralValues::Json* NeutralValues::array(const Json& json, const char* name) {
    const Json* found = member(json, name);
    if (found != nullptr && found->IsArray()) return found;
    fail("neutral JSON: an array is missing (items, fields, entries, assoc, dense, levels)");
    return nullptr;
}

bool NeutralValues::flag(const Json& json, const char* name, bool& to) {
    const Json* found = member(json, name);
    if (found == nullptr || !found->IsBool()) return fail("neutral JSON: true or false missing");
    to = found->GetBool();
    return true;
}

const Text* NeutralValues::text(const Json* json) {
    if (json == nullptr || !json->IsString()) {
        fail("neutral JSON: a text is missing");
        return nullptr;
    }
    scratch_.clear();
    if (!append_wide_text(view(*json), NulForm::one_byte, scratch_)) {
        fail("neutral JSON: a text is not UTF-8");
        return nullptr;
    }
    return graph_.intern(scratch_);
}

bool NeutralValues::integer(const Json* json, std::int64_t least, std::int64_t most,
                            std::int64_t& to) {
    if (json == nullptr || !json->IsInt64() || json->GetInt64() < least ||
        json->GetInt64() > most) {
        return fail("neutral JSON: a number is missing or out of range");
    }
    to = json->GetInt64();
    return true;
}

bool NeutralValues::bits(const Json& json, unsigned digits, Value& to, ValueKind kind) {
    const Json* const found = member(json, "bits");
    if (found == nullptr || !found->IsString()) return fail("neutral JSON: bits missing");
    const std::string_view hex = view(*found);
    std::uint64_t read = 0;
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), read, 16);
    if (error != std::errc() || end != hex.data() + hex.size() || hex.size() != digits) {
        return fail("neutral JSON: bits are hexadecimal digits, 8 or 16");
    }
    to = kind == ValueKind::float32 ? Value::float32_bits(static_cast<std::uint32_t>(read))
                                    : Value::float64_bits(read);
    return true;
}

bool NeutralValues::scalar(ValueKind kind, const Json& json, Value& to) {
    const Json* const v = member(json, "v");
    std::int64_t number = 0;
    switch (kind) {
        case ValueKind::undefined: to = Value::undefined(); return true;
        case ValueKind::null: to = Value::null(); return true;
        case ValueKind::boolean: {
            bool truth = false;
            if (!flag(json, "v", truth)) return false;
            to = Value::boolean(truth);
            return true;
        }
        case ValueKind::int8:
            if (!integer(v, INT8_MIN, INT8_MAX, number)) return false;
            to = Value::int8(static_cast<std::int8_t>(number));
            return true;
        case ValueKind::int16:
            if (!integer(v, INT16_MIN, INT16_MAX, number)) return false;
            to = Value::int16(static_cast<std::int16_t>(number));
            return true;
        case ValueKind::int32:
            if (!integer(v, INT32_MIN, INT32_MAX, number)) return false;
            to = Value::int32(static_cast<std::int32_t>(number));
            return true;
        case ValueKind::char16:
            if (!integer(v, 0, UINT16_MAX, number)) return false;
            to = Value::char16(static_cast<std::uint16_t>(number));
            return true;
        case ValueKind::int64:
            if (!whole(v, number)) return fail("neutral JSON: a long is digits in quotes");
            to = Value::int64(number);
            return true;
        case ValueKind::float32: return bits(json, 8, to, kind);
        case ValueKind::float64: return bits(json, 16, to, kind);
        default: break;
    }
    const Text* const read = text(v);
    if (read == nullptr) return false;
    to = Value::of(read);
    return true;
}

bool NeutralValues::whole(const Json* json, std::int64_t& to) {
    if (json == nullptr || !json->IsString()) return false;
    const std::string_view digits = view(*json);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), to);
    return error == std::errc() && end == digits.data() + digits.size();
}

bool NeutralValues::date(const Json* ms, Node& made) {
    std::int64_t millis = 0;
    if (whole(ms, millis)) {
        made.millis = millis;
        return true;
    }
    if (ms == nullptr || !ms->IsString()) return fail("neutral JSON: ms missing");
    const std::string_view digits = view(*ms);
    double read = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), read);
    if (error != std::errc() || end != digits.data() + digits.size()) {
        return fail("neutral JSON: ms is a number in quotes");
    }
    made.set_date(read);
    return true;
}

bool NeutralValues::hex(const Json* json, Node& made) {
    if (json == nullptr || !json->IsString() || json->GetStringLength() % 2 != 0) {
        return fail("neutral JSON: hex missing, or an odd number of digits");
    }
    const std::string_view digits = view(*json);
    auto* const bytes = graph_.array<std::uint8_t>(digits.size() / 2);
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        const auto [end, error] =
            std::from_chars(digits.data() + i, digits.data() + i + 2, bytes[i / 2], 16);
        if (error != std::errc() || end != digits.data() + i + 2) {
            return fail("neutral JSON: not a hexadecimal digit");
        }
    }
    made.data = bytes;
    made.count = static_cast<std::uint32_t>(digits.size() / 2);
    return true;
}

}  // namespace perfrelay
