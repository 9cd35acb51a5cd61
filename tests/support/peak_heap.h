#pragma once
// PeakHeap: how much more was held on the heap at once than when it was made. One at a time; any
// threads. What is freed behind its start though it was allocated before counts against it.
//
// Under a sanitizer (address, thread) every allocation counts; elsewhere those of operator new,
// which is replaced in a program that links this: not C libraries' own (zlib's windows).

#include <cstddef>

namespace perfrelay {

class PeakHeap {
  public:
    PeakHeap();
    std::size_t bytes() const;

  private:
    long long start_;
};

}  // namespace perfrelay
