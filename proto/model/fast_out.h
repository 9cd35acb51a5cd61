#pragma once
// FastOut: what an encoder writes through, one check of room per value instead of one per byte.
//
// Contract: `room(n)` first, then at most n bytes by the writers without checks. Everything is in
// the Buffer after `finish`; a Buffer with a drain is fed in pieces. All integers are big-endian.
// Tested by the codecs that use it.

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/base/bytes.h"

namespace perfrelay {

template <class T>
T to_big_endian(T value) {
    if constexpr (std::endian::native == std::endian::big || sizeof(T) == 1) return value;
    if constexpr (sizeof(T) == 2) return static_cast<T>(__builtin_bswap16(value));
    if constexpr (sizeof(T) == 4) return static_cast<T>(__builtin_bswap32(value));
    if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_bswap64(value));
}

template <class T>
T load_big_endian(const std::uint8_t* from) {
    T value{};
    std::memcpy(&value, from, sizeof value);
    return to_big_endian(value);
}

class FastOut {
  public:
    explicit FastOut(Buffer& out) : out_(out) { start(0); }

    void room(std::size_t count) {
        if (static_cast<std::size_t>(end_ - next_) < count) more(count);
    }
    void u8(std::uint8_t value) { *next_++ = value; }
    void u16(std::uint16_t value) { put(value); }
    void u32(std::uint32_t value) { put(value); }
    void u64(std::uint64_t value) { put(value); }
    void bytes(const void* from, std::size_t count) {
        if (count != 0) std::memcpy(next_, from, count);
        next_ += count;
    }
    std::uint8_t* next() { return next_; }
    void set_next(std::uint8_t* next) { next_ = next; }

    void finish() {
        out_.commit(static_cast<std::size_t>(next_ - begin_));
        begin_ = next_;
    }

  private:
    template <class T>
    void put(T value) {
        const T big = to_big_endian(value);
        std::memcpy(next_, &big, sizeof big);
        next_ += sizeof big;
    }
    void more(std::size_t count) {
        finish();
        start(count);
    }
    void start(std::size_t count) {
        constexpr std::size_t k_at_once = 4096;
        begin_ = out_.prepare(std::max(count, k_at_once));
        next_ = begin_;
        end_ = begin_ + (out_.capacity() - out_.size());
    }

    Buffer& out_;
    std::uint8_t* begin_ = nullptr;
    std::uint8_t* next_ = nullptr;
    std::uint8_t* end_ = nullptr;
};

}  // namespace perfrelay
