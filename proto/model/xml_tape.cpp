#include "proto/model/xml_tape.h"

#include <algorithm>

namespace perfrelay {

namespace {

using Event = XmlTape::Event;
using Kind = XmlTape::Kind;

std::string name_text(const QName& name, bool with_prefix) {
    std::string text = "{" + std::string(name.uri) + "}";
    if (with_prefix && !name.prefix.empty()) text += std::string(name.prefix) + ":";
    return text + std::string(name.local);
}

// A value for a message: quoted, controls escaped, shortened around `from`, the first difference.
std::string quoted(std::string_view text, std::size_t from) {
    constexpr std::size_t k_before = 12;
    constexpr std::size_t k_shown = 40;
    const std::size_t start = from > k_before ? from - k_before : 0;
    std::string out = start > 0 ? "\"..." : "\"";
    for (const char c : text.substr(start, k_shown)) {
        constexpr std::string_view k_hex = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20) {
            out += c;
        } else {
            out += "\\x";
            out += k_hex[byte >> 4U];
            out += k_hex[byte & 0xFU];
        }
    }
    return out + (start + k_shown < text.size() ? "...\"" : "\"");
}

std::string two_values(std::string_view expected, std::string_view actual) {
    const auto [a, b] =
        std::mismatch(expected.begin(), expected.end(), actual.begin(), actual.end());
    const auto at = static_cast<std::size_t>(a - expected.begin());
    return quoted(actual, at) + " where " + quoted(expected, at) + " was written";
}

// Walks one tape, leaving out what `fidelity` does not keep and joining the text around it.
class Cursor {
  public:
    Cursor(const XmlTape& tape, const Fidelity& fidelity)
        : next_(tape.events().data()), end_(next_ + tape.events().size()), fidelity_(fidelity) {}

    // The next kept event, or null at the end. `text()` is then its text, joined.
    const Event* next() {
        while (next_ != end_ && !kept(next_->kind()))
            ++next_;
        if (next_ == end_) return nullptr;
        const Event* event = next_++;
        text_ = event->text_view();
        if (event->kind() != Kind::characters) return event;
        bool joined = false;
        for (; next_ != end_; ++next_) {
            if (!kept(next_->kind())) continue;
            if (next_->kind() != Kind::characters) break;
            if (!joined) joined_.assign(text_);
            joined = true;
            joined_ += next_->text_view();
        }
        if (joined) text_ = joined_;
        return event;
    }
    std::string_view text() const { return text_; }

    // The declarations and attributes that directly follow, as they stand.
    std::span<const Event> attributes() {
        const Event* first = next_;
        while (next_ != end_ &&
               (next_->kind() == Kind::attribute || next_->kind() == Kind::namespace_declaration)) {
            ++next_;
        }
        return {first, next_};
    }

  private:
    bool kept(Kind kind) const {
        switch (kind) {
            case Kind::doctype: return fidelity_.doctype;
            case Kind::comment: return fidelity_.comments;
            case Kind::processing_instruction: return fidelity_.processing_instructions;
            case Kind::entity_reference: return fidelity_.entity_references;
            case Kind::namespace_declaration: return fidelity_.prefixes;
            case Kind::start_element:
            case Kind::attribute:
            case Kind::characters:
            case Kind::end_element: return true;
        }
        return true;
    }

    const Event* next_;
    const Event* end_;
    const Fidelity& fidelity_;
    std::string_view text_;
    std::string joined_;
};

std::string describe_event(const Event* event, std::string_view text, bool prefixes) {
    if (event == nullptr) return "the end of the document";
    switch (event->kind()) {
        case Kind::doctype: return "DOCTYPE " + std::string(event->doctype->name);
        case Kind::start_element: return "start of " + name_text(*event->name, prefixes);
        case Kind::end_element: return "end of " + name_text(*event->name, prefixes);
        case Kind::attribute: return "attribute " + name_text(*event->name, prefixes);
        case Kind::namespace_declaration:
            return "namespace declaration of \"" + std::string(event->first_view()) + "\"";
        case Kind::characters: return "text " + quoted(text, 0);
        case Kind::comment: return "comment " + quoted(text, 0);
        case Kind::processing_instruction:
            return "processing instruction " + std::string(event->first_view());
        case Kind::entity_reference: return "reference to entity " + std::string(text);
    }
    return {};
}

// Declarations in scope.
class Scope {
  public:
    void declare(std::span<const Event> events, std::size_t depth) {
        for (const Event& event : events) {
            if (event.kind() == Kind::namespace_declaration)
                declared_.push_back({event.first_view(), event.text_view(), depth});
        }
    }
    void close(std::size_t depth) {
        while (!declared_.empty() && declared_.back().depth > depth)
            declared_.pop_back();
    }
    // URI and local name; the whole text is the name where its prefix has no declaration.
    std::pair<std::string_view, std::string_view> resolved(std::string_view text) const {
        const std::size_t colon = text.find(':');
        const bool prefixed = colon != std::string_view::npos;
        const std::string_view prefix = text.substr(0, prefixed ? colon : 0);
        for (auto it = declared_.rbegin(); it != declared_.rend(); ++it) {
            if (it->prefix != prefix) continue;
            if (it->uri.empty()) break;
            return {it->uri, prefixed ? text.substr(colon + 1) : text};
        }
        return {{}, text};
    }

