#pragma once
// BitReader: the items of a stream, packed in bits or aligned to bytes (EXI 6.2, 7.1).
//
// The two are one interface, so that a decoder is written once and compiled for each.
// Bits: a register of 64, refilled by one unaligned load while eight bytes are left in the window,
// byte by byte at its end. Reading past the end of the input gives zeros and the reader stays
// failed: decoders look once an event. Texts are copied out in runs of eight ASCII characters.
// Contract: nothing is allocated for a length before its bytes are there.
// Tested by tests/unit/proto/exi/bits_test.cpp.

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "common/base/arena.h"
#include "common/base/bytes.h"
#include "common/base/result.h"
#include "proto/exi/input.h"

namespace perfrelay::exi {

enum class Packing : std::uint8_t { bits, bytes };

// ceil(log2(count)): bits that tell `count` values apart, none for one (EXI 6.2).
inline unsigned width_of(std::uint64_t count) {
    return count < 2 ? 0U : static_cast<unsigned>(std::bit_width(count - 1));
}

inline std::uint64_t load_big_endian(const std::uint8_t* from) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, 8);
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    return word;
}
inline void store_big_endian(char* to, std::uint64_t word) {
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    std::memcpy(to, &word, 8);
}

// UTF-8 of a code point; the caller has room for four bytes. Its size.
inline std::size_t put_utf8(char* to, std::uint32_t code_point) {
    const auto tail = [](std::uint32_t bits) { return static_cast<char>(0x80U | (bits & 0x3FU)); };
    if (code_point < 0x80) {
        to[0] = static_cast<char>(code_point);
        return 1;
    }
    if (code_point < 0x800) {
        to[0] = static_cast<char>(0xC0U | (code_point >> 6U));
        to[1] = tail(code_point);
        return 2;
    }
    if (code_point < 0x10000) {
        to[0] = static_cast<char>(0xE0U | (code_point >> 12U));
        to[1] = tail(code_point >> 6U);
        to[2] = tail(code_point);
        return 3;
    }
    to[0] = static_cast<char>(0xF0U | (code_point >> 18U));
    to[1] = tail(code_point >> 12U);
    to[2] = tail(code_point >> 6U);
    to[3] = tail(code_point);
    return 4;
}

// A character that XML has a place for, if only as a value of JSON or the like: no NUL (XmlSink),
// no surrogate, nothing beyond Unicode.
inline bool is_character(std::uint64_t code_point) {
    return code_point != 0 && code_point < 0x110000 && (code_point & ~0x7FFULL) != 0xD800;
}

template <Packing packing>
class BitReader {
    static constexpr bool k_bits = packing == Packing::bits;

  public:
    BitReader() = default;
    explicit BitReader(const Input& input) : in_(input) {}

    // EXI 7.1.9: n-bit unsigned integer, n <= 32.
    std::uint32_t bits(unsigned count) {
        if constexpr (k_bits) {
            need();
            return take(count);
        } else {
            std::uint32_t value = 0;
            for (unsigned i = 0; i < count; i += 8)
                value |= static_cast<std::uint32_t>(octet()) << i;
            return value;
        }
    }
    bool boolean() { return bits(1) != 0; }

    // EXI 7.1.6. What does not fit 64 bits fails the reader (unsigned_digits, datatypes.h, has no
    // bound).
    std::uint64_t unsigned_integer() {
        const std::uint8_t first = octet();
        if (first < 0x80) [[likely]]
            return first;
        return unsigned_integer(first);
    }

    std::uint8_t octet() {
        if constexpr (k_bits) {
            need();
            return static_cast<std::uint8_t>(take(8));
        } else {
            if (in_.next == in_.end && !more()) return 0;
            return *in_.next++;
        }
    }

    // `count` characters, each its code point as an Unsigned Integer (EXI 7.1.10), as UTF-8 into
    // the arena.
    std::string_view text(std::uint64_t count, Arena& arena) {
        if (count + k_slack <= in_.left()) [[likely]] {
            const auto size = static_cast<std::size_t>(count);
            const std::size_t run = ascii_run(arena.prepare(size + 8), size);
            if (run == size) return arena.commit(size);
            return long_text(arena.commit(run), count - run, arena);
        }
        return long_text({}, count, arena);
    }

    // The same; ASCII goes to `to`, which has room for as many characters as make whole words.
    std::string_view short_text(std::uint64_t count, char* to, Arena& arena) {
        if (count + k_slack <= in_.left()) [[likely]] {
            const auto size = static_cast<std::size_t>(count);
            const std::size_t run = ascii_run(to, size);
            if (run == size) return {to, size};
            return long_text({to, run}, count - run, arena);
        }
        return long_text({}, count, arena);
    }

