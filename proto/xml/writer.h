#pragma once
// XmlWriter: an XmlSink that writes XML 1.0 text, UTF-8, into a Buffer.
//
//   document = '<?xml version="1.0" encoding="UTF-8"?>' LF [doctype] misc* root misc*
//
// What any conforming parser reads back are the events that were pushed:
//  - & < are references, > only where it would end "]]>"; CR in text, and CR, LF, tab in attributes
//    are character references; elements without content are <a/>;
//  - declarations and prefixes are written as given. Where a name is not in scope as it stands (its
//    source keeps no prefixes), a declaration is invented: the default namespace for elements,
//    "ns1", "ns2" ... for attributes. That costs one comparison a name as long as nothing is
//    invented;
//  - what XML cannot hold (U+0001, "--" in a comment, CR in a comment, a name that is none) makes
//    the writer fail for good: `finish` then gives the error, and what was written is worthless.
// XML 1.0 (fifth edition) sections 2.4 to 2.8, 2.11, 3.1; Namespaces in XML 1.0.
// Contract: texts are UTF-8; names are of one source at a time; a writer may be used for one
// document after the other and allocates nothing once warm.
// Tested by tests/unit/proto/xml/writer_test.cpp.

#include <cstring>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/arena.h"
#include "common/base/bytes.h"
#include "common/base/result.h"
#include "proto/model/name_table.h"
#include "proto/model/xml_sink.h"
#include "proto/xml/escape.h"
#include "proto/xml/namespaces.h"

namespace perfrelay::xml {

class XmlWriter {
  public:
    XmlWriter() = default;
    XmlWriter(const XmlWriter&) = delete;
    XmlWriter& operator=(const XmlWriter&) = delete;
    ~XmlWriter() = default;

    // Appends to `out` from the next start_document on.
    void write_to(Buffer& out) { out_ = &out; }

    // After end_document. The error names the first thing that XML cannot hold.
    Result<> finish() const {
        if (fault_ == nullptr) return {};
        return Error{.code = Errc::unsupported, .where = fault_};
    }

    // Whether the document needed declarations that it did not have.
    bool invented() const { return has_invented_; }

    void start_document();
    void doctype(const Doctype& doctype);

    void start_element(const QName* name) {
        close_start_tag();
        if (depth_++ == 0) open_root();
        const Tag& tag = tag_of(name);
        scope_.open();
        char* to = reserve(tag.size + 1 + k_pad);
        *to = '<';
        copy_padded(to + 1, tag);
        out_->commit(tag.size + 1);
        element_ = &tag;
        open_ = true;
    }

    void namespace_declaration(std::string_view prefix, std::string_view uri);

    void attribute(const QName* name, std::string_view value) {
        if (element_ != nullptr) check_element();
        const Tag* tag = &tag_of(name);
        if (tag->attribute_prefix->bound != tag->uri) tag = declare_for(*tag);
        char* to = reserve(tag->size + value.size() + 4 + k_pad);
        *to = ' ';
        copy_padded(to + 1, *tag);
        to += tag->size + 1;
        to[0] = '=';
        to[1] = '"';
        std::size_t clean = 0;
        if (copy_clean<Place::attribute>(to + 2, value, clean)) {
            to[2 + value.size()] = '"';
            out_->commit(tag->size + value.size() + 4);
            return;
        }
        out_->commit(tag->size + 3 + clean);
        if (!append_escaped<Place::attribute>(*out_, value, clean)) fail(k_forbidden);
        out_->u8('"');
    }

    void characters(std::string_view text) {
        close_start_tag();
        if (depth_ == 0) fail("text outside the root element");
        if (!append_text<Place::text>(*out_, text)) fail(k_forbidden);
    }

    void comment(std::string_view text);
    void processing_instruction(std::string_view target, std::string_view data);
    void entity_reference(std::string_view name);

    void end_element(const QName* name) {
        if (open_) {
            if (element_ != nullptr) check_element();
            std::memcpy(out_->prepare(2), "/>", 2);
            out_->commit(2);
            open_ = false;
        } else {
            const Tag& tag = tag_of(name);
            char* to = reserve(tag.size + 3 + k_pad);
            to[0] = '<';
            to[1] = '/';
            copy_padded(to + 2, tag);
            to[2 + tag.size] = '>';
            out_->commit(tag.size + 3);
        }
        scope_.close();
        --depth_;
    }

    void end_document();

  private:
    using Text = NamespaceScope::Text;

    // A name as it is written: "prefix:local", with k_pad readable bytes behind it.
    struct Tag {
        const QName* name = nullptr;
        std::uint64_t hash = 0;  // a later document may have another name in the same place
        const char* text = nullptr;
        std::size_t size = 0;
        Text* prefix = nullptr;
        const Text* uri = nullptr;
        // What must be bound to `uri` for the name to be right on an attribute: its prefix, or
        // always_ or never_ where it has none.
        const Text* attribute_prefix = nullptr;
    };

    static constexpr std::size_t k_pad = 16;
    static constexpr const char* k_forbidden = "a character that XML cannot hold";

    char* reserve(std::size_t size) { return reinterpret_cast<char*>(out_->prepare(size)); }

    // One fixed-size move for the usual short name.
    static void copy_padded(char* to, const Tag& tag) {
        std::memcpy(to, tag.text, k_pad);
        if (tag.size > k_pad) std::memcpy(to + k_pad, tag.text + k_pad, tag.size - k_pad);
    }

    const Tag& tag_of(const QName* name) {
        if (name->id < tags_.size()) {
            const Tag& tag = tags_[name->id];
            if (tag.name == name && tag.hash == name->hash) return tag;
        }
        return new_tag(name);
    }

    void close_start_tag() {
        if (!open_) return;
        if (element_ != nullptr) check_element();
        out_->u8('>');
        open_ = false;
    }

    // Once the element's declarations are all seen: is its own name in scope?
    void check_element() {
        const Tag& tag = *element_;
        element_ = nullptr;
        if (tag.prefix->bound != tag.uri) declare_element(tag);
    }

    void open_root();
    const Tag& new_tag(const QName* name);
    Tag make_tag(const QName* name, Text* prefix, const Text* uri);
    void declare_element(const Tag& tag);
    const Tag* declare_for(const Tag& tag);
    Text* invent_prefix(const Text* uri);
    void write_declaration(const Text* prefix, const Text* uri);
    void external_id(const Doctype& doctype);
    void quoted(std::string_view literal);
    void fail(const char* why);

    Buffer* out_ = nullptr;
    const Tag* element_ = nullptr;  // the open start tag, until its name has been checked
    bool open_ = false;             // a start tag still lacks its ">"
    bool root_seen_ = false;
    std::size_t depth_ = 0;
    std::vector<Tag> tags_;  // by QName::id
    Arena arena_;
    NamespaceScope scope_;
    Text always_;                     // as a prefix: bound to no namespace, everywhere
    Text never_;                      // as a prefix: bound to nothing, ever
    std::vector<Tag> invented_tags_;  // by QName::id, under an invented prefix
    std::unordered_map<const Text*, Text*> invented_;  // namespace to prefix, in this document
    std::size_t invented_count_ = 0;
    bool has_invented_ = false;
    const char* fault_ = nullptr;
};
static_assert(XmlSink<XmlWriter>);

}  // namespace perfrelay::xml
