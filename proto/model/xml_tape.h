#pragma once
// XmlTape: an XML document as a flat list of events that can be played into any sink.
//
// 24 bytes an event. The tape borrows texts that the source keeps (TapeSink<false>) or
// copies them into its arena (TapeSink<true>, for sources that reuse their memory); names are
// always entered into the tape's own table. Adjacent characters are merged by the recording sink,
// so a tape never has two characters events in a row. Contract: `clear` keeps the memory; a
// recorded tape is immutable and may be played by many threads. Tested by
// tests/unit/proto/xml_tape_test.cpp.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/arena.h"
#include "proto/model/fidelity.h"
#include "proto/model/name_table.h"
#include "proto/model/xml_sink.h"

namespace perfrelay {

enum class Whitespace : std::uint8_t;  // whitespace.h

class XmlTape {
  public:
    enum class Kind : std::uint8_t {
        doctype,
        start_element,
        namespace_declaration,
        attribute,
        characters,
        comment,
        processing_instruction,
        entity_reference,
        end_element,
    };

    struct Event {
        union {
            const QName* name;       // elements, attributes
            const Doctype* doctype;  // doctype
            const char* first;       // declaration: prefix; PI: target
        };
        const char* text;  // value, text, namespace uri, PI data, entity name
        std::uint32_t text_size;
        std::uint32_t first_size : 24;
        std::uint32_t kind_bits : 8;

        Kind kind() const { return static_cast<Kind>(kind_bits); }
        std::string_view text_view() const { return {text, text_size}; }
        std::string_view first_view() const {
            std::size_t size = first_size;
            if (size == k_long_first) std::memcpy(&size, first - sizeof size, sizeof size);
            return {first, size};
        }
    };
    // In first_size: the size does not fit in, and stands in front of `first`.
    static constexpr std::uint32_t k_long_first = (1U << 24U) - 1;
    static_assert(sizeof(Event) == 24);

    XmlTape() = default;
    XmlTape(XmlTape&&) noexcept = default;
    XmlTape& operator=(XmlTape&&) noexcept = default;
    XmlTape(const XmlTape&) = delete;
    XmlTape& operator=(const XmlTape&) = delete;
    ~XmlTape() = default;

    const std::vector<Event>& events() const { return events_; }
    const NameTable& names() const { return names_; }
    bool empty() const { return events_.empty(); }

    // Pushes the whole document, start_document to end_document. Template, inlined per sink.
    template <XmlSink S>
    void play(S& sink) const;

    void clear() {
        events_.clear();
        text_.clear();
        names_.clear();
    }

  private:
    template <bool copied>
    friend class TapeSink;
    friend std::size_t apply_whitespace(Whitespace policy, XmlTape& document);

    std::vector<Event> events_;
    NameTable names_;
    Arena text_;
};

// Records into a tape. `copied` false: the source promises that its texts outlive the tape.
template <bool copied>
class TapeSink {
  public:
    explicit TapeSink(XmlTape& tape) : tape_(tape) {}

    void start_document() {
        tape_.clear();
        ids_.clear();
        in_text_ = false;
    }
    void doctype(const Doctype& doctype) {
        Doctype own = doctype;
        for (std::string_view* part :
             {&own.name, &own.public_id, &own.system_id, &own.internal_subset}) {
            *part = tape_.text_.copy(*part);
        }
        XmlTape::Event& event = add(XmlTape::Kind::doctype, {});
        event.doctype = tape_.text_.create(own);
    }
    void start_element(const QName* name) {
        add(XmlTape::Kind::start_element, {}).name = own(name);
    }
    void namespace_declaration(std::string_view prefix, std::string_view uri) {
        pair(XmlTape::Kind::namespace_declaration, prefix, uri);
    }
    void attribute(const QName* name, std::string_view value) {
        add(XmlTape::Kind::attribute, value).name = own(name);
    }
    // Pieces are gathered and enter the tape as one event with the next event of another kind.
    void characters(std::string_view piece) {
        if (piece.empty()) return;
        if (!in_text_) {
            in_text_ = true;
            pending_ = {};
            gathered_.clear();
            if constexpr (!copied) {
                pending_ = piece;
                return;
            }
        }
        if constexpr (!copied) {
            // Borrowed pieces that lie side by side stay one borrowed text.
            if (gathered_.empty() && pending_.data() + pending_.size() == piece.data()) {
                pending_ = {pending_.data(), pending_.size() + piece.size()};
                return;
            }
            if (gathered_.empty()) gathered_.assign(pending_);
        }
        gathered_ += piece;
    }
    void comment(std::string_view text) { add(XmlTape::Kind::comment, text); }
    void processing_instruction(std::string_view target, std::string_view data) {
        pair(XmlTape::Kind::processing_instruction, target, data);
    }
    void entity_reference(std::string_view name) { add(XmlTape::Kind::entity_reference, name); }
    void end_element(const QName* name) { add(XmlTape::Kind::end_element, {}).name = own(name); }
    void end_document() { flush_text(); }

