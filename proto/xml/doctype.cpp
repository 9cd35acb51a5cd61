#include "proto/xml/doctype.h"

#include <algorithm>

#include "proto/model/xml_chars.h"

namespace perfrelay::xml {

namespace {

constexpr std::string_view k_start = "<!DOCTYPE";

void skip_spaces(std::string_view& text) {
    while (!text.empty() && is_space(text.front()))
        text.remove_prefix(1);
}

bool take_literal(std::string_view& text, std::string_view& literal) {
    skip_spaces(text);
    if (text.empty() || (text[0] != '"' && text[0] != '\'')) return false;
    const std::size_t end = text.find(text[0], 1);
    if (end == std::string_view::npos) return false;
    literal = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return true;
}

bool take_word(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

// XML 1.0 4.2.2: white space in a public identifier is collapsed.
std::string collapse(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (!is_space(c)) {
            out += c;
        } else if (!out.empty() && out.back() != ' ') {
            out += ' ';
        }
    }
    if (out.ends_with(' ')) out.pop_back();
    return out;
}

// What may hold anything up to its end.
struct Opening {
    std::string_view start;
    std::string_view end;
};
constexpr Opening k_openings[] = {{"<!--", "-->"}, {"<?", "?>"}, {"\"", "\""}, {"'", "'"}};

const Opening* opening_of(std::string_view text) {
    const auto* found = std::ranges::find_if(
        k_openings, [&](const Opening& opening) { return text.starts_with(opening.start); });
    return found == std::end(k_openings) ? nullptr : found;
}

// Past what opens at `at`: the offset behind its end, `at` when nothing opens here, npos when it
// does not end.
std::size_t skip_opaque(std::string_view text, std::size_t at) {
    const Opening* opening = opening_of(text.substr(at));
    if (opening == nullptr) return at;
    const std::size_t found = text.find(opening->end, at + opening->start.size());
    return found == std::string_view::npos ? found : found + opening->end.size();
}

// Whether what begins like `text` could still turn into `start`.
bool may_become(std::string_view text, std::string_view start) {
    return text.size() < start.size() && start.starts_with(text);
}

}  // namespace

bool DoctypeText::find(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size() && !text.substr(at).starts_with(k_start)) {
        const std::size_t behind = is_space(text[at]) ? at + 1 : skip_opaque(text, at);
        if (behind == at || behind == std::string_view::npos) return false;
        at = behind;
    }
    text = text.substr(std::min(at, text.size()));
    const auto length = PrologScan().doctype(text);
    return length && parse(text.substr(k_start.size(), *length - k_start.size() - 1));
}

bool DoctypeText::parse(std::string_view declaration) {
    std::string scratch;
    text_ = normalize_line_ends(declaration, scratch);
    doctype_ = {};
    std::string_view rest = text_;
    skip_spaces(rest);
    const std::size_t name = rest.find_first_of(" \t\n[");
    doctype_.name = rest.substr(0, name);
    rest.remove_prefix(doctype_.name.size());
    skip_spaces(rest);
    if (!is_name(doctype_.name)) return false;
    if (take_word(rest, "PUBLIC")) {
        std::string_view literal;
        if (!take_literal(rest, literal)) return false;
        public_id_ = collapse(literal);
        doctype_.public_id = public_id_;
        doctype_.has_system_id = true;
        if (!take_literal(rest, doctype_.system_id)) return false;
    } else if (take_word(rest, "SYSTEM")) {
        doctype_.has_system_id = true;
        if (!take_literal(rest, doctype_.system_id)) return false;
    }
    skip_spaces(rest);
    if (take_word(rest, "[")) {
        const std::size_t end = rest.rfind(']');
        if (end == std::string_view::npos) return false;
        doctype_.has_internal_subset = true;
        doctype_.internal_subset = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        skip_spaces(rest);
    }
    return rest.empty();
}

// To the end of what is open. False when it has not come yet.
std::string declaration_text(const Doctype& doctype) {
    std::string text(doctype.name);
    const auto add_literal = [&text](std::string_view literal) {
        const char quote = literal.find('"') == std::string_view::npos ? '"' : '\'';
        text += ' ';
        text += quote;
        text += literal;
        text += quote;
    };
    if (doctype.has_system_id) {
        text += doctype.public_id.empty() ? " SYSTEM" : " PUBLIC";
        if (!doctype.public_id.empty()) add_literal(doctype.public_id);
        add_literal(doctype.system_id);
    }
    if (doctype.has_internal_subset) {
        text += " [";
        text += doctype.internal_subset;
        text += ']';
    }
    return text;
}

bool PrologScan::skip_opaque(std::string_view text) {
    if (awaited_.empty()) return true;
    const std::size_t found = text.find(awaited_, at_);
    if (found == std::string_view::npos) {
        // The end's own start may be there.
        at_ = std::max(at_, text.size() - std::min(text.size(), awaited_.size() - 1));
        return false;
    }
    at_ = found + awaited_.size();
    awaited_ = {};
    return true;
}

