#include "proto/xml/writer.h"

#include <algorithm>
#include <string>

#include "proto/model/xml_chars.h"

namespace perfrelay::xml {

namespace {

// XML 1.0 2.6 [17]: the name "xml" in any case is reserved.
bool is_reserved_target(std::string_view target) {
    return target.size() == 3 && (target[0] == 'x' || target[0] == 'X') &&
           (target[1] == 'm' || target[1] == 'M') && (target[2] == 'l' || target[2] == 'L');
}

// Text of comments, instructions and declarations, where nothing can be escaped.
bool can_stand_raw(std::string_view text) {
    return find_forbidden(text) == std::string_view::npos &&
           text.find('\r') == std::string_view::npos;
}

// XML 1.0 2.3 [13] PubidChar.
bool is_public_id(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view(" \n-'()+,./:=?;!*#@$_%").find(c) != std::string_view::npos;
    });
}

}  // namespace

void XmlWriter::start_document() {
    constexpr std::string_view k_declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    const std::uint64_t pool = scope_.pool_generation();
    scope_.reset();
    constexpr std::size_t k_many = std::size_t{16} << 20U;
    if (pool != scope_.pool_generation() || arena_.capacity() > k_many) {
        tags_.clear();
        invented_tags_.clear();
        arena_.clear();
    }
    always_.bound = scope_.empty();
    invented_.clear();
    element_ = nullptr;
    open_ = false;
    root_seen_ = false;
    depth_ = 0;
    invented_count_ = 0;
    has_invented_ = false;
    fault_ = nullptr;
    out_->append(k_declaration);
}

void XmlWriter::end_document() {
    if (depth_ != 0 || !root_seen_) fail("a document that is not one element");
}

void XmlWriter::fail(const char* why) {
    if (fault_ != nullptr) return;
    fault_ = why;
}

void XmlWriter::open_root() {
    if (root_seen_) fail("a second root element");
    root_seen_ = true;
}

const XmlWriter::Tag& XmlWriter::new_tag(const QName* name) {
    if (name->id >= tags_.size()) {
        // The open element's tag may move.
        const std::size_t open =
            element_ == nullptr ? 0 : static_cast<std::size_t>(element_ - tags_.data());
        tags_.resize(std::max<std::size_t>(name->id + std::size_t{1}, tags_.size() * 2));
        if (element_ != nullptr) element_ = &tags_[open];
    }
    tags_[name->id] = make_tag(name, scope_.text(name->prefix), scope_.text(name->uri));
    if (!is_ncname(name->local) || (!name->prefix.empty() && !is_ncname(name->prefix))) {
        fail("a name that XML cannot hold");
        tags_[name->id].hash = ~name->hash;  // looked at again when it comes again
    }
    return tags_[name->id];
}

XmlWriter::Tag XmlWriter::make_tag(const QName* name, Text* prefix, const Text* uri) {
    Tag tag;
    tag.name = name;
    tag.prefix = prefix;
    tag.uri = uri;
    tag.hash = name->hash;
    tag.attribute_prefix = !prefix->text.empty() ? prefix : uri->text.empty() ? &always_ : &never_;
    const std::size_t front = prefix->text.empty() ? 0 : prefix->text.size() + 1;
    tag.size = front + name->local.size();
    char* text = static_cast<char*>(arena_.allocate(tag.size + k_pad, 1));
    if (front != 0) {
        std::memcpy(text, prefix->text.data(), front - 1);
        text[front - 1] = ':';
    }
    if (!name->local.empty()) std::memcpy(text + front, name->local.data(), name->local.size());
    std::memset(text + tag.size, 0, k_pad);
    tag.text = text;
    return tag;
}

void XmlWriter::write_declaration(const Text* prefix, const Text* uri) {
    out_->append(" xmlns");
    if (!prefix->text.empty()) {
        out_->u8(':');
        out_->append(prefix->text);
    }
    out_->append("=\"");
    if (!append_text<Place::attribute>(*out_, uri->text)) fail(k_forbidden);
    out_->u8('"');
}

void XmlWriter::namespace_declaration(std::string_view prefix, std::string_view uri) {
    Text* const bound = scope_.text(prefix);
    const Text* const to = scope_.text(uri);
    if (const char* broken = scope_.declare(bound, to); broken != nullptr) fail(broken);
    if (!prefix.empty() && !is_ncname(prefix)) fail("a name that XML cannot hold");
    write_declaration(bound, to);
}

// The element's name does not mean, here, what it should: declare its own prefix, or none, for it.
void XmlWriter::declare_element(const Tag& tag) {
    has_invented_ = true;
    if (scope_.declared_here(tag.prefix)) {
        return fail("an element whose own declarations contradict its name");
    }
    if (const char* broken = scope_.declare(tag.prefix, tag.uri); broken != nullptr) {
        return fail(broken);
    }
    write_declaration(tag.prefix, tag.uri);
}

