#include "proto/compress/zstd_dictionary.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <string_view>

#include <zdict.h>
#include <zstd.h>

namespace perfrelay::compress {
namespace {

struct FreeDictionary {
    void operator()(ZSTD_DDict* it) const { ZSTD_freeDDict(it); }
};

// "" or what is wrong with it. The library reads the tables of a dictionary that has the magic
// number, and takes anything else for raw content, which nobody who trained one means.
std::string fault(Bytes dictionary) {
    constexpr std::string_view k_magic = "\x37\xa4\x30\xec";
    if (!as_text(dictionary).starts_with(k_magic)) {
        return "no zstd dictionary; perfclient train-dictionary makes one";
    }
    const std::unique_ptr<ZSTD_DDict, FreeDictionary> read(
        ZSTD_createDDict(dictionary.data(), dictionary.size()));
    if (read == nullptr || dictionary_id(dictionary) == 0) {
        return "the dictionary is damaged or cut short (RFC 8878 5)";
    }
    return "";
}

}  // namespace

std::uint32_t dictionary_id(Bytes dictionary) {
    return ZDICT_getDictID(dictionary.data(), dictionary.size());
}

std::string dictionary_file(const std::string& value) {
    if (!value.starts_with('{') || !value.ends_with('}')) return value;
    return value.substr(1, value.size() - 2);
}

std::optional<Buffer> read_dictionary(const std::string& file, std::string& why) {
    std::ifstream in(file, std::ios::binary);
    Buffer bytes;
    constexpr std::size_t k_piece = std::size_t{1} << 16U;
    while (in && bytes.size() <= k_largest_dictionary) {
        in.read(reinterpret_cast<char*>(bytes.prepare(k_piece)), k_piece);
        bytes.commit(static_cast<std::size_t>(in.gcount()));
    }
    if (bytes.empty()) {
        why = file + ": the dictionary cannot be read, or is empty";
    } else if (bytes.size() > k_largest_dictionary) {
        why = file + ": larger than a dictionary may be (16 MiB)";
    } else if (why = fault(bytes.view()); why.empty()) {
        return bytes;
    } else {
        why = file + ": " + why;
    }
    return std::nullopt;
}

std::optional<Buffer> train_dictionary(Bytes samples, std::span<const std::size_t> sizes,
                                       std::size_t size, std::string& why) {
    Buffer dictionary;
    std::uint8_t* const room = dictionary.prepare(size);
    const std::size_t made = ZDICT_trainFromBuffer(room, size, samples.data(), sizes.data(),
                                                   static_cast<unsigned>(sizes.size()));
    if (ZDICT_isError(made) != 0) {
        why = std::to_string(sizes.size()) + " documents of " + std::to_string(samples.size()) +
              " bytes in all are too few to train on, or too short (zstd: " +
              ZDICT_getErrorName(made) +
              "); some hundreds, with a hundred times the dictionary's bytes, are usual";
        return std::nullopt;
    }
    dictionary.commit(made);
    if (why = fault(dictionary.view()); !why.empty()) return std::nullopt;
    return dictionary;
}

}  // namespace perfrelay::compress
