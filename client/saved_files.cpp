#include "client/saved_files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "client/input_kind.h"
#include "client/output_file.h"
#include "proto/codec/spec.h"

namespace perfrelay::client {
namespace {

// Together with endings and a number well below what file systems take (255).
constexpr std::size_t k_longest_input = 120;
constexpr std::size_t k_longest_spec = 80;

bool is_word(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           byte >= 0x80;
}

std::string input_part(const Input& input) {
    std::string name = input.path;
    if (!input.generated) name = name.substr(name.rfind('/') + 1);
    if (!input.generated && name == "-") name = "stdin";
    for (char& c : name) {
        if (!is_word(c) && c != '.' && c != '-') c = '_';
    }
    // No hidden files, no option of whoever lists them.
    if (name.empty() || name.front() == '.' || name.front() == '-') name.insert(0, "_");
    return name.substr(0, k_longest_input);
}

std::string spec_part(std::string spec) {
    for (char& c : spec) {
        if (!is_word(c)) c = '-';
    }
    return spec.substr(0, k_longest_spec);
}

// ".xml.gz": what convert and detection know, else the compressor's name.
std::string endings(const std::string& text, Bytes encoded) {
    const auto of = [](std::string_view name) -> std::string_view {
        for (const InputKind& kind : input_kinds()) {
            if (kind.name == name) return kind.endings.front();
        }
        return {};
    };
    std::string why;
    const std::optional<Spec> spec = parse_spec(text, why);
    if (!spec) return ".bin";
    std::string_view ending = of(spec->format.name);
    if (ending.empty() && spec->compressors.empty()) {
        if (const auto found = detect_kind(encoded, "")) ending = found->kind->endings.front();
    }
    std::string result(ending.empty() ? ".bin" : ending);
    for (const SpecPart& compressor : spec->compressors) {
        const std::string_view packed = of(compressor.name);
        result += packed.empty() ? "." + compressor.name : std::string(packed);
    }
    return result;
}

}  // namespace

std::optional<SavedFiles> SavedFiles::open(std::string directory, const std::vector<Input>& inputs,
                                           std::string& why) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (!error && !std::filesystem::is_directory(directory, error)) {
        error = std::make_error_code(std::errc::not_a_directory);
    }
    if (!error) return SavedFiles(std::move(directory), inputs);
    why = "--save " + directory + ": no such directory can be made: " + error.message();
    return std::nullopt;
}

bool SavedFiles::is_input(const std::string& path) const {
    return std::any_of(inputs_->begin(), inputs_->end(), [&](const Input& input) {
        std::error_code error;  // one of them is not there, so they are not the same
        return !input.generated && std::filesystem::equivalent(path, input.path, error);
    });
}

std::string SavedFiles::save(const Input& input, const std::string& spec, Bytes encoded,
                             const std::atomic<int>& stop, std::string& why) {
    const std::string start =
        (std::filesystem::path(directory_) / (input_part(input) + "." + spec_part(spec))).string();
    const std::string ending = endings(spec, encoded);
    std::string path = start + ending;
    for (int i = 2; used_.contains(path) || is_input(path); ++i)
        path = start + "." + std::to_string(i) + ending;
    why = write_output(path, encoded, stop);
    if (!why.empty()) {
        why = path + ": " + why;
        return "";
    }
    used_.insert(path);
    return path;
}

}  // namespace perfrelay::client