// The attribute's name with a prefix that means its namespace here, declared if need be.
const XmlWriter::Tag* XmlWriter::declare_for(const Tag& tag) {
    has_invented_ = true;
    if (tag.uri->text.empty()) {
        fail("an attribute with a prefix but without a namespace");
        return &tag;
    }
    // Its own prefix, if that means nothing yet; another meaning may be what the element's name or
    // another attribute rests on.
    if (!tag.prefix->text.empty() && tag.prefix->bound == nullptr) {
        if (const char* broken = scope_.declare(tag.prefix, tag.uri); broken != nullptr) {
            fail(broken);
        } else {
            write_declaration(tag.prefix, tag.uri);
        }
        return &tag;
    }
    Text* const prefix = invent_prefix(tag.uri);
    const std::size_t id = tag.name->id;
    if (id >= invented_tags_.size()) invented_tags_.resize(id + 1);
    Tag& made = invented_tags_[id];
    if (made.name != tag.name || made.hash != tag.hash || made.prefix != prefix) {
        made = make_tag(tag.name, prefix, tag.uri);
    }
    return &made;
}

// A prefix for `uri`, declared here unless it is in scope: the one this document has invented for
// it before, or the next "nsN" that means nothing here.
XmlWriter::Text* XmlWriter::invent_prefix(const Text* uri) {
    if (uri->text == k_xml_uri) return scope_.text("xml");
    Text*& prefix = invented_[uri];
    while (prefix == nullptr || (prefix->bound != nullptr && prefix->bound != uri))
        prefix = scope_.text("ns" + std::to_string(++invented_count_));
    if (prefix->bound == nullptr) {
        if (const char* broken = scope_.declare(prefix, uri); broken != nullptr) fail(broken);
        write_declaration(prefix, uri);
    }
    return prefix;
}

void XmlWriter::comment(std::string_view text) {
    close_start_tag();
    // XML 1.0 2.5 [15].
    if (!can_stand_raw(text) || text.find("--") != std::string_view::npos || text.ends_with('-')) {
        fail("a comment that XML cannot hold");
    }
    out_->append("<!--");
    out_->append(text);
    out_->append("-->");
}

void XmlWriter::processing_instruction(std::string_view target, std::string_view data) {
    close_start_tag();
    // XML 1.0 2.6 [16]; Namespaces section 7: no colon in the target.
    const bool good = is_ncname(target) && !is_reserved_target(target) && can_stand_raw(data) &&
                      data.find("?>") == std::string_view::npos &&
                      (data.empty() || !is_space(data.front()));
    if (!good) fail("a processing instruction that XML cannot hold");
    out_->append("<?");
    out_->append(target);
    if (!data.empty()) out_->u8(' ');
    out_->append(data);
    out_->append("?>");
}

void XmlWriter::entity_reference(std::string_view name) {
    close_start_tag();
    if (depth_ == 0 || !is_ncname(name)) fail("an entity reference that XML cannot hold");
    out_->u8('&');
    out_->append(name);
    out_->u8(';');
}

void XmlWriter::quoted(std::string_view literal) {
    const bool has_double = literal.find('"') != std::string_view::npos;
    if ((has_double && literal.find('\'') != std::string_view::npos) || !can_stand_raw(literal)) {
        fail("a DOCTYPE identifier that XML cannot hold");
    }
    const std::uint8_t quote = has_double ? '\'' : '"';
    out_->u8(' ');
    out_->u8(quote);
    out_->append(literal);
    out_->u8(quote);
}

void XmlWriter::external_id(const Doctype& doctype) {
    if (!doctype.has_system_id) {
        // XML 1.0 4.2.2 [75]: only a notation may have a public identifier alone.
        if (!doctype.public_id.empty()) fail("a DOCTYPE with a public identifier alone");
        return;
    }
    out_->append(doctype.public_id.empty() ? " SYSTEM" : " PUBLIC");
    if (!doctype.public_id.empty()) {
        if (!is_public_id(doctype.public_id)) fail("a DOCTYPE identifier that XML cannot hold");
        quoted(doctype.public_id);
    }
    quoted(doctype.system_id);
}

void XmlWriter::doctype(const Doctype& doctype) {
    if (root_seen_) fail("a DOCTYPE after the root element");
    if (!is_name(doctype.name) || !can_stand_raw(doctype.internal_subset)) {
        fail("a DOCTYPE that XML cannot hold");
    }
    out_->append("<!DOCTYPE ");
    out_->append(doctype.name);
    external_id(doctype);
    if (doctype.has_internal_subset) {
        out_->append(" [");
        out_->append(doctype.internal_subset);
        out_->u8(']');
    }
    out_->u8('>');
}

}  // namespace perfrelay::xml