  private:
    struct Declared {
        std::string_view prefix;
        std::string_view uri;
        std::size_t depth;
    };
    std::vector<Declared> declared_;
};

constexpr std::string_view k_xsd_uri = "http://www.w3.org/2001/XMLSchema";
constexpr std::string_view k_xsi_uri = "http://www.w3.org/2001/XMLSchema-instance";

bool is_xsi_type(const QName& name) {
    return name.local == "type" && name.uri == k_xsi_uri;
}
bool has_xsi_type(const std::vector<const Event*>& attributes) {
    return std::any_of(attributes.begin(), attributes.end(),
                       [](const Event* event) { return is_xsi_type(*event->name); });
}

class Comparison {
  public:
    Comparison(const XmlTape& expected, const XmlTape& actual, const Fidelity& fidelity)
        : fidelity_(fidelity), expected_(expected, fidelity), actual_(actual, fidelity) {}

    std::optional<std::string> run() {
        for (;; ++count_) {
            const Event* a = expected_.next();
            const Event* b = actual_.next();
            if (a == nullptr && b == nullptr) return std::nullopt;
            if (auto found = compare(a, b)) return at_place(*found);
            if (a->kind() == Kind::start_element) {
                path_.push_back(a->name);
                if (auto found = compare_attributes()) return at_place(*found);
            } else if (a->kind() == Kind::end_element && !path_.empty()) {
                path_.pop_back();
                a_scope_.close(path_.size());
                b_scope_.close(path_.size());
            }
        }
    }

  private:
    std::optional<std::string> compare(const Event* a, const Event* b) {
        const auto other = [&] {
            return describe_event(b, actual_.text(), fidelity_.prefixes) + " where " +
                   describe_event(a, expected_.text(), fidelity_.prefixes) + " was written";
        };
        if (a == nullptr || b == nullptr || a->kind() != b->kind()) return other();
        switch (a->kind()) {
            case Kind::start_element:
            case Kind::end_element:
                if (!same_name(*a->name, *b->name)) return other();
                return std::nullopt;
            case Kind::doctype: return compare_doctype(*a->doctype, *b->doctype);
            case Kind::processing_instruction:
                if (a->first_view() != b->first_view()) return other();
                break;
            case Kind::characters:
            case Kind::comment:
            case Kind::entity_reference: break;
            // Attributes and declarations are taken with their element; here one stands alone.
            case Kind::attribute:
            case Kind::namespace_declaration: return other();
        }
        if (expected_.text() == actual_.text()) return std::nullopt;
        if (a->kind() == Kind::characters && same_value(expected_.text(), actual_.text()))
            return std::nullopt;
        return std::string(k_kind_names[static_cast<std::size_t>(a->kind())]) + " " +
               two_values(expected_.text(), actual_.text());
    }

    bool same_value(std::string_view written, std::string_view read) const {
        return fidelity_.same_value != nullptr && fidelity_.same_value(written, read);
    }
    bool same_name(const QName& a, const QName& b) const {
        return fidelity_.prefixes ? a.same(b) : a.same_expanded(b);
    }

    std::optional<std::string> compare_doctype(const Doctype& a, const Doctype& b) const {
        if (a.name != b.name) return "DOCTYPE name " + two_values(a.name, b.name);
        if (a.public_id != b.public_id)
            return "DOCTYPE public id " + two_values(a.public_id, b.public_id);
        if (a.system_id != b.system_id || a.has_system_id != b.has_system_id) {
            return "DOCTYPE system id " + two_values(a.system_id, b.system_id);
        }
        if (!fidelity_.internal_subset) return std::nullopt;
        if (a.internal_subset != b.internal_subset ||
            a.has_internal_subset != b.has_internal_subset) {
            return "DOCTYPE internal subset " + two_values(a.internal_subset, b.internal_subset);
        }
        return std::nullopt;
    }

