#include "proto/xml/namespaces.h"

#include "proto/model/xml_chars.h"

namespace perfrelay::xml {

namespace {

constexpr std::size_t k_first_slots = 256;
// Above this many entries a table starts anew with the next document.
constexpr std::size_t k_many = 65536;
constexpr std::uint64_t k_seed = 7;

}  // namespace

NamespaceScope::NamespaceScope() {
    clear_pool();
    reset();
}

void NamespaceScope::clear_pool() {
    ++pool_generation_;
    arena_.clear();
    slots_.assign(k_first_slots, nullptr);
    used_ = 0;
    empty_ = text("");
    xml_ = text("xml");
    xmlns_ = text("xmlns");
    xml_uri_ = text(k_xml_uri);
    xmlns_uri_ = text(k_xmlns_uri);
}

void NamespaceScope::reset() {
    for (; !undo_.empty(); undo_.pop_back())
        undo_.back().prefix->bound = undo_.back().before;
    if (used_ > k_many) clear_pool();
    depth_ = 0;
    ++element_;
    empty_->bound = empty_;
    xml_->bound = xml_uri_;
}

const char* NamespaceScope::declare(Text* prefix, const Text* uri) {
    if (prefix == xmlns_) return "the prefix xmlns must not be declared";
    if (uri == xmlns_uri_) return "the xmlns namespace must not be declared";
    if ((prefix == xml_) != (uri == xml_uri_)) {
        return prefix == xml_ ? "the prefix xml must not stand for another namespace"
                              : "the xml namespace must not have another prefix";
    }
    if (uri == empty_ && prefix != empty_) return "a prefix must not be undeclared";
    if (declared_here(prefix)) return k_attribute_twice;
    undo_.push_back({prefix, prefix->bound, depth_});
    prefix->bound = uri;
    prefix->declared_on = element_;
    return nullptr;
}

NamespaceScope::Text* NamespaceScope::text(std::string_view characters) {
    const std::uint64_t hash = hash_text(characters, k_seed);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    for (; slots_[at] != nullptr; at = (at + 1) & mask) {
        if (slots_[at]->hash == hash && slots_[at]->text == characters) return slots_[at];
    }
    Text* text = arena_.create(Text{arena_.copy(characters), hash, nullptr, 0});
    slots_[at] = text;
    if (++used_ * 2 > slots_.size()) grow();
    return text;
}

void NamespaceScope::grow() {
    std::vector<Text*> old(slots_.size() * 2, nullptr);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (Text* text : old) {
        if (text == nullptr) continue;
        std::size_t at = text->hash & mask;
        while (slots_[at] != nullptr)
            at = (at + 1) & mask;
        slots_[at] = text;
    }
}

NameResolver::NameResolver(std::size_t max_names) : max_names_(max_names) {
    slots_.assign(k_first_slots, nullptr);
}

void NameResolver::reset() {
    const std::uint64_t pool = scope_.pool_generation();
    scope_.reset();
    if (used_ > k_many || names_.size() > k_many || pool != scope_.pool_generation()) {
        slots_.assign(k_first_slots, nullptr);
        used_ = 0;
        arena_.clear();
        names_.clear();
        attribute_on_.clear();
        before_first_.next = nullptr;
    }
    last_ = &before_first_;
    names_before_ = names_.size();
    fault_ = {};
}

NameResolver::Entry* NameResolver::look_up(std::string_view written) {
    const std::uint64_t hash = hash_text(written, k_seed);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    for (; slots_[at] != nullptr; at = (at + 1) & mask) {
        if (slots_[at]->hash == hash && slots_[at]->written == written) return slots_[at];
    }
    return enter(written, hash, at);
}

NameResolver::Entry* NameResolver::enter(std::string_view written, std::uint64_t hash,
                                         std::size_t slot) {
    Entry entry;
    entry.written = arena_.copy(written);
    entry.hash = hash;
    std::string_view prefix;
    if (split_qualified(entry.written, prefix, entry.local)) entry.prefix = scope_.text(prefix);
    Entry* made = arena_.create(entry);
    slots_[slot] = made;
    if (++used_ * 2 <= slots_.size()) return made;
    std::vector<Entry*> old(slots_.size() * 2, nullptr);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (Entry* other : old) {
        if (other == nullptr) continue;
        std::size_t at = other->hash & mask;
        while (slots_[at] != nullptr)
            at = (at + 1) & mask;
        slots_[at] = other;
    }
    return made;
}

const QName* NameResolver::intern(const Entry& entry, const Text* uri) {
    const QName* name = names_.intern(uri->text, entry.local, entry.prefix->text);
    if (names_.size() - names_before_ > max_names_) {
        fail(Errc::limit_exceeded, k_too_many_names);
        return nullptr;
    }
    return name;
}

const QName* NameResolver::element(std::string_view written) {
    ++element_;
    Entry* entry = find(written);
    if (entry->prefix == nullptr) {
        fail(Errc::malformed, k_not_qualified);
        return nullptr;
    }
    const Text* uri = entry->prefix->bound;
    if (uri == nullptr) {
        fail(Errc::malformed, k_undeclared_prefix);
        return nullptr;
    }
    if (uri == entry->element_uri) return entry->element;
    const QName* name = intern(*entry, uri);
    if (name == nullptr) return nullptr;
    entry->element = name;
    entry->element_uri = uri;
    return name;
}

const QName* NameResolver::attribute(std::string_view written) {
    Entry* entry = find(written);
    if (entry->prefix == nullptr) {
        fail(Errc::malformed, k_not_qualified);
        return nullptr;
    }
    // Namespaces 6.2: default namespace declarations do not apply to attribute names.
    const Text* uri = entry->prefix == scope_.empty() ? scope_.empty() : entry->prefix->bound;
    if (uri == nullptr) {
        fail(Errc::malformed, k_undeclared_prefix);
        return nullptr;
    }
    if (uri != entry->attribute_uri) {
        const QName* name = intern(*entry, uri);
        if (name == nullptr) return nullptr;
        entry->attribute = name;
        entry->attribute_uri = uri;
    }
    // Namespaces 6.3: unique as expanded names; this covers XML 1.0 3.1 as well.
    const std::size_t expanded = entry->attribute->expanded;
    if (expanded >= attribute_on_.size()) attribute_on_.resize(names_.expanded_size(), 0);
    if (attribute_on_[expanded] == element_) {
        fail(Errc::malformed, k_attribute_twice);
        return nullptr;
    }
    attribute_on_[expanded] = element_;
    return entry->attribute;
}

bool split_qualified(std::string_view written, std::string_view& prefix, std::string_view& local) {
    const std::size_t colon = written.find(':');
    prefix = colon == std::string_view::npos ? std::string_view() : written.substr(0, colon);
    local = colon == std::string_view::npos ? written : written.substr(colon + 1);
    return is_ncname(local) && (colon == std::string_view::npos || is_ncname(prefix));
}

}  // namespace perfrelay::xml
