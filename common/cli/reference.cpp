#include "common/cli/reference.h"

#include <algorithm>
#include <cctype>

namespace perfrelay {
namespace {

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        if (text.substr(at).starts_with(what)) {
            result += by;
            at += what.size();
        } else {
            result += text[at++];
        }
    }
    return result;
}

// A word in single quotes, for any of the shells.
std::string quoted(std::string_view text) {
    return "'" + replaced(text, "'", "'\\''") + "'";
}

std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
    return text;
}

// "store", "cut-through" of "store|cut-through"; none of others.
std::vector<std::string> choices(const std::string& value) {
    std::vector<std::string> words;
    if (value.find('|') == std::string::npos) return words;
    for (std::size_t at = 0; at <= value.size();) {
        const std::size_t end = std::min(value.find('|', at), value.size());
        words.push_back(value.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : std::string(between)) + word;
    return text;
}

// For groff: a line that begins with a dot or quote is a request, a backslash an escape, a hyphen
// something else than a minus.
std::string roff(std::string_view text) {
    std::string result;
    bool line_begins = true;
    for (const char c : text) {
        if (line_begins && (c == '.' || c == '\'')) result += "\\&";
        if (c == '\\') {
            result += "\\e";
        } else if (c == '-') {
            result += "\\-";
        } else {
            result += c;
        }
        line_begins = c == '\n';
    }
    return result;
}

// Paragraphs, broken anew; lines that are indented (examples) stay as they are.
std::string roff_paragraphs(std::string_view text) {
    std::string result;
    bool as_is = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.starts_with("  ") != as_is) {
            as_is = !as_is;
            result += as_is ? ".nf\n" : ".fi\n";
        }
        result += line.empty() ? ".PP\n" : roff(line) + "\n";
    }
    return as_is ? result + ".fi\n" : result;
}

std::string man(const Reference& reference) {
    std::string text = ".TH " + upper(reference.program) +
                       " 1 \"\" \"perfrelay " PERFRELAY_VERSION "\"\n.SH NAME\n" +
                       reference.program + " \\- " + roff(reference.summary) +
                       "\n.SH SYNOPSIS\n.B " + reference.program + "\n" + roff(reference.synopsis) +
                       "\n.SH DESCRIPTION\n" + roff_paragraphs(reference.description) +
                       ".SH OPTIONS\n";
    std::string group;
    for (const ReferenceOption& option : reference.options) {
        if (option.group != group && !option.group.empty())
            text += ".SS \"" + roff(option.group) + "\"\n";
        group = option.group;
        text += ".TP\n.B " + roff(joined(option.names, ", "));
        if (!option.value.empty()) text += " \\fI" + roff(option.value) + "\\fR";
        text += "\n" + roff(option.help) + "\n";
    }
    if (!reference.commands.empty()) text += ".SH COMMANDS\n";
    for (const auto& [word, meaning] : reference.commands)
        text += ".TP\n.B " + roff(word) + "\n" + roff(meaning) + "\n";
    text += ".SH \"EXIT STATUS\"\n";
    for (const auto& [status, meaning] : reference.statuses)
        text += ".TP\n.B " + roff(status) + "\n" + roff(meaning) + "\n";
    if (!reference.see_also.empty()) text += ".SH \"SEE ALSO\"\n" + roff(reference.see_also) + "\n";
    return text;
}

// The first words of commands: "convert" of "convert [--to SPEC] IN OUT".
std::string first_words(const Reference& reference) {
    std::vector<std::string> words;
    for (const auto& [word, meaning] : reference.commands)
        words.push_back(word.substr(0, word.find(' ')));
    return joined(words, " ");
}