  private:
    std::string_view keep(std::string_view text) {
        if constexpr (copied) return tape_.text_.copy(text);
        return text;
    }

    XmlTape::Event& add(XmlTape::Kind kind, std::string_view text) {
        flush_text();
        return push(kind, keep(text));
    }

    void flush_text() {
        if (!in_text_) return;
        in_text_ = false;
        const bool borrowed = !copied && gathered_.empty();
        push(XmlTape::Kind::characters, borrowed ? pending_ : tape_.text_.copy(gathered_));
    }

    XmlTape::Event& push(XmlTape::Kind kind, std::string_view kept) {
        XmlTape::Event& event = tape_.events_.emplace_back();
        event.name = nullptr;
        event.text = kept.data();
        event.text_size = static_cast<std::uint32_t>(kept.size());
        event.first_size = 0;
        event.kind_bits = static_cast<std::uint8_t>(kind) & 0xFFU;
        return event;
    }

    void pair(XmlTape::Kind kind, std::string_view first, std::string_view second) {
        const bool is_long = first.size() >= XmlTape::k_long_first;
        const char* kept = is_long ? copy_long(first) : tape_.text_.copy(first).data();
        XmlTape::Event& event = add(kind, second);
        event.first = kept;
        event.first_size =
            (is_long ? XmlTape::k_long_first : static_cast<std::uint32_t>(first.size())) &
            0xFFFFFFU;
    }

    const char* copy_long(std::string_view first) {
        const std::size_t size = first.size();
        std::string with_size(sizeof size, '\0');
        std::memcpy(with_size.data(), &size, sizeof size);
        with_size += first;
        return tape_.text_.copy(with_size).data() + sizeof size;
    }

    // The tape's own copy of a name. The source's table is dense: one look-up a distinct name.
    const QName* own(const QName* name) {
        if (name->id >= ids_.size()) ids_.resize(name->id + std::size_t{1}, {nullptr, nullptr});
        auto& [theirs, ours] = ids_[name->id];
        if (theirs != name) {
            theirs = name;
            ours = tape_.names_.intern(name->uri, name->local, name->prefix);
        }
        return ours;
    }

    XmlTape& tape_;
    std::vector<std::pair<const QName*, const QName*>> ids_;
    std::string_view pending_;  // text so far, while it can be borrowed
    std::string gathered_;      // text so far, once it cannot
    bool in_text_ = false;
};

template <XmlSink S>
void XmlTape::play(S& sink) const {
    sink.start_document();
    for (const Event& event : events_) {
        switch (event.kind()) {
            case Kind::doctype: sink.doctype(*event.doctype); break;
            case Kind::start_element: sink.start_element(event.name); break;
            case Kind::namespace_declaration:
                sink.namespace_declaration(event.first_view(), event.text_view());
                break;
            case Kind::attribute: sink.attribute(event.name, event.text_view()); break;
            case Kind::characters: sink.characters(event.text_view()); break;
            case Kind::comment: sink.comment(event.text_view()); break;
            case Kind::processing_instruction:
                sink.processing_instruction(event.first_view(), event.text_view());
                break;
            case Kind::entity_reference: sink.entity_reference(event.text_view()); break;
            case Kind::end_element: sink.end_element(event.name); break;
        }
    }
    sink.end_document();
}

// The first difference between two documents under `fidelity`, in words with a place ("event 17,
// /orders/order: attribute {}id is "7", was "8""), or nothing. `expected` is the original.
// Attribute order does not count, nor does where adjacent text was split by an event not kept, nor,
// where prefixes are not kept, which prefix an xsi:type has for its namespace.
std::optional<std::string> difference(const XmlTape& expected, const XmlTape& actual,
                                      const Fidelity& fidelity);

}  // namespace perfrelay
