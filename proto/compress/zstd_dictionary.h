#pragma once
// Dictionaries for zstd (RFC 8878 section 5, trained by ZDICT): bytes that both sides hold before
// anything is sent. For small documents they are what a schema is for EXI.
//
// Contract: a dictionary is checked when it is read: what is cut short, damaged where zstd can see
// it, or no trained dictionary is refused, with one line in `why` that begins with the file's name.
// Tested by tests/unit/proto/compress/zstd_dictionary_test.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "common/base/bytes.h"

namespace perfrelay::compress {

// Files given by mistake are larger; what is usual is a tenth of a megabyte.
constexpr std::size_t k_largest_dictionary = std::size_t{16} << 20U;
constexpr std::size_t k_usual_dictionary = 112'640;  // as the zstd tool makes them
constexpr std::size_t k_smallest_dictionary = 256;   // ZDICT makes no smaller ones

// The file that "dict=FILE" names: FILE, or what its braces hold, in which ":" and "+" may stand.
std::string dictionary_file(const std::string& value);

std::optional<Buffer> read_dictionary(const std::string& file, std::string& why);

// The number that is in it, and in every frame that needs it.
std::uint32_t dictionary_id(Bytes dictionary);

// Trains on the documents whose encoded forms stand in `samples` one behind the other, `sizes` of
// them: at most `size` bytes. Nothing and `why` when they are too few or too much alike.
std::optional<Buffer> train_dictionary(Bytes samples, std::span<const std::size_t> sizes,
                                       std::size_t size, std::string& why);

}  // namespace perfrelay::compress
