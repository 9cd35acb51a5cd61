#pragma once
// Options of a compressor in a SPEC: so far one, its level ("zstd:3").
// Tested by tests/unit/proto/compress/level_test.cpp.

#include <optional>
#include <string>

#include "proto/codec/spec.h"

namespace perfrelay::compress {

struct LevelRange {
    int lowest;
    int highest;
    int usual;  // when none is given
};

// The level that `part` asks for. Nothing and `why`, one line, when it is out of range or `part`
// holds anything else.
std::optional<int> level_of(const SpecPart& part, const LevelRange& range, std::string& why);

}  // namespace perfrelay::compress
