#include "proto/exi/names.h"

#include <algorithm>

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

bool KeptNames::trim() {
    constexpr std::size_t k_most_bytes = std::size_t{256} << 10U;
    for (; counted_ < table.size(); ++counted_) {
        const QName& name = *table[counted_];
        bytes_ += sizeof name + name.local.size() + name.prefix.size();
        const bool shared = counted_ != 0 && table[counted_ - 1]->uri.data() == name.uri.data();
        if (!shared) bytes_ += name.uri.size();
    }
    if (bytes_ <= k_most_bytes) return false;
    table.clear();
    counted_ = 0;
    bytes_ = 0;
    return true;
}

void Names::clear(NameTable& handed_on) {
    if (handed_on_ != &handed_on || document_ == UINT32_MAX) forget();
    handed_on_ = &handed_on;
    ++document_;
    arena_.clear();
    used_ = 0;
    used_uris_ = 0;
    if (!uri_ids_.empty()) uri_ids_.clear();
}

void Names::reset(std::span<const PresetUri> presets, NameTable& handed_on) {
    clear(handed_on);
    for (const PresetUri& preset : presets) {
        const std::uint32_t uri = enter_uri(preset.text);
        for (const std::string& local : preset.locals)
            add_local(number(uri, local));
    }
    // D.2
    enter_prefix(k_no_uri_id, "");
    enter_prefix(k_xml_id, "xml");
    enter_prefix(k_xsi_id, "xsi");
    xsi_nil_ = find_local(k_xsi_id, "nil");
    xsi_type_ = find_local(k_xsi_id, "type");
}

void Names::reset(bool with_schema, NameTable& handed_on) {
    clear(handed_on);
    // D.1, D.2, D.3
    enter_prefix(enter_uri(""), "");
    enter_prefix(enter_uri(k_xml_uri), "xml");
    enter_prefix(enter_uri(k_xsi_uri), "xsi");
    add_locals(k_xml_id, k_xml_names);
    add_locals(k_xsi_id, k_xsi_names);
    xsi_nil_ = uris_[k_xsi_id].names[0];
    xsi_type_ = uris_[k_xsi_id].names[1];
    if (with_schema) add_locals(enter_uri(k_xsd_uri), xsd_type_names());
}

void Names::forget() {
    names_.clear();
    numbers_.clear();
    document_ = 0;
    used_ = 0;
}

std::uint32_t Names::find_uri(std::string_view text) const {
    for (std::uint32_t id = 0; id < std::min(used_uris_, k_few_uris); ++id) {
        if (uris_[id].text == text) return id;
    }
    if (used_uris_ <= k_few_uris) return k_none;
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
    return enter_uri(arena_.copy(text));
}

std::uint32_t Names::enter_uri(std::string_view kept) {
    if (used_uris_ == uris_.size()) uris_.emplace_back();
    Uri& uri = uris_[used_uris_];
    uri.text = kept;
    uri.names.clear();
    uri.prefixes.clear();
    if (used_uris_ >= k_few_uris) uri_ids_.emplace(kept, used_uris_);
    return used_uris_++;
}

std::uint32_t Names::number(std::uint32_t uri, std::string_view local) {
    const QName* const name = name_of(uri, local);
    if (name->expanded >= numbers_.size()) numbers_.resize(name->expanded * std::size_t{2} + 16);
    Numbered& known = numbers_[name->expanded];
    if (known.document != document_) {
        known = {document_, used_};
        if (used_ == names_.size()) names_.emplace_back();
        Name& added = names_[used_++];
        if (added.qname != name) added.qname = added.prefixed = name;
        added.uri = uri;
        added.local = k_none;
    }
    return known.number;
}

const QName* Names::name_of(std::uint32_t uri, std::string_view local) {
    const std::string_view text = uris_[uri].text;
    // Names of the XML namespace have no other prefix (Namespaces in XML 1.0, 3).
    const std::string_view prefix = uri == k_xml_id ? "xml" : "";
    if (used_ < names_.size()) {
        const QName* const last = names_[used_].qname;
        if (last->local == local && last->uri == text && last->prefix == prefix) return last;
    }
    return handed_on_->intern(text, local, prefix);
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
    enter_prefix(uri, arena_.copy(prefix));
    return uris_[uri].prefixes.back();
}

void Names::enter_prefix(std::uint32_t uri, std::string_view kept) {
    uris_[uri].prefixes.push_back(kept);
}

}  // namespace perfrelay::exi
