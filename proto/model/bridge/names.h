#pragma once
// Names of bound documents: how elements and attributes are called in objects.
//
//   order, p:order            an element as it is written
//   {urn:x}order, {urn:x}p:order
//                             where the document does not declare what the prefix stands for (some
//                             formats keep no declarations)
//   @id, @xml:lang, @xmlns:p  attributes and declarations
//   #document, #text ..       what no name of XML can be, as the DOM calls it
// Source: Namespaces in XML 1.0 sections 3 to 6.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "proto/model/name_table.h"

namespace perfrelay::bridge {

inline constexpr std::string_view k_xml_uri = "http://www.w3.org/XML/1998/namespace";

// Classes.
inline constexpr std::string_view k_document = "#document";
inline constexpr std::string_view k_entity_reference = "#entity-reference";
// Fields.
inline constexpr std::string_view k_text = "#text";
inline constexpr std::string_view k_content = "#content";        // texts and elements, in order
inline constexpr std::string_view k_attributes = "#attributes";  // name, value, name, value ..
inline constexpr std::string_view k_declaration = "@xmlns";

// The class of an element: its name, but no class of Java's own.
inline std::string class_name(std::string_view element) {
    return (element.starts_with("java") ? "#" : "") + std::string(element);
}
inline std::string_view element_of_class(std::string_view name) {
    return name.starts_with("#java") ? name.substr(1) : name;
}

inline std::string declaration_name(std::string_view prefix) {
    return std::string(k_declaration) + (prefix.empty() ? "" : ":") + std::string(prefix);
}

// Which uri each prefix stands for, in the elements that are open. Constant time a look-up, however
// deep the document.
class Scope {
  public:
    Scope() {
        declare("", "");
        declare("xml", k_xml_uri);
    }
    void declare(std::string_view prefix, std::string_view uri) {
        const auto [at, fresh] = ids_.emplace(prefix, static_cast<std::uint32_t>(bindings_.size()));
        if (fresh) bindings_.emplace_back();
        bindings_[at->second].emplace_back(uri);
        undo_.push_back(at->second);
    }
    // Nothing when no element declares it.
    std::optional<std::string_view> uri_of(std::string_view prefix) const {
        const auto found = ids_.find(std::string(prefix));
        if (found == ids_.end() || bindings_[found->second].empty()) return std::nullopt;
        return bindings_[found->second].back();
    }
    // What was declared since `mark` is undone.
    std::size_t mark() const { return undo_.size(); }
    void leave(std::size_t mark) {
        for (; undo_.size() > mark; undo_.pop_back())
            bindings_[undo_.back()].pop_back();
    }

  private:
    std::unordered_map<std::string, std::uint32_t> ids_;
    std::vector<std::vector<std::string>> bindings_;  // by id, the innermost last
    std::vector<std::uint32_t> undo_;
};

// "p:order", or with the uri in front.
inline std::string written_name(const QName& name, bool with_uri) {
    std::string text;
    if (with_uri) text = "{" + std::string(name.uri) + "}";
    if (!name.prefix.empty()) text += std::string(name.prefix) + ":";
    return text + std::string(name.local);
}

// The parts of a written name; `uri` only where it is in front. They may be no names of XML.
struct WrittenName {
    std::optional<std::string_view> uri;
    std::string_view prefix;
    std::string_view local;
};
inline WrittenName split_name(std::string_view text) {
    WrittenName name;
    if (text.starts_with('{')) {
        const std::size_t end = text.rfind('}');
        if (end == std::string_view::npos) return name;
        name.uri = text.substr(1, end - 1);
        text.remove_prefix(end + 1);
    }
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos) name.prefix = text.substr(0, colon);
    name.local = text.substr(colon == std::string_view::npos ? 0 : colon + 1);
    return name;
}

}  // namespace perfrelay::bridge