std::optional<std::size_t> PrologScan::doctype(std::string_view text) {
    at_ = std::max(at_, k_start.size());
    while (skip_opaque(text) && at_ < text.size()) {
        const std::string_view rest = text.substr(at_);
        const char c = rest.front();
        if (may_become(rest, "<!--") || may_become(rest, "<?")) break;
        if (const Opening* opening = opening_of(rest); opening != nullptr) {
            awaited_ = opening->end;
            at_ += opening->start.size();
            continue;
        }
        if (c == '[') in_subset_ = true;
        if (c == ']') in_subset_ = false;
        ++at_;
        if (c == '>' && !in_subset_) return at_;
    }
    return std::nullopt;
}

std::optional<std::size_t> PrologScan::length(std::string_view text) {
    while (true) {
        if (in_doctype_) {
            if (!doctype(text)) return std::nullopt;
            in_doctype_ = false;
        }
        if (!skip_opaque(text)) return std::nullopt;
        while (at_ < text.size() && is_space(text[at_]))
            ++at_;
        const std::string_view rest = text.substr(at_);
        if (rest.empty() || may_become(rest, "<!--") || may_become(rest, k_start)) {
            return std::nullopt;
        }
        if (rest.starts_with(k_start)) {
            in_doctype_ = true;
            at_ += k_start.size();
        } else if (const Opening* opening = opening_of(rest);
                   opening != nullptr && rest.front() == '<') {
            awaited_ = opening->end;
            at_ += opening->start.size();
        } else {
            return at_ + 1;  // the root, or something that the parser will refuse
        }
    }
}

std::string_view after_parameter_reference(std::string_view internal_subset) {
    bool in_declaration = false;
    for (std::size_t at = 0; at < internal_subset.size();) {
        const std::size_t behind = skip_opaque(internal_subset, at);
        if (behind == std::string_view::npos) return {};
        if (behind != at) {
            at = behind;
            continue;
        }
        if (internal_subset[at] == '<') in_declaration = true;
        if (internal_subset[at] == '>') in_declaration = false;
        if (internal_subset[at] == '%' && !in_declaration) return internal_subset.substr(at + 1);
        ++at;
    }
    return {};
}

std::vector<std::string_view> parameter_references(std::string_view internal_subset) {
    std::vector<std::string_view> names;
    for (const std::string_view percent : {"%", "&#37;", "&#x25;"}) {
        for (std::size_t at = internal_subset.find(percent); at != std::string_view::npos;
             at = internal_subset.find(percent, at + 1)) {
            const std::string_view rest = internal_subset.substr(at + percent.size());
            const std::string_view name = rest.substr(0, rest.find(';'));
            if (is_name(name)) names.push_back(name);
        }
    }
    return names;
}

bool declares_parameter_entity(std::string_view internal_subset, std::string_view name) {
    for (std::size_t at = internal_subset.find(name); at != std::string_view::npos;
         at = internal_subset.find(name, at + 1)) {
        const std::string_view behind = internal_subset.substr(at + name.size());
        std::string_view before = internal_subset.substr(0, at);
        while (!before.empty() && is_space(before.back()))
            before.remove_suffix(1);
        if (before.size() < at && before.ends_with('%') && !behind.empty() &&
            is_space(behind.front())) {
            return true;
        }
    }
    return false;
}

std::vector<ExternalEntity> external_entities(std::string_view internal_subset) {
    constexpr std::string_view k_entity = "<!ENTITY";
    std::vector<ExternalEntity> found;
    for (std::size_t at = 0; at < internal_subset.size();) {
        std::string_view rest = internal_subset.substr(at);
        if (!rest.starts_with(k_entity)) {
            const std::size_t behind = skip_opaque(internal_subset, at);
            if (behind == std::string_view::npos) break;
            at = std::max(behind, at + 1);
            continue;
        }
        at += k_entity.size();
        rest.remove_prefix(k_entity.size());
        ExternalEntity entity;
        skip_spaces(rest);
        entity.is_parameter = take_word(rest, "%");
        skip_spaces(rest);
        entity.name = rest.substr(0, rest.find_first_of(" \t\n\r\"'>"));
        rest.remove_prefix(entity.name.size());
        skip_spaces(rest);
        // Without one of these words its first literal is the replacement text.
        const bool is_public = take_word(rest, "PUBLIC");
        if (!is_public && !take_word(rest, "SYSTEM")) continue;
        if (is_public && !take_literal(rest, entity.system_id)) continue;
        if (take_literal(rest, entity.system_id)) found.push_back(entity);
    }
    return found;
}

}  // namespace perfrelay::xml
