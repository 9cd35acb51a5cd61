#include "proto/exi/bit_reader.h"

#include <algorithm>

namespace perfrelay::exi {

template <Packing packing>
bool BitReader<packing>::fetch() {
    // What the register holds stays in the window: a run of characters, and the part of the stream
    // behind this one, go back to it.
    std::size_t held = 0;
    if constexpr (k_bits) held = (available_ - padding_ + 7) / 8;
    in_.next -= held;
    const Result<bool> more = in_.more();
    if (more) {
        in_.next += held;
        return *more;
    }
    if (!failed()) {
        error_ = more.error();
        failed_ = true;
    }
    return false;
}

// Fewer than eight bytes in the window: more of them, or one by one, or zeros.
template <Packing packing>
void BitReader<packing>::need_at_end() {
    // Bits below those that count are from a load that saw the same bytes.
    while (available_ < 32) {
        if (in_.next == in_.end && padding_ == 0 && in_.source != nullptr && fetch()) continue;
        if (in_.next != in_.end) {
            reg_ |= static_cast<std::uint64_t>(*in_.next++) << (56U - available_);
        } else {
            padding_ = std::min(padding_ + 8U, 64U);
        }
        available_ += 8;
    }
}

template <Packing packing>
bool BitReader<packing>::more() {
    if (fetch()) return true;
    fail(Errc::truncated, k_truncated);
    return false;
}

template <Packing packing>
std::uint64_t BitReader<packing>::unsigned_integer(std::uint8_t first) {
    std::uint64_t value = first & 0x7FU;
    std::uint8_t last = first;
    for (unsigned shift = 7; last >= 0x80; shift += 7) {
        last = octet();
        const std::uint64_t seven = last & 0x7FU;
        // EXI 7.1.6: any size is legal; a length, count or index of this size is not ours to hold.
        if (shift > 63 || (shift == 63 && seven > 1)) {
            fail(Errc::limit_exceeded, "EXI 7.1.6: an unsigned integer of more than 64 bits");
            return 0;
        }
        value |= seven << shift;
    }
    return value;
}

template <Packing packing>
std::string_view BitReader<packing>::long_text(std::string_view start, std::uint64_t count,
                                               Arena& arena) {
    // EXI 7.1.10: a character takes eight bits or more.
    if (in_.source == nullptr && count > in_.left() + 8) {
        fail(Errc::truncated, "EXI 7.1.10: a string longer than what is left of the stream");
        return {};
    }
    long_.clear();
    long_.append(start);
    while (count != 0 && !failed()) {
        const auto fits = static_cast<std::size_t>(std::min<std::uint64_t>(count, in_.left()));
        if (fits > k_slack) {
            const std::size_t run =
                ascii_run(reinterpret_cast<char*>(long_.prepare(fits + 8)), fits);
            long_.commit(run);
            count -= run;
            if (count == 0) break;
        }
        const std::uint64_t code_point = unsigned_integer();
        if (!is_character(code_point)) {
            fail(Errc::malformed, "EXI 7.1.10: a code point that is no character");
            return {};
        }
        long_.commit(put_utf8(reinterpret_cast<char*>(long_.prepare(4)),
                              static_cast<std::uint32_t>(code_point)));
        --count;
    }
    if (failed()) return {};
    return arena.copy(as_text(long_.view()));
}

template class BitReader<Packing::bits>;
template class BitReader<Packing::bytes>;

}  // namespace perfrelay::exi
