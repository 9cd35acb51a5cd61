#pragma once
// keep_heap: what a measuring program tells the allocator before it measures.
// Used by perfclient and bench_codecs, so that both measure the same.

namespace perfrelay {

// Freed memory stays mapped: with glibc's defaults a DOM freed each run is handed back to the
// kernel and faulted in again, and page faults are what is measured. To be called first, while
// there is one thread.
void keep_heap();

}  // namespace perfrelay
