#include "proto/exi/names.h"

namespace perfrelay::exi {

namespace {

constexpr std::string_view k_xml_names[] = {"base", "id", "lang", "space"};
constexpr std::string_view k_xsi_names[] = {"nil", "type"};
constexpr std::string_view k_xsd_names[] = {"ENTITIES",
                                            "ENTITY",
                                            "ID",
                                            "IDREF",
                                            "IDREFS",
                                            "NCName",
                                            "NMTOKEN",
                                            "NMTOKENS",
                                            "NOTATION",
                                            "Name",
                                            "QName",
                                            "anySimpleType",
                                            "anyType",
                                            "anyURI",
                                            "base64Binary",
                                            "boolean",
                                            "byte",
                                            "date",
                                            "dateTime",
                                            "decimal",
                                            "double",
                                            "duration",
                                            "float",
                                            "gDay",
                                            "gMonth",
                                            "gMonthDay",
                                            "gYear",
                                            "gYearMonth",
                                            "hexBinary",
                                            "int",
                                            "integer",
                                            "language",
                                            "long",
                                            "negativeInteger",
                                            "nonNegativeInteger",
                                            "nonPositiveInteger",
                                            "normalizedString",
                                            "positiveInteger",
                                            "short",
                                            "string",
                                            "time",
                                            "token",
                                            "unsignedByte",
                                            "unsignedInt",
                                            "unsignedLong",
                                            "unsignedShort"};

}  // namespace

std::span<const std::string_view> xsd_type_names() {
    return k_xsd_names;
}

void Names::clear(NameTable& handed_on) {
    handed_on_ = &handed_on;
    table_.clear();
    arena_.clear();
    names_.clear();
    uri_ids_.clear();
    used_uris_ = 0;
}

void Names::reset(std::span<const PresetUri> presets, NameTable& handed_on) {
    clear(handed_on);
    for (const PresetUri& preset : presets) {
        const std::uint32_t uri = add_uri(preset.text);
        for (const std::string& local : preset.locals)
            add_local(number(uri, local));
    }
    // D.2
    (void)add_prefix(k_no_uri_id, "");
    (void)add_prefix(k_xml_id, "xml");
    (void)add_prefix(k_xsi_id, "xsi");
    xsi_nil_ = find_local(k_xsi_id, "nil");
    xsi_type_ = find_local(k_xsi_id, "type");
}

void Names::reset(bool with_schema, NameTable& handed_on) {
    clear(handed_on);
    // D.1, D.2, D.3
    (void)add_prefix(add_uri(""), "");
    (void)add_prefix(add_uri(k_xml_uri), "xml");
    (void)add_prefix(add_uri(k_xsi_uri), "xsi");
    add_locals(k_xml_id, k_xml_names);
    add_locals(k_xsi_id, k_xsi_names);
    xsi_nil_ = uris_[k_xsi_id].names[0];
    xsi_type_ = uris_[k_xsi_id].names[1];
    if (with_schema) add_locals(add_uri(k_xsd_uri), xsd_type_names());
}

std::uint32_t Names::find_uri(std::string_view text) const {
    const auto found = uri_ids_.find(text);
    return found == uri_ids_.end() ? k_none : found->second;
}

std::uint32_t Names::find_local(std::uint32_t uri, std::string_view local) const {
    for (const std::uint32_t name : uris_[uri].names) {
        if (names_[name].qname->local == local) return name;
    }
    return k_none;
}

std::uint32_t Names::add_uri(std::string_view text) {
    if (used_uris_ == uris_.size()) uris_.emplace_back();
    Uri& uri = uris_[used_uris_];
    uri.text = arena_.copy(text);
    uri.names.clear();
    uri.prefixes.clear();
    uri_ids_.emplace(uri.text, used_uris_);
    return used_uris_++;
}

std::uint32_t Names::number(std::uint32_t uri, std::string_view local) {
    const std::string_view text = uris_[uri].text;
    const std::uint32_t number = table_.intern(text, local, "")->expanded;
    if (number == names_.size()) {
        // Names of the XML namespace have no other prefix (Namespaces in XML 1.0, 3).
        const QName* name = handed_on_->intern(text, local, uri == k_xml_id ? "xml" : "");
        names_.push_back({name, name, uri, k_none});
    }
    return number;
}

void Names::add_local(std::uint32_t name) {
    Uri& uri = uris_[names_[name].uri];
    if (names_[name].local == k_none)
        names_[name].local = static_cast<std::uint32_t>(uri.names.size());
    uri.names.push_back(name);
}

void Names::add_locals(std::uint32_t uri, std::span<const std::string_view> sorted) {
    for (const std::string_view local : sorted)
        add_local(number(uri, local));
}

std::uint32_t Names::find_prefix(std::uint32_t uri, std::string_view prefix) const {
    const std::vector<std::string_view>& prefixes = uris_[uri].prefixes;
    for (std::uint32_t i = 0; i < prefixes.size(); ++i) {
        if (prefixes[i] == prefix) return i;
    }
    return k_none;
}

std::string_view Names::add_prefix(std::uint32_t uri, std::string_view prefix) {
    return uris_[uri].prefixes.emplace_back(arena_.copy(prefix));
}

}  // namespace perfrelay::exi
