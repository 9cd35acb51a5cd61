#include "client/input_sets.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <glob.h>

#include "client/input_kind.h"

namespace perfrelay::client {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_most_files = 10'000;

std::string too_many(const std::string& path) {
    return path + ": more than " + std::to_string(k_most_files) + " files; name a part of them";
}

bool is_hidden(const fs::path& path) {
    return path.filename().native().starts_with('.');
}

class Expander {
  public:
    explicit Expander(bool any) : any_(any) {}

    // "" or what is wrong.
    std::string take(const Input& input) {
        std::error_code error;
        if (input.generated || input.sqlite || input.path == "-") {
            found_.push_back(input);
        } else if (fs::is_directory(input.path, error)) {
            return take_directory(input, input.path);
        } else if (input.path.find_first_of("*?[") != std::string::npos &&
                   !fs::exists(input.path, error)) {
            return take_pattern(input);
        } else {
            found_.push_back(input);
        }
        return found_.size() > k_most_files ? too_many(input.path) : "";
    }

    std::vector<Input> found() { return std::move(found_); }

  private:
    std::string take_directory(const Input& input, const std::string& path) {
        std::error_code error;
        std::vector<std::string> files;
        fs::recursive_directory_iterator entry(path, error);
        for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
            std::error_code gone;  // a file that went meanwhile is no file
            const bool hidden = is_hidden(entry->path());
            if (hidden && entry->is_directory(gone)) entry.disable_recursion_pending();
            if (hidden || !entry->is_regular_file(gone)) continue;
            if (!any_ && kind_by_ending(entry->path().native()) == nullptr) continue;
            files.push_back(entry->path().native());
            if (files.size() > k_most_files) return too_many(path);
        }
        std::ranges::sort(files);
        for (std::string& file : files)
            add(input, std::move(file));
        // Whoever reads it says what is wrong.
        if (files.empty()) add(input, path);
        return "";
    }

    std::string take_pattern(const Input& input) {
        glob_t matches{};
        ::glob(input.path.c_str(), GLOB_NOSORT, nullptr, &matches);
        std::vector<std::string> paths(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
        ::globfree(&matches);
        if (paths.empty()) found_.push_back(input);
        std::ranges::sort(paths);
        for (std::string& path : paths) {
            std::error_code error;
            if (!fs::is_directory(path, error)) {
                add(input, std::move(path));
            } else if (std::string why = take_directory(input, path); !why.empty()) {
                return why;
            }
        }
        return found_.size() > k_most_files ? too_many(input.path) : "";
    }

    void add(const Input& like, std::string path) {
        Input& input = found_.emplace_back(like);
        input.path = std::move(path);
    }

    bool any_;
    std::vector<Input> found_;
};

}  // namespace

std::optional<std::vector<Input>> expand_inputs(const std::vector<Input>& inputs, bool any,
                                                std::string& why) {
    Expander expander(any);
    for (const Input& input : inputs) {
        why = expander.take(input);
        if (!why.empty()) return std::nullopt;
    }
    return expander.found();
}

}  // namespace perfrelay::client
