#pragma once
// BitWriter: the items of a stream, packed in bits or aligned to bytes (EXI 6.2, 7.1), appended to
// a Buffer that may have a drain: it never goes back.
//
// The mirror of BitReader. Contract: texts are UTF-8; `finish` (or `align`) fills the last byte
// with zeros. Tested by tests/unit/proto/exi/bits_test.cpp.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "common/base/bytes.h"
#include "proto/exi/bit_reader.h"

namespace perfrelay::exi {

// Characters of a UTF-8 text: its bytes but for those that go on.
inline std::size_t count_characters(std::string_view text) {
    constexpr std::uint64_t k_ones = 0x0101010101010101U;
    constexpr std::size_t k_words = 31;  // at a time: the count of eight bytes each fits in one
    std::size_t count = text.size();
    const char* from = text.data();
    std::size_t left = text.size();
    while (left >= 8) {
        const std::size_t words = left / 8 < k_words ? left / 8 : k_words;
        std::uint64_t going_on = 0;  // by place in the word
        for (std::size_t i = 0; i < words; ++i, from += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, from, 8);
            going_on += (word >> 7U) & ~(word >> 6U) & k_ones;
        }
        count -= (going_on * k_ones) >> 56U;
        left -= 8 * words;
    }
    for (; left != 0; --left, ++from)
        count -= (static_cast<unsigned char>(*from) & 0xC0U) == 0x80U ? 1U : 0U;
    return count;
}

// The code point at `at`, which moves behind it. Of bytes that are no UTF-8 it makes something.
inline std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]))
                               : 0U;
    };
    const std::uint32_t first = byte(at);
    const std::uint32_t second = byte(at + 1) & 0x3FU;
    if (first < 0x80) return ++at, first;
    if (first < 0xE0) return at += 2, (first & 0x1FU) << 6U | second;
    const std::uint32_t third = byte(at + 2) & 0x3FU;
    if (first < 0xF0) return at += 3, (first & 0xFU) << 12U | second << 6U | third;
    return at += 4, (first & 7U) << 18U | second << 12U | third << 6U | (byte(at - 1) & 0x3FU);
}

template <Packing packing>
class BitWriter {
    static constexpr bool k_bits = packing == Packing::bits;

  public:
    BitWriter() = default;
    explicit BitWriter(Buffer& out) : out_(&out) {}

    // EXI 7.1.9: n-bit unsigned integer, n <= 32.
    void bits(unsigned count, std::uint32_t value) {
        if constexpr (k_bits) {
            pending_ = (pending_ << count) | value;
            held_ += count;
            if (held_ >= 32) flush();
        } else {
            for (unsigned i = 0; i < count; i += 8)
                out_->u8(static_cast<std::uint8_t>(value >> i));
        }
    }
    void boolean(bool value) { bits(1, value ? 1 : 0); }

    // EXI 7.1.6
    void unsigned_integer(std::uint64_t value) {
        while (value >= 0x80) {
            octet(static_cast<std::uint8_t>(0x80U | (value & 0x7FU)));
            value >>= 7U;
        }
        octet(static_cast<std::uint8_t>(value));
    }
    void octet(std::uint8_t value) {
        if constexpr (k_bits)
            bits(8, value);
        else
            out_->u8(value);
    }

    // The characters of a string, without its length (EXI 7.1.10).
    void characters(std::string_view text) {
        for (std::size_t at = 0; at < text.size();) {
            at += ascii_words(text.substr(at));
            const std::size_t left = text.size() - at;
            if (left == 0) return;
            const std::uint64_t word = left < 8 ? start_of(text.data() + at, left)
                                                : load_big_endian(bytes_of(text.data() + at));
            const std::uint64_t odd = word & k_tops;
            const auto run = odd == 0 ? left : static_cast<std::size_t>(std::countl_zero(odd)) / 8;
            if (run != 0) ascii(word, run);
            at += run;
            if (odd != 0) character(next_code_point(text, at));
        }
    }
    // A string with its length, and no table (EXI 7.1.10).
    void string(std::string_view text) {
        unsigned_integer(count_characters(text));
        characters(text);
    }

