#pragma once
// Result<T>: a value or an Error, for everything that meets input or the network.
// Contract: nothing in common/ or proto/ throws; a Result is looked at before its value is taken.
// The interface is that of std::expected (has_value, operator*, error), so that it can become one.
// Tested by tests/unit/common/base_test.cpp.

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace perfrelay {

enum class Errc : std::uint8_t {
    truncated,       // the input ends before the value does
    malformed,       // the input breaks a rule of its format
    unsupported,     // legal, but not something this build can do
    limit_exceeded,  // a bound of Limits was reached
    closed,          // the peer has gone
    timed_out,       // a deadline passed
    busy,            // the peer is there, but takes nobody now
    refused,         // nobody listens, or the peer will not have us
    io,              // the operating system said no; `system` holds errno
};

// What went wrong and where. `where` is a string literal (or one with static life time) naming the
// rule broken, "EXI 7.1.6"; `offset` counts bytes of the input; line and column count from 1, 0 if
// they mean nothing; `system` is an errno value, 0 if none.
struct Error {
    Errc code = Errc::malformed;
    std::size_t offset = 0;
    const char* where = "";
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    int system = 0;
};

// One line without the file name: "line 3, column 7: mismatched tag", "byte 12: WIRE 3: bad magic".
std::string describe(const Error& error);

template <class T = void>
class [[nodiscard]] Result {
  public:
    // NOLINTNEXTLINE(google-explicit-constructor): return value;
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    // NOLINTNEXTLINE(google-explicit-constructor): return error;
    Result(Error error) : state_(std::in_place_index<1>, error) {}

    bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }

    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(value()); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const {
        assert(!has_value());
        return *std::get_if<1>(&state_);
    }

  private:
    T& value() {
        assert(has_value());
        return *std::get_if<0>(&state_);
    }
    const T& value() const {
        assert(has_value());
        return *std::get_if<0>(&state_);
    }

    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): return error;
    Result(Error error) : error_(error), failed_(true) {}

    bool has_value() const { return !failed_; }
    explicit operator bool() const { return has_value(); }
    const Error& error() const {
        assert(failed_);
        return error_;
    }

  private:
    Error error_{};
    bool failed_ = false;
};

}  // namespace perfrelay
