#pragma once
// StableArray: an array that grows and whose elements never move, in chunks of an arena.
//
// A chunk is half as large as all before it together, up to k_largest elements: what is allocated
// is at most 1.5 times what is used, or one chunk more. Contract: elements are trivial; `clear`
// goes with the arena's. Tested by tests/unit/proto/exi/string_table_test.cpp.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>

#include "common/base/arena.h"

namespace perfrelay::exi {

template <class T>
class StableArray {
    static_assert(std::is_trivially_destructible_v<T>);

  public:
    std::uint32_t size() const { return size_; }
    T& operator[](std::uint32_t at) const {
        const Place place(at);
        return chunks_[place.chunk][place.offset];
    }
    T& push(Arena& arena) {
        const Place place(size_++);
        if (place.offset == 0) {
            void* const memory = arena.allocate(place.of * sizeof(T), alignof(T));
            chunks_.push_back(static_cast<T*>(memory));
        }
        return *new (chunks_[place.chunk] + place.offset) T();
    }
    void clear() {
        chunks_.clear();
        size_ = 0;
    }

  private:
    static constexpr std::uint32_t k_largest = 512;

    // Chunks of 2, 2, 4, 4, 8, 8 .. elements: with four in front, their numbers in binary say where
    // they are.
    struct Place {
        explicit Place(std::uint32_t at) {
            const std::uint32_t from = at + 4;
            if (from < 4 * k_largest) {
                const auto step = static_cast<std::uint32_t>(std::bit_width(from)) - 3;
                of = 2U << step;
                chunk = 2 * step + ((from >> (step + 1)) & 1U);
            } else {
                of = k_largest;
                chunk = k_growing + (from / k_largest - 4);
            }
            offset = from & (of - 1);
        }
        std::uint32_t chunk;
        std::uint32_t offset;
        std::uint32_t of;  // elements of the chunk
    };
    static constexpr std::uint32_t k_growing = 2 * (std::bit_width(k_largest) - 1);

    std::vector<T*> chunks_;
    std::uint32_t size_ = 0;
};

}  // namespace perfrelay::exi
