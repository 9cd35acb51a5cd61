#pragma once
// CharacterSet: the characters that a string's pattern facets let it have, each then a few bits
// (EXI 7.1.10.1), and how a pattern gives them (EXI E).
//
// A set that is too large or goes beyond the BMP is none. Tested by
// tests/unit/proto/exi/datatypes_test.cpp.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perfrelay::exi {

class CharacterSet {
  public:
    // Sorted, fewer than 256.
    explicit CharacterSet(std::vector<std::uint16_t> characters);

    std::size_t size() const { return characters_.size(); }
    // Of each character; one value more says that another follows.
    unsigned width() const { return width_; }
    std::uint16_t operator[](std::size_t index) const { return characters_[index]; }
    // size() when it is not in the set.
    std::size_t find(std::uint32_t code_point) const {
        return code_point < 128 ? ascii_[code_point] : find_other(code_point);
    }

  private:
    std::size_t find_other(std::uint32_t code_point) const;

    std::vector<std::uint16_t> characters_;
    std::array<std::uint8_t, 128> ascii_{};
    unsigned width_ = 0;
};

// EXI E: the union of the sets of all patterns of one type; nothing when there is no such set.
std::optional<CharacterSet> characters_of(std::span<const std::string> patterns);

}  // namespace perfrelay::exi
