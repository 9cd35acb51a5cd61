#pragma once
// What every target does where something does not hold: says what, and aborts. libFuzzer keeps the
// input.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/base/result.h"

namespace perfrelay {

inline void require(bool holds, const std::string& what) {
    if (holds) return;
    (void)std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
}

template <class T>
void require(const Result<T>& done, const std::string& doing) {
    if (!done) require(false, doing + ": " + describe(done.error()));
}

}  // namespace perfrelay