    void align() {
        if constexpr (k_bits) {
            const unsigned rest = (8U - (held_ & 7U)) & 7U;
            bits(rest, 0);
            for (; held_ != 0; held_ -= 8)
                out_->u8(static_cast<std::uint8_t>(pending_ >> (held_ - 8)));
        }
    }

    // In bits, since the buffer was empty; of use only while it has no drain.
    std::uint64_t position() const {
        const std::uint64_t bytes = out_->size();
        if constexpr (k_bits) return bytes * 8 + held_;
        return bytes * 8;
    }

  private:
    void flush() {
        held_ -= 32;
        auto word = static_cast<std::uint32_t>(pending_ >> held_);
        if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap32(word);
        std::memcpy(out_->prepare(4), &word, 4);
        out_->commit(4);
    }

    static constexpr std::uint64_t k_tops = 0x8080808080808080U;
    static constexpr std::size_t k_words_at_once = 512;

    static const std::uint8_t* bytes_of(const char* text) {
        return reinterpret_cast<const std::uint8_t*>(text);
    }
    static std::uint64_t byte_of(const char* text, std::size_t at) {
        return static_cast<std::uint64_t>(bytes_of(text)[at]) << (56 - 8 * at);
    }
    // The 1 to 7 bytes there are, as the first ones of a word.
    static std::uint64_t start_of(const char* from, std::size_t size) {
        if (size < 4) return byte_of(from, 0) | byte_of(from, size / 2) | byte_of(from, size - 1);
        std::uint32_t front = 0;
        std::uint32_t back = 0;
        std::memcpy(&front, from, 4);
        std::memcpy(&back, from + size - 4, 4);
        if constexpr (std::endian::native == std::endian::little) {
            front = __builtin_bswap32(front);
            back = __builtin_bswap32(back);
        }
        return static_cast<std::uint64_t>(front) << 32U | static_cast<std::uint64_t>(back)
                                                              << (64 - 8 * size);
    }

    // What is ASCII at the start of `text`, eight at a time as long as all eight are: how many.
    std::size_t ascii_words(std::string_view text) {
        std::size_t done = 0;
        while (text.size() - done >= 8) {
            const std::size_t most = std::min((text.size() - done) / 8, k_words_at_once);
            const std::uint8_t* const from = bytes_of(text.data()) + done;
            char* const to = reinterpret_cast<char*>(out_->prepare(8 * most));
            // Copies, as what is written through `to` might be these.
            const unsigned held = held_;
            std::uint64_t pending = pending_;
            std::size_t i = 0;
            for (; i < most; ++i) {
                const std::uint64_t word = load_big_endian(from + 8 * i);
                if ((word & k_tops) != 0) break;
                if constexpr (k_bits) {
                    // held_ < 32: the bits that wait, then those of the word.
                    store_big_endian(to + 8 * i, (pending << 1U) << (63U - held) | word >> held);
                    pending = word;
                } else {
                    store_big_endian(to + 8 * i, word);
                }
            }
            pending_ = pending;
            out_->commit(8 * i);
            done += 8 * i;
            if (i != most) break;
        }
        return done;
    }
    // `size` octets, 1 to 7, the first ones of `word`. What else is in it may be written behind
    // them, and is written over.
    void ascii(std::uint64_t word, std::size_t size) {
        char* const to = reinterpret_cast<char*>(out_->prepare(8));
        if constexpr (k_bits) {
            store_big_endian(to, (pending_ << 1U) << (63U - held_) | word >> held_);
            const auto total = held_ + 8 * static_cast<unsigned>(size);
            const unsigned done = total < 64 ? total / 8 : 8;
            pending_ = word >> (64 - 8 * size);
            held_ = total - 8 * done;
            out_->commit(done);
        } else {
            store_big_endian(to, word);
            out_->commit(size);
        }
    }
    // EXI 7.1.6; two octets are the usual.
    void character(std::uint32_t code_point) {
        if (k_bits && code_point >= 0x80 && code_point < 0x4000) {
            bits(16, (0x80U | (code_point & 0x7FU)) << 8U | code_point >> 7U);
        } else {
            unsigned_integer(code_point);
        }
    }

    Buffer* out_ = nullptr;
    std::uint64_t pending_ = 0;  // the last `held_` bits are to be written yet
    unsigned held_ = 0;          // fewer than 32
};

}  // namespace perfrelay::exi
