#include "client/command_words.h"

#include <algorithm>
#include <utility>

#include "client/normalise.h"

namespace perfrelay::client {
namespace {

bool holds(std::span<const std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

class Reader {
  public:
    Reader(const Command& command, std::span<const char* const> words, Options& options)
        : command_(command), words_(words), options_(options) {}

    // "" or what is wrong.
    std::string operator()(CommandWords& into) {
        bool only_files = false;
        for (; at_ < words_.size(); ++at_) {
            const std::string_view word = words_[at_];
            if (!only_files && word == "--") {
                only_files = true;
            } else if (only_files || !is_option(word)) {
                into.files.emplace_back(word);
            } else if (std::string why = take_option(word, into); !why.empty()) {
                return why;
            }
        }
        return "";
    }

  private:
    static bool is_option(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

    std::string take_option(std::string_view word, CommandWords& into) {
        const std::size_t dashes = word.starts_with("--") ? 2 : 1;
        const std::size_t equals = std::min(word.find('='), word.size());
        const std::string spelling(word.substr(0, equals));
        std::string_view name = word.substr(dashes, equals - dashes);
        const OptionLine* const line = find_option(name);
        const bool is_own = holds(command_.switches, name) || holds(command_.values, name);
        if (!is_own && line != nullptr) name = line->names.front();
        const bool is_shared = line != nullptr && holds(command_.shared, name);
        if (!is_own && !is_shared && name != "help") return not_taken(spelling, line);

        std::optional<std::string> value;
        if (equals < word.size()) value = word.substr(equals + 1);
        if (holds(command_.values, name) || (is_shared && line->argument != OptionArgument::none)) {
            const std::string_view next = at_ + 1 < words_.size() ? words_[at_ + 1] : "";
            if (!value && !is_option(next)) {
                value = next;
                ++at_;
            }
            if (!value || value->empty()) return spelling + " needs a value";
        } else if (value) {
            return spelling + " takes no value, and here is '" + *value + "'";
        }
        std::string why;
        if (is_shared && !line->set(options_, value.value_or(""), why)) return spelling + " " + why;
        const bool again =
            !into.options.insert_or_assign(std::string(name), value.value_or("")).second;
        return again && value && is_own ? spelling + " is given twice" : "";
    }

    std::string not_taken(const std::string& spelling, const OptionLine* line) const {
        const std::string command(command_.name);
        return spelling + (line != nullptr ? " is no option of " + command : ": unknown option") +
               "; perfclient " + command + " --help lists them";
    }

    const Command& command_;
    std::span<const char* const> words_;
    Options& options_;
    std::size_t at_ = 0;
};

}  // namespace

std::string CommandWords::value(std::string_view name) const {
    const auto found = options.find(name);
    return found == options.end() ? "" : found->second;
}

std::optional<CommandWords> read_command(const Command& command, std::span<const char* const> words,
                                         Options& options, std::string& why) {
    CommandWords read;
    why = Reader(command, words, options)(read);
    if (!why.empty()) return std::nullopt;
    return read;
}

}  // namespace perfrelay::client
