#pragma once
// Bytes (borrowed), Reader (sequential, sticky failure), Buffer (append-only, reused).
//
// Reader: reading past the end yields zeros and the reader stays failed, so that a decoder checks
// once an event, not once a field. Buffer: grows by doubling, never shrinks, `clear` keeps the
// memory, so a warmed-up encoder allocates nothing. With a drain it hands over what it holds
// instead of growing, so that an encoder that only appends needs to know nothing of streams. All
// integers are big-endian. Tested by tests/unit/common/base_test.cpp.

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "common/base/result.h"

namespace perfrelay {

using Bytes = std::span<const std::uint8_t>;

inline Bytes as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Reader {
  public:
    explicit Reader(Bytes bytes)
        : begin_(bytes.data()), next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

    std::uint8_t u8() { return big_endian<std::uint8_t>(); }
    std::uint16_t u16() { return big_endian<std::uint16_t>(); }
    std::uint32_t u32() { return big_endian<std::uint32_t>(); }
    std::uint64_t u64() { return big_endian<std::uint64_t>(); }

    // The next `count` bytes, borrowed; empty (and the reader failed) when fewer are left.
    Bytes bytes(std::size_t count) {
        if (count > remaining()) {
            fail();
            return {};
        }
        const Bytes result(next_, count);
        next_ += count;
        return result;
    }

    void skip(std::size_t count) { (void)bytes(count); }

    std::size_t offset() const { return static_cast<std::size_t>(next_ - begin_); }
    std::size_t remaining() const { return static_cast<std::size_t>(end_ - next_); }
    bool failed() const { return failed_; }

  private:
    template <class T>
    T big_endian() {
        if (remaining() < sizeof(T)) {
            fail();
            return 0;
        }
        T value = 0;
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            value = static_cast<T>((static_cast<std::uint64_t>(value) << 8U) | next_[i]);
        }
        next_ += sizeof(T);
        return value;
    }
    void fail() {
        next_ = end_;
        failed_ = true;
    }

    const std::uint8_t* begin_;
    const std::uint8_t* next_;
    const std::uint8_t* end_;
    bool failed_ = false;
};

class ByteDrain;

class Buffer {
  public:
    Buffer() = default;
    // Hands its bytes to `drain` whenever `piece` of them have come together; `finish` hands over
    // the rest. `size` and `view` are then of what has not been handed over; whoever wants to go
    // back to bytes already written cannot use such a buffer.
    Buffer(ByteDrain& drain, std::size_t piece);
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        swap(other);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() = default;

    void clear() { size_ = 0; }
    // Hands the rest to the drain. The first error of any hand-over, after which bytes were
    // dropped.
    Result<> finish();
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    bool empty() const { return size_ == 0; }
    const std::uint8_t* data() const { return data_.get(); }
    std::uint8_t* data() { return data_.get(); }
    Bytes view() const { return {data_.get(), size_}; }

    // The byte that was appended `back` bytes before the last (0 to 3), handed over or not; 0 when
    // there were not so many.
    std::uint8_t last(std::size_t back) const {
        return back < size_ ? data_[size_ - 1 - back] : handed_over_[back - size_];
    }

    // Room for `count` more bytes; write there, then `commit` what was written.
    std::uint8_t* prepare(std::size_t count) {
        if (capacity_ - size_ < count) grow(count);
        return data_.get() + size_;
    }
    void commit(std::size_t count) {
        assert(count <= capacity_ - size_);
        size_ += count;
    }
    void truncate(std::size_t size) {
        assert(size <= size_);
        size_ = size;
    }

    void u8(std::uint8_t value) {
        *prepare(1) = value;
        ++size_;
    }
    void u16(std::uint16_t value) { big_endian(value); }
    void u32(std::uint32_t value) { big_endian(value); }
    void u64(std::uint64_t value) { big_endian(value); }
    void append(Bytes bytes) {
        if (bytes.empty()) return;
        std::memcpy(prepare(bytes.size()), bytes.data(), bytes.size());
        size_ += bytes.size();
    }
    void append(std::string_view text) { append(as_bytes(text)); }

  private:
    template <class T>
    void big_endian(T value) {
        std::uint8_t* out = prepare(sizeof(T));
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            out[i] = static_cast<std::uint8_t>(value >> (8U * (sizeof(T) - 1 - i)));
        }
        size_ += sizeof(T);
    }
    void grow(std::size_t count);
    void swap(Buffer& other) noexcept {
        data_.swap(other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        std::swap(drain_, other.drain_);
        std::swap(drained_, other.drained_);
        handed_over_.swap(other.handed_over_);
    }

    std::unique_ptr<std::uint8_t[]> data_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
    ByteDrain* drain_ = nullptr;
    Result<> drained_;
    std::array<std::uint8_t, 4> handed_over_{};  // the last bytes of it, latest first
};

}  // namespace perfrelay
