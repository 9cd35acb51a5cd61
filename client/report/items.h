#pragma once
// Items: a heading, and under it lines of a name and what it says.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "client/report/layout.h"

namespace perfrelay::client {

class Items {
  public:
    explicit Items(std::string heading) : text_(std::move(heading) + "\n") {}
    void add(std::string_view name, const std::string& says) {
        constexpr std::size_t k_width = 10;
        text_ += "  " + std::string(name) +
                 std::string(k_width - std::min(name.size(), k_width - 1), ' ') + printable(says) +
                 "\n";
    }
    const std::string& text() const { return text_; }

  private:
    std::string text_;
};

}  // namespace perfrelay::client
