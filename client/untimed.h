#pragma once
// Untimed: runs that count what a document takes of the machine, apart from all timing: memory,
// allocations, instructions.
// Tested by tests/unit/client/untimed_test.cpp.

#include <functional>
#include <memory>
#include <string>

#include "client/report/report.h"
#include "common/measure/instructions.h"
#include "proto/codec/codec.h"

namespace perfrelay::client {

class Untimed {
  public:
    using MakeCodec = std::function<std::unique_ptr<Codec>()>;

    // "" or why no instructions are counted.
    const std::string& no_instructions() const { return instructions_.why_not(); }

    // Encodes the document and decodes `payload`, as the direction has it, by fresh codecs that
    // `make` makes and that cannot fail at it: the row is verified. A row whose cold run says that
    // this would take long goes without: all of these runs together take k_patience, or so.
    void count(const MakeCodec& make, const Document& document, Bytes payload, Direction direction,
               Row& row);

    static constexpr measure::Nanoseconds k_patience = 5'000'000'000;

  private:
    using Run = std::function<bool(Codec&)>;
    void count_all(const MakeCodec& make, const Document& document, Bytes payload,
                   Direction direction, Row& row);
    Effort effort_of(const MakeCodec& make, const Run& run);

    measure::InstructionCounter instructions_;
    measure::Nanoseconds spent_ = 0;
};

}  // namespace perfrelay::client
