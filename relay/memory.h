#pragma once
// Memory that clients make the relay hold: a budget shared by all sessions, and blocks charged to
// it, which grow with the bytes that have arrived, never with a length that was announced.
//
// Contract: a Block's budget outlives it. `grow` keeps the contents and says false, changing
// nothing, when budget or system refuse.
// Tested by tests/unit/relay/session_test.cpp.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

namespace perfrelay::relay {

class MemoryBudget {
  public:
    explicit MemoryBudget(std::uint64_t limit) : limit_(limit) {}

    bool take(std::uint64_t bytes) {
        std::uint64_t used = used_.load(std::memory_order_relaxed);
        do {
            if (bytes > limit_ - used) return false;
        } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
        return true;
    }
    void give(std::uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
    std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
    std::uint64_t limit() const { return limit_; }

  private:
    std::uint64_t limit_;
    std::atomic<std::uint64_t> used_ = 0;
};

class Block {
  public:
    explicit Block(MemoryBudget& budget) : budget_(&budget) {}
    Block(Block&& other) noexcept
        : budget_(other.budget_),
          data_(std::move(other.data_)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    Block& operator=(Block&& other) noexcept {
        if (this != &other) {
            release();
            budget_ = other.budget_;
            data_ = std::move(other.data_);
            capacity_ = std::exchange(other.capacity_, 0);
        }
        return *this;
    }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block() { release(); }

    std::uint8_t* data() const { return data_.get(); }
    std::size_t capacity() const { return capacity_; }

    bool grow(std::size_t capacity) {
        if (capacity <= capacity_) return true;
        if (!budget_->take(capacity - capacity_)) return false;
        // realloc, not new: a large block moves by remapping its pages, not by copying them.
        void* larger = std::realloc(data_.get(), capacity);
        if (larger == nullptr) {
            budget_->give(capacity - capacity_);
            return false;
        }
        (void)data_.release();
        data_.reset(static_cast<std::uint8_t*>(larger));
        capacity_ = capacity;
        return true;
    }

    void release() {
        data_.reset();
        budget_->give(capacity_);
        capacity_ = 0;
    }

  private:
    struct Free {
        void operator()(std::uint8_t* memory) const { std::free(memory); }
    };

    MemoryBudget* budget_;
    std::unique_ptr<std::uint8_t, Free> data_;
    std::size_t capacity_ = 0;
};

}  // namespace perfrelay::relay
