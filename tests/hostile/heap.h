#pragma once
// PeakHeap: how much more was allocated at once than at the start. Counted where a sanitizer's
// allocator tells (address, thread); elsewhere always 0. One at a time; any threads.

#include <cstddef>

namespace perfrelay::hostile {

class PeakHeap {
  public:
    PeakHeap();
    std::size_t bytes() const;

  private:
    long long start_;
};

}  // namespace perfrelay::hostile
