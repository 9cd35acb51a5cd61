#pragma once
// Arena: bump allocation for trivially destructible things that live and die together.
//
// `clear` keeps the memory for the next document; addresses stay valid until `clear` or
// destruction (blocks never move). Nothing is ever destroyed one by one.
// Tested by tests/unit/common/base_test.cpp.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <vector>

namespace perfrelay {

class Arena {
  public:
    Arena() = default;
    Arena(Arena&&) noexcept = default;
    Arena& operator=(Arena&&) noexcept = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena() = default;

    void* allocate(std::size_t size, std::size_t alignment) {
        std::size_t start = (used_ + alignment - 1) & ~(alignment - 1);
        if (current_ == blocks_.size() || start + size > blocks_[current_].size) {
            next_block(size);
            start = 0;
        }
        used_ = start + size;
        return blocks_[current_].data.get() + start;
    }

    template <class T>
    T* create(const T& value) {
        static_assert(std::is_trivially_destructible_v<T>);
        return new (allocate(sizeof(T), alignof(T))) T(value);
    }

    // A copy of `text` that lives as long as the arena.
    std::string_view copy(std::string_view text) {
        if (text.empty()) return {};
        char* to = static_cast<char*>(allocate(text.size(), 1));
        std::memcpy(to, text.data(), text.size());
        return {to, text.size()};
    }

    // Room for `size` bytes in one piece; write there, then `commit` what was written (from its
    // start, at most `size`). Any other allocation in between ends the offer.
    char* prepare(std::size_t size) {
        if (current_ == blocks_.size() || used_ + size > blocks_[current_].size) next_block(size);
        return reinterpret_cast<char*>(blocks_[current_].data.get()) + used_;
    }
    std::string_view commit(std::size_t size) {
        const char* from = reinterpret_cast<const char*>(blocks_[current_].data.get()) + used_;
        used_ += size;
        return {from, size};
    }

    void clear() {
        current_ = 0;
        used_ = 0;
    }

    // Bytes held, used or not.
    std::size_t capacity() const;

  private:
    struct Block {
        std::unique_ptr<std::byte[]> data;
        std::size_t size;
    };
    void next_block(std::size_t size);

    std::vector<Block> blocks_;
    std::size_t current_ = 0;
    std::size_t used_ = 0;
};

}  // namespace perfrelay
