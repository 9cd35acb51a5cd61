#pragma once
// NamespaceScope: which prefix stands for which namespace, here. NameResolver: qualified names as
// written, to interned names.
//
// Namespaces in XML 1.0 (third edition): section 3 (declaring, reserved prefixes and namespaces),
// 4 (qualified names), 5 (scoping), 6 (no colon in a local part), 6.3 (uniqueness of attributes).
// Contract: every operation takes constant time whatever the number of declarations in scope; a
// declaration is undone by the `close` of its element; text handed in is copied.
// Tested by tests/unit/proto/xml/namespaces_test.cpp.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/arena.h"
#include "common/base/result.h"
#include "proto/model/name_table.h"

namespace perfrelay::xml {

inline constexpr std::string_view k_xml_uri = "http://www.w3.org/XML/1998/namespace";
inline constexpr std::string_view k_xmlns_uri = "http://www.w3.org/2000/xmlns/";

// Messages that several readers share.
inline constexpr const char* k_undeclared_prefix = "undeclared namespace prefix";
inline constexpr const char* k_attribute_twice = "attribute appears twice";
inline constexpr const char* k_not_qualified = "not a qualified name";
inline constexpr const char* k_too_many_names = "more distinct names than the limit";

class NamespaceScope {
  public:
    // A text of which there is one: a prefix, a namespace name, or both.
    struct Text {
        std::string_view text;
        std::uint64_t hash = 0;
        const Text* bound = nullptr;    // as a prefix: its namespace name, null when undeclared
        std::uint64_t declared_on = 0;  // as a prefix: the element that declared it last
    };

    NamespaceScope();

    // Before the first element of a document.
    void reset();

    void open() {
        ++element_;
        ++depth_;
    }
    void close() {
        while (!undo_.empty() && undo_.back().depth == depth_) {
            undo_.back().prefix->bound = undo_.back().before;
            undo_.pop_back();
        }
        --depth_;
    }

    // Declares on the element opened last. Null, or the rule that the declaration breaks.
    const char* declare(std::string_view prefix, std::string_view uri) {
        return declare(text(prefix), text(uri));
    }
    const char* declare(Text* prefix, const Text* uri);

    bool declared_here(const Text* prefix) const { return prefix->declared_on == element_; }

    // The one Text of these characters. It lives until a `reset` that finds the pool too full;
    // `pool_generation` tells.
    Text* text(std::string_view characters);
    Text* empty() const { return empty_; }
    std::uint64_t pool_generation() const { return pool_generation_; }

  private:
    struct Undo {
        Text* prefix;
        const Text* before;
        std::size_t depth;
    };
    void clear_pool();
    void grow();

    Arena arena_;
    std::vector<Text*> slots_;  // open addressing, power of two
    std::size_t used_ = 0;
    std::vector<Undo> undo_;
    std::size_t depth_ = 0;
    std::uint64_t element_ = 1;
    std::uint64_t pool_generation_ = 0;
    Text* empty_ = nullptr;
    Text* xml_ = nullptr;
    Text* xmlns_ = nullptr;
    Text* xml_uri_ = nullptr;
    Text* xmlns_uri_ = nullptr;
};

// Resolves names as they stand in the text. A name that was seen before, with its prefix meaning
// the same, costs one hash look-up.
class NameResolver {
  public:
    explicit NameResolver(std::size_t max_names);
    NameResolver(const NameResolver&) = delete;
    NameResolver& operator=(const NameResolver&) = delete;
    ~NameResolver() = default;

    // Before the first element of a document. Names of the document before stay interned, unless
    // they have become many.
    void reset();

    // The order within an element: open, declare for each declaration, element, attribute for each
    // attribute; then, after its content, close.
    void open() { scope_.open(); }
    void close() { scope_.close(); }
    bool declare(std::string_view prefix, std::string_view uri) {
        const char* broken = scope_.declare(prefix, uri);
        return broken == nullptr || fail(Errc::malformed, broken);
    }

    // Null when the name cannot be resolved or an attribute appears twice: then `fault` says why.
    const QName* element(std::string_view written);
    const QName* attribute(std::string_view written);

    // Code and rule; no position.
    const Error& fault() const { return fault_; }
    const NameTable& names() const { return names_; }

  private:
    using Text = NamespaceScope::Text;
    struct Entry {
        std::string_view written;
        std::uint64_t hash = 0;
        Text* prefix = nullptr;  // null: no qualified name
        std::string_view local;
        const Text* element_uri = nullptr;
        const QName* element = nullptr;
        const Text* attribute_uri = nullptr;
        const QName* attribute = nullptr;
        Entry* next = nullptr;  // what followed it last
    };

    // Names mostly follow each other as they did before: that one is looked at first.
    Entry* find(std::string_view written) {
        Entry* const next = last_->next;
        last_->next = next != nullptr && next->written == written ? next : look_up(written);
        return last_ = last_->next;
    }
    Entry* look_up(std::string_view written);
    Entry* enter(std::string_view written, std::uint64_t hash, std::size_t slot);
    const QName* intern(const Entry& entry, const Text* uri);
    bool fail(Errc code, const char* where) {
        fault_ = {.code = code, .where = where};
        return false;
    }

    std::size_t max_names_;
    std::size_t names_before_ = 0;  // of earlier documents
    NamespaceScope scope_;
    NameTable names_;
    Arena arena_;
    std::vector<Entry*> slots_;
    std::size_t used_ = 0;
    Entry before_first_;
    Entry* last_ = &before_first_;
    std::vector<std::uint64_t> attribute_on_;  // by expanded id: the element it was last seen on
    std::uint64_t element_ = 0;
    Error fault_;
};

// Splits a name at its colon. False when it is not `NCName` or `NCName ":" NCName`.
bool split_qualified(std::string_view written, std::string_view& prefix, std::string_view& local);

}  // namespace perfrelay::xml