    // The element's attributes (or declarations) in an order of their own, so that document order
    // does not count.
    void collect(std::span<const Event> events, Kind kind, std::vector<const Event*>& out) const {
        out.clear();
        for (const Event& event : events) {
            if (event.kind() != kind) continue;
            if (kind == Kind::attribute && fidelity_.leaves_out != nullptr &&
                fidelity_.leaves_out(*event.name, event.text_view())) {
                continue;
            }
            out.push_back(&event);
        }
        std::sort(out.begin(), out.end(), [](const Event* a, const Event* b) {
            if (a->kind() == Kind::namespace_declaration) return a->first_view() < b->first_view();
            return a->name->local != b->name->local ? a->name->local < b->name->local
                                                    : a->name->uri < b->name->uri;
        });
    }

    std::optional<std::string> compare_attributes() {
        const auto a = expected_.attributes();
        const auto b = actual_.attributes();
        a_scope_.declare(a, path_.size());
        b_scope_.declare(b, path_.size());
        for (const Kind kind : {Kind::namespace_declaration, Kind::attribute}) {
            if (kind == Kind::namespace_declaration && !fidelity_.prefixes) continue;
            collect(a, kind, a_sorted_);
            collect(b, kind, b_sorted_);
            if (fidelity_.may_add_any_type) leave_out_added(kind);
            for (std::size_t i = 0; i < std::max(a_sorted_.size(), b_sorted_.size()); ++i) {
                const Event* x = i < a_sorted_.size() ? a_sorted_[i] : nullptr;
                const Event* y = i < b_sorted_.size() ? b_sorted_[i] : nullptr;
                if (auto found = compare_attribute(x, y)) return found;
            }
        }
        return std::nullopt;
    }

    // Fidelity::may_add_any_type
    void leave_out_added(Kind kind) {
        const auto added = [&](const Event* event) {
            if (kind == Kind::attribute) {
                return is_xsi_type(*event->name) && !has_xsi_type(a_sorted_) &&
                       b_scope_.resolved(event->text_view()) ==
                           std::pair(k_xsd_uri, std::string_view("anyType"));
            }
            const bool of_it = event->text_view() == k_xsd_uri || event->text_view() == k_xsi_uri;
            return of_it &&
                   std::none_of(a_sorted_.begin(), a_sorted_.end(), [&](const Event* written) {
                       return written->first_view() == event->first_view();
                   });
        };
        std::erase_if(b_sorted_, added);
    }

    std::optional<std::string> compare_attribute(const Event* a, const Event* b) const {
        const auto described = [&](const Event* event) {
            return event == nullptr ? std::string("no more attributes")
                                    : describe_event(event, {}, fidelity_.prefixes);
        };
        const bool same = a != nullptr && b != nullptr &&
                          (a->kind() == Kind::attribute ? same_name(*a->name, *b->name)
                                                        : a->first_view() == b->first_view());
        if (!same) return described(b) + " where " + described(a) + " was written";
        if (a->text_view() == b->text_view()) return std::nullopt;
        if (a->kind() == Kind::attribute && same_value(a->text_view(), b->text_view()))
            return std::nullopt;
        // Without prefixes, an xsi:type keeps the name that it stands for.
        if (!fidelity_.prefixes && is_xsi_type(*a->name) &&
            a_scope_.resolved(a->text_view()) == b_scope_.resolved(b->text_view())) {
            return std::nullopt;
        }
        return described(a) + ": " + two_values(a->text_view(), b->text_view());
    }

    std::string at_place(const std::string& found) const {
        std::string path;
        for (const QName* name : path_)
            path += "/" + std::string(name->local);
        constexpr std::size_t k_longest = 80;
        if (path.size() > k_longest) path = "..." + path.substr(path.size() - k_longest);
        return "event " + std::to_string(count_ + 1) + (path.empty() ? "" : " in " + path) + ": " +
               found;
    }

    static constexpr std::string_view k_kind_names[] = {"DOCTYPE",
                                                        "element",
                                                        "namespace",
                                                        "attribute",
                                                        "text",
                                                        "comment",
                                                        "processing instruction",
                                                        "reference",
                                                        "element end"};

    const Fidelity& fidelity_;
    Cursor expected_;
    Cursor actual_;
    Scope a_scope_;
    Scope b_scope_;
    std::vector<const QName*> path_;
    std::vector<const Event*> a_sorted_;
    std::vector<const Event*> b_sorted_;
    std::size_t count_ = 0;
};

}  // namespace

std::optional<std::string> difference(const XmlTape& expected, const XmlTape& actual,
                                      const Fidelity& fidelity) {
    return Comparison(expected, actual, fidelity).run();
}

}  // namespace perfrelay