std::string bash(const Reference& reference) {
    const std::string& program = reference.program;
    std::string text =
        "# bash completion of " + program + "\n_" + program +
        "() {\n    local word=${COMP_WORDS[COMP_CWORD]} "
        "before=${COMP_WORDS[COMP_CWORD-1]}\n    COMPREPLY=()\n    case $before in\n";
    std::vector<std::string> all;
    for (const ReferenceOption& option : reference.options) {
        all.insert(all.end(), option.names.begin(), option.names.end());
        if (option.value.empty()) continue;
        std::string answer;
        if (const auto words = choices(option.value); !words.empty()) {
            answer = "COMPREPLY=($(compgen -W " + quoted(joined(words, " ")) + " -- \"$word\"))";
        } else if (option.value == "FILE") {
            answer = "mapfile -t COMPREPLY < <(compgen -f -- \"$word\")";
        } else if (option.value == "DIR") {
            answer = "mapfile -t COMPREPLY < <(compgen -d -- \"$word\")";
        }
        text += "        " + joined(option.names, "|") + ") " + answer +
                (answer.empty() ? "" : "; ") + "return ;;\n";
    }
    text += "    esac\n    if [[ $word == -* ]]; then\n        COMPREPLY=($(compgen -W " +
            quoted(joined(all, " ")) + " -- \"$word\"))\n    else\n";
    text += "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n";
    if (!reference.commands.empty()) {
        text += "        if ((COMP_CWORD == 1)); then COMPREPLY+=($(compgen -W " +
                quoted(first_words(reference)) + " -- \"$word\")); fi\n";
    }
    return text + "    fi\n}\ncomplete -o filenames -F _" + program + " " + program + "\n";
}

std::string zsh(const Reference& reference) {
    const auto described = [](std::string_view help) {
        return replaced(replaced(replaced(replaced(help, "\\", "\\\\"), "[", "\\["), "]", "\\]"),
                        ":", "\\:");
    };
    std::string text = "#compdef " + reference.program + "\n_arguments -S";
    for (const ReferenceOption& option : reference.options) {
        std::string value;
        if (!option.value.empty()) {
            const auto words = choices(option.value);
            value = ":" + described(option.value) + ":";
            if (!words.empty()) value += "(" + joined(words, " ") + ")";
            if (option.value == "FILE") value += "_files";
            if (option.value == "DIR") value += "_files -/";
        }
        for (const std::string& name : option.names) {
            const std::string line = "*" + name + "[" + described(option.help) + "]" + value;
            text.append(" \\\n  ").append(quoted(line));
        }
    }
    if (!reference.commands.empty()) {
        text += " \\\n  " + quoted("1:command or file:{_alternative \"commands:command:(" +
                                   first_words(reference) + ")\" \"files:file:_files\"}");
    }
    return text + " \\\n  '*:file:_files'\n";
}

std::string fish(const Reference& reference) {
    const std::string start = "complete -c " + reference.program;
    std::string text = "# fish completion of " + reference.program + "\n";
    for (const ReferenceOption& option : reference.options) {
        text += start;
        for (const std::string& name : option.names) {
            const bool two = name.starts_with("--");
            const std::string bare = name.substr(two ? 2 : 1);
            text += (two ? " -l " : bare.size() == 1 ? " -s " : " -o ") + quoted(bare);
        }
        if (const auto words = choices(option.value); !words.empty()) {
            text += " -x -a " + quoted(joined(words, " "));
        } else if (option.value == "FILE" || option.value == "DIR") {
            text += " -r";
        } else if (!option.value.empty()) {
            text += " -x";
        }
        text += " -d " + quoted(option.help) + "\n";
    }
    for (const auto& [word, meaning] : reference.commands) {
        text += start + " -n __fish_is_first_token -a " + quoted(word.substr(0, word.find(' '))) +
                " -d " + quoted(meaning) + "\n";
    }
    return text;
}

}  // namespace

std::optional<std::string> render(const Reference& reference, std::string_view kind) {
    if (kind == "man") return man(reference);
    if (kind == "bash") return bash(reference);
    if (kind == "zsh") return zsh(reference);
    if (kind == "fish") return fish(reference);
    return std::nullopt;
}

}  // namespace perfrelay
