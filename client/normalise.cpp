#include "client/normalise.h"

#include <algorithm>

#include "common/cli/spelling.h"

namespace perfrelay::client {
namespace {

// A word that begins like an option, taken apart. "-" alone is standard input.
struct OptionWord {
    std::string_view dashes;
    std::string_view name;
    std::optional<std::string_view> value;
};

std::optional<OptionWord> option_word(std::string_view word) {
    if (word.size() < 2 || word.front() != '-' || word == "--") return std::nullopt;
    OptionWord option;
    option.dashes = word.substr(0, word.starts_with("--") ? 2 : 1);
    const std::size_t equals = std::min(word.find('='), word.size());
    option.name = word.substr(option.dashes.size(), equals - option.dashes.size());
    if (equals < word.size()) option.value = word.substr(equals + 1);
    return option;
}

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

const OptionLine* find_command(std::string_view name) {
    for (const OptionLine& line : option_table()) {
        if (line.group == OptionGroup::commands && line.names.front() == name) return &line;
    }
    return nullptr;
}

class Normaliser {
  public:
    explicit Normaliser(std::span<const char* const> words) : words_(words) {}

    Normalised operator()() {
        for (; at_ < words_.size() && result_.action != Action::relay; ++at_) {
            const std::string_view word = words_[at_];
            if (!only_files_ && word == "--") {
                only_files_ = true;
            } else if (const auto option = option_word(word); option && !only_files_) {
                take_option(word, *option);
            } else {
                take_file(word);
            }
        }
        return std::move(result_);
    }

  private:
    void fail(std::string problem) {
        if (!result_.problem) result_.problem = std::move(problem);
    }

    void take_file(std::string_view word) {
        // A file of that name: ./convert
        const OptionLine* const command = find_command(word);
        if (result_.inputs.empty() && !only_files_ && command != nullptr) {
            fail(std::string(word) + " stands before its options; a file of this name is ./" +
                 std::string(word));
        }
        take_input({std::string(word), ""});
    }

    // With the schema that stands before it.
    void take_input(Input input) {
        input.schema = schema_;
        input.schema_auto = schema_auto_;
        result_.inputs.push_back(std::move(input));
    }

    void take_option(std::string_view word, const OptionWord& option) {
        const std::string spelling = std::string(option.dashes) + std::string(option.name);
        const OptionLine* const line = find_option(option.name);
        if (line == nullptr) {
            unknown(word, option, spelling);
            return;
        }
        std::optional<std::string> value;
        if (option.value) value = std::string(*option.value);
        if (take_value(*line, spelling, value)) apply(*line, spelling, value);
    }

    // The value of `line`, from behind the "=" or from the next word. False: there is none, or it
    // takes none.
    bool take_value(const OptionLine& line, const std::string& spelling,
                    std::optional<std::string>& value) {
        if (line.argument == OptionArgument::none && value) {
            fail(spelling + " takes no value, and here is '" + *value + "'");
            return false;
        }
        const std::string_view next = at_ + 1 < words_.size() ? words_[at_ + 1] : "";
        if (line.argument == OptionArgument::optional_number && !value && is_number(next)) {
            value = std::string(next);
            ++at_;
        }
        if (line.argument != OptionArgument::required) return true;
        if (!value && !next.empty() && !is_option(next)) {
            value = std::string(next);
            ++at_;
        }
        if (value && !value->empty()) return true;
        fail(spelling + " needs a value, as in " + spelling + " " + std::string(line.value));
        return false;
    }

    static bool is_option(std::string_view word) {
        const auto option = option_word(word);
        return word == "--" || (option && find_option(option->name) != nullptr);
    }

    static Action action_of(std::string_view name) {
        if (name == "version") return Action::version;
        if (name == "list-formats") return Action::list_formats;
        if (name == "list-links") return Action::list_links;
        return Action::run;
    }

