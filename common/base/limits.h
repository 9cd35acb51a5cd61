#pragma once
// Bounds on what an input may make us do; each names the attack it stops. One struct, passed down
// by value, so that a test can tighten any of them.

#include <cstddef>
#include <cstdint>

namespace perfrelay {

struct Limits {
    // Nesting bomb: per-level state grows with depth. Everything of ours iterates, so this bounds
    // memory (tens of bytes a level), not the stack.
    std::size_t max_depth = 1'000'000;
    // A document that cannot fit in memory beside its own copies.
    std::size_t max_document = std::size_t{1} << 30U;
    // One giant string.
    std::size_t max_text = std::size_t{256} << 20U;
    // Name table flooding: distinct qualified names of one document.
    std::size_t max_names = 1'000'000;
    // Attribute flooding (duplicate checks are linear or worse in some engines).
    std::size_t max_attributes = 200'000;
    // Entity expansion: bytes delivered over bytes read, once above 8 MiB (billion laughs).
    double max_entity_amplification = 100.0;
    // Entity chains: entities whose text refers to others. expat expands them by recursion, and
    // libxml2 refuses more than 512 within each other.
    std::size_t max_compound_entities = 500;
    // Decompression bomb: bytes out over bytes in, beyond the first 16 MiB.
    // DEFLATE cannot exceed 1032:1; honest XML stays below 200:1.
    std::uint64_t max_decompression_ratio = 1100;
};

}  // namespace perfrelay
