#pragma once
// BitWriter: the items of a stream, packed in bits or aligned to bytes (EXI 6.2, 7.1), appended to
// a Buffer that may have a drain: it never goes back.
//
// The mirror of BitReader. Contract: texts are UTF-8; `finish` (or `align`) fills the last byte
// with zeros. Tested by tests/unit/proto/exi/bits_test.cpp.

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
    std::size_t count = text.size();
    const char* from = text.data();
    std::size_t left = text.size();
    for (; left >= 8; left -= 8, from += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, from, 8);
        if ((word & 0x8080808080808080U) == 0) continue;
        const std::uint64_t going_on = word & ~(word << 1U) & 0x8080808080808080U;
        count -= static_cast<std::size_t>(std::popcount(going_on));
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
        std::size_t at = ascii_run(text);
        while (at < text.size()) {
            unsigned_integer(next_code_point(text, at));
            at += ascii_run(text.substr(at < text.size() ? at : text.size()));
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

    // Writes what is ASCII at the start of `text`, eight at a time as long as all eight are.
    std::size_t ascii_run(std::string_view text) {
        std::size_t done = 0;
        for (; text.size() - done >= 8; done += 8) {
            const std::uint64_t word =
                load_big_endian(reinterpret_cast<const std::uint8_t*>(text.data()) + done);
            if ((word & 0x8080808080808080U) != 0) break;
            char* const to = reinterpret_cast<char*>(out_->prepare(8));
            if constexpr (k_bits) {
                // held_ < 32: the bits that wait, then those of the word.
                const std::uint64_t front = held_ == 0 ? 0 : pending_ << (64U - held_);
                store_big_endian(to, front | (word >> held_));
                pending_ = word;
            } else {
                store_big_endian(to, word);
            }
            out_->commit(8);
        }
        for (; done < text.size(); ++done) {
            const auto byte = static_cast<std::uint8_t>(text[done]);
            if (byte >= 0x80) break;
            octet(byte);
        }
        return done;
    }

    Buffer* out_ = nullptr;
    std::uint64_t pending_ = 0;  // the last `held_` bits are to be written yet
    unsigned held_ = 0;          // fewer than 32
};

}  // namespace perfrelay::exi