    // To the next byte boundary; what is passed over does not matter (EXI 5).
    void align() {
        if constexpr (k_bits) {
            need();
            (void)take(available_ & 7U);
        }
    }
    // The rest of the input; the reader is at a byte boundary.
    Input rest() {
        if constexpr (k_bits) {
            // Whole bytes in the register go back, except the zeros behind the end.
            const unsigned real = available_ > padding_ ? available_ - padding_ : 0;
            in_.next -= real / 8;
            reg_ = 0;
            available_ = padding_ = 0;
        }
        return in_;
    }
    void continue_with(const Input& input) {
        in_ = input;
        if constexpr (k_bits) {
            reg_ = 0;
            available_ = padding_ = 0;
        }
    }
    // Whether the input has nothing more than the bits that fill the last byte.
    bool at_end() {
        align();
        const Input now = rest();
        if (now.next != now.end) return false;
        return !fetch();
    }

    bool failed() const {
        if constexpr (k_bits) return failed_ || padding_ > available_;
        return failed_;
    }
    void fail(Errc code, const char* where) {
        if (failed()) return;
        error_ = {.code = code, .offset = offset(), .where = where};
        failed_ = true;
    }
    // Of a reader that has failed.
    Error error() const {
        if (failed_) return error_;
        return {.code = Errc::truncated, .offset = offset(), .where = k_truncated};
    }

    // In bits, from the start of the input.
    std::uint64_t position() const {
        const std::uint64_t bytes = in_.offset();
        if constexpr (k_bits)
            return bytes * 8 - (available_ > padding_ ? available_ - padding_ : 0);
        return bytes * 8;
    }
    std::size_t offset() const { return static_cast<std::size_t>(position() / 8); }

    // Bytes in the window; more may come when there is a source.
    std::size_t left() const { return in_.left(); }
    bool has_source() const { return in_.source != nullptr; }

  private:
    static constexpr const char* k_truncated = "EXI 4: the stream ends before its End Document";
    // So many bytes behind a text of ASCII that it can be read in words.
    static constexpr std::size_t k_slack = 16;

    [[gnu::always_inline]] void need() {
        if (in_.end - in_.next >= 8) [[likely]] {
            // Bits beyond the 63 that count are right as well; the next refill repeats them.
            reg_ |= load_big_endian(in_.next) >> available_;
            in_.next += (63U - available_) >> 3U;
            available_ |= 56U;
        } else if (available_ < 32) {
            need_at_end();
        }
    }
    std::uint32_t take(unsigned count) {
        const auto value = static_cast<std::uint32_t>((reg_ >> 1U) >> (63U - count));
        reg_ <<= count;
        available_ -= count;
        return value;
    }

    void need_at_end();
    bool fetch();
    bool more();
    std::uint64_t unsigned_integer(std::uint8_t first);
    std::size_t ascii_run(char* to, std::size_t count);
    std::string_view long_text(std::string_view start, std::uint64_t count, Arena& arena);

    Input in_;
    std::uint64_t reg_ = 0;  // the next bits, from the top
    unsigned available_ = 0;
    unsigned padding_ = 0;  // of these, zeros behind the end of the input
    bool failed_ = false;
    Error error_;
    Buffer long_;  // a text that is not one run of ASCII
};

extern template class BitReader<Packing::bits>;
extern template class BitReader<Packing::bytes>;

// Up to `count` characters in a row that are ASCII and not NUL, while eight bytes and one more can
// be loaded. Writes up to seven bytes more than it says.
template <Packing packing>
inline std::size_t BitReader<packing>::ascii_run(char* to, std::size_t count) {
    constexpr std::uint64_t k_ones = 0x0101010101010101U;
    constexpr std::uint64_t k_tops = 0x8080808080808080U;
    const std::uint8_t* from = in_.next;
    unsigned shift = 0;
    if constexpr (k_bits) {
        if (padding_ != 0) return 0;
        // The window still has what is in the register: see `fetch`.
        const std::size_t held = (available_ + 7) / 8;
        assert(static_cast<std::size_t>(from - in_.begin) >= held);
        from -= held;
        shift = (8U - (available_ & 7U)) & 7U;
    }
    std::size_t done = 0;
    while (done < count && in_.end - from >= 9) {
        std::uint64_t word = load_big_endian(from);
        if constexpr (k_bits) {
            word = (word << shift) | (static_cast<std::uint64_t>(from[8]) >> (8U - shift));
        }
        store_big_endian(to + done, word);
        std::uint64_t odd = (word | (word - k_ones)) & k_tops;
        const std::size_t left = count - done;
        if (left < 8) odd &= ~std::uint64_t{0} << (64 - 8 * left);
        if (odd != 0) {
            // A NUL borrows from the characters in front of it: those are looked at one by one.
            const auto run = static_cast<std::size_t>(std::countl_zero(odd)) / 8;
            const std::size_t sure = (word & odd & k_tops) == odd ? run : 0;
            done += sure;
            from += sure;
            break;
        }
        const std::size_t run = left < 8 ? left : 8;
        done += run;
        from += run;
    }
    in_.next = from;
    if constexpr (k_bits) {
        reg_ = 0;
        available_ = 0;
        if (shift != 0) {
            need();
            (void)take(shift);
        }
    }
    return done;
}

}  // namespace perfrelay::exi