    void apply(const OptionLine& line, const std::string& spelling,
               const std::optional<std::string>& value) {
        const std::string_view name = line.names.front();
        if (!line.mode.empty()) {
            result_.arguments.push_back("--format=" + std::string(line.mode));
        } else if (name == "netrelay" || (name == "network" && value && is_number(*value))) {
            become_relay(line, spelling, *value);
        } else if (name == "generate" || name == "sqlite") {
            take_input({*value, "", name == "generate", name == "sqlite"});
        } else if (name == "schema" || name == "noschema" || name == "schema-auto") {
            schema_ = value.value_or("");
            schema_auto_ = name == "schema-auto";
        } else if (name == "help") {
            result_.action = Action::help;
        } else if (const Action action = action_of(name); action != Action::run) {
            if (result_.action == Action::run) result_.action = action;
        } else {
            result_.spellings[std::string(name)] = spelling;
            std::string argument = "--" + std::string(name);
            if (value) {
                argument += "=" + *value;
            } else if (line.argument == OptionArgument::optional_number) {
                argument += "=auto";
            }
            result_.arguments.push_back(std::move(argument));
        }
    }

    // All other words are perfrelay's; it knows best which of them it takes. efxperf also wrote
    // "-net PORT", which a measurement cannot mean: it names a host.
    void become_relay(const OptionLine& line, const std::string& spelling,
                      const std::string& port) {
        const std::string_view word = words_[at_];
        const std::size_t option_words = word.find('=') == std::string_view::npos ? 2 : 1;
        const std::size_t first = at_ + 1 - option_words;
        std::vector<std::string> arguments{port};
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (i < first || i > at_) arguments.emplace_back(words_[i]);
        }
        const auto is_foreign = [](const std::string& other) {
            const auto option = option_word(other);
            const OptionLine* const known = option ? find_option(option->name) : nullptr;
            return known == nullptr || known->names.front() != "verbose";
        };
        if (line.names.front() == "network" &&
            std::any_of(arguments.begin() + 1, arguments.end(), is_foreign)) {
            fail(spelling + " '" + port + "': no host; it is HOST:PORT, as in localhost:" + port);
            return;
        }
        result_.action = Action::relay;
        result_.problem.reset();
        result_.relay_arguments = std::move(arguments);
    }

    void unknown(std::string_view word, const OptionWord& option, const std::string& spelling) {
        const std::string near = nearest_option(option.name);
        if (near.empty()) {
            fail(std::string(word) +
                 ": unknown option; -help lists them, a file of this name is ./" +
                 std::string(word));
        } else {
            fail(spelling + ": unknown option, did you mean " + std::string(option.dashes) + near +
                 "?");
        }
    }

    std::span<const char* const> words_;
    std::size_t at_ = 0;
    std::string schema_;
    bool schema_auto_ = false;
    bool only_files_ = false;
    Normalised result_;
};

}  // namespace

const OptionLine* find_option(std::string_view name) {
    if (name.empty()) return nullptr;
    for (const OptionLine& line : option_table()) {
        if (line.group == OptionGroup::commands) continue;
        if (std::find(line.names.begin(), line.names.end(), name) != line.names.end()) return &line;
    }
    return nullptr;
}

Normalised normalise(std::span<const char* const> words) {
    return Normaliser(words)();
}

std::string nearest_option(std::string_view name) {
    // "-r5", as other programs take it.
    const std::size_t digit = std::min(name.find_first_of("0123456789"), name.size());
    const OptionLine* const line = find_option(name.substr(0, digit));
    if (line != nullptr && line->argument != OptionArgument::none && digit < name.size()) {
        return std::string(name.substr(0, digit)) + " " + std::string(name.substr(digit));
    }
    std::string_view best;
    // A third of the letters may be wrong: "xlm" is near xml, "abc" is near nothing.
    // Few get the first letter wrong: it decides between equals.
    std::size_t best_cost = 2 * std::max<std::size_t>(1, name.size() / 3) + 2;
    for (const OptionLine& known : option_table()) {
        if (known.group == OptionGroup::commands) continue;
        for (const std::string_view candidate : known.names) {
            if (candidate.size() < 2) continue;
            const bool begins_alike = !name.empty() && name.front() == candidate.front();
            const std::size_t cost = 2 * edit_distance(name, candidate) + (begins_alike ? 0 : 1);
            if (cost < best_cost) {
                best = candidate;
                best_cost = cost;
            }
        }
    }
    return std::string(best);
}

}  // namespace perfrelay::client
