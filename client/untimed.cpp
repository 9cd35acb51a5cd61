#include "client/untimed.h"

#include <new>

#include "common/measure/heap_use.h"

namespace perfrelay::client {

void Untimed::count(const MakeCodec& make, const Document& document, Bytes payload,
                    Direction direction, Row& row) {
    try {
        count_all(make, document, payload, direction, row);
    } catch (const std::bad_alloc&) {
        // No memory for a second codec: the row is measured all the same.
        row.encode_effort = row.decode_effort = {};
    }
}

void Untimed::count_all(const MakeCodec& make, const Document& document, Bytes payload,
                        Direction direction, Row& row) {
    constexpr int k_runs = 3;  // two of each kind, and what making a codec takes
    if (row.cold.samples.empty()) return;
    spent_ += k_runs * row.cold.samples.front().total;
    if (spent_ > k_patience) return;
    if (direction != Direction::decode) {
        bool ready = false;
        Buffer encoded;
        row.encode_effort = effort_of(make, [&](Codec& codec) {
            ready = ready || codec.prepare(document).has_value();
            encoded.clear();
            return ready && codec.encode(document, encoded).has_value();
        });
    }
    if (direction != Direction::encode) {
        const bool filtered = row.from_source && document.whitespace_dropped != 0;
        row.decode_effort = effort_of(make, [&](Codec& codec) {
            if (filtered) codec.read_under(document.whitespace);
            return codec.decode(payload).has_value();
        });
    }
}

// The first run of a codec shows what it holds, a later one what a document costs.
Effort Untimed::effort_of(const MakeCodec& make, const Run& run) {
    Effort effort;
    measure::HeapCount first;
    const std::unique_ptr<Codec> codec = make();
    if (codec == nullptr || !run(*codec)) return effort;
    effort.peak_memory = first.take().peak;
    measure::HeapCount later;
    instructions_.start();
    const bool done = run(*codec);
    const auto instructions = instructions_.stop();
    if (!done) return {};
    effort.allocations = later.take().allocations;
    effort.instructions = instructions.value_or(0);
    effort.counted = true;
    return effort;
}

}  // namespace perfrelay::client
