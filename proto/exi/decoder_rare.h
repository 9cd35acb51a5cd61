#pragma once
// The parts of Decoder that a stream may need, and most do not: prefixes, xsi:type, comments and
// the like, self-contained elements. Included by decoder.h alone.

#include <string>

#include "proto/exi/decoder.h"  // IWYU pragma: keep

namespace perfrelay::exi {

// EXI 7.1.7: the prefix is the one that the name gives, unless a declaration of the element says
// that it is its own; so the element is handed on when its declarations have been read.
template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
void Decoder<packing, Values, Sink, Trace, informed>::start_prefixed(std::uint32_t uri) {
    const std::string_view* prefix = items_.prefix(*learned_, uri);
    trace_name(t_.open.back().name);
    if (prefix != nullptr) {
        prefix_ = *prefix;
        has_prefix_ = true;
    } else if (!repeats_) {
        // A self-contained element keeps the prefix that it had outside.
        has_prefix_ = false;
    }
    own_declaration_ = false;
    if (!repeats_) t_.declared.clear();
    repeats_ = false;
    starting_ = true;
}

template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
bool Decoder<packing, Values, Sink, Trace, informed>::open_pending() {
    starting_ = false;
    if (!has_prefix_) {
        reader_.fail(Errc::malformed, "EXI 7.1.7: no declaration gives the element its prefix");
        return false;
    }
    DecoderTables::Open& last = t_.open.back();
    last.name = learned_->names.with_prefix(last.number, prefix_);
    if constexpr (k_in_channels) {
        values_.block().add(Block::Kind::start_element, last.name);
    } else {
        sink_.start_element(last.name);
    }
    for (const auto& [prefix, uri] : t_.declared)
        declare(prefix, uri);
    return true;
}

template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
void Decoder<packing, Values, Sink, Trace, informed>::declare(std::string_view prefix,
                                                              std::string_view uri) {
    if constexpr (k_in_channels) {
        values_.block().add(Block::Kind::namespace_declaration, nullptr, prefix, uri);
    } else {
        sink_.namespace_declaration(prefix, uri);
    }
    if constexpr (informed) {
        if (options_.preserve.lexical_values) t_.scope.push_back({prefix, uri, t_.open.size()});
    }
}

template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
const QName* Decoder<packing, Values, Sink, Trace, informed>::prefixed_attribute(
    std::uint32_t name) {
    const std::string_view* prefix = items_.prefix(*learned_, learned_->names[name].uri);
    if (prefix == nullptr) {
        reader_.fail(Errc::malformed, "EXI 7.1.7: an attribute's prefix has no declaration");
        return nullptr;
    }
    return learned_->names.with_prefix(name, *prefix);
}

template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
void Decoder<packing, Values, Sink, Trace, informed>::namespace_declaration() {
    const std::uint32_t uri = items_.uri(*learned_);
    const std::string_view prefix = items_.declared_prefix(*learned_, uri);
    const bool own = reader_.boolean();
    trace_name(nullptr);
    if (reader_.failed()) return;
    trace_value(prefix, learned_->names.uri(uri).text);
    if (!starting_) {
        reader_.fail(Errc::malformed, "EXI 6: a declaration behind an attribute");
        return;
    }
    if (own) {
        const bool first = !own_declaration_;
        own_declaration_ = true;
        if (!first || learned_->names[t_.open.back().number].uri != uri) {
            reader_.fail(Errc::malformed, "EXI 4: local-element-ns of another URI, or twice");
            return;
        }
        prefix_ = prefix;
        has_prefix_ = true;
    }
    for (const auto& [other, to] : t_.declared) {
        if (other != prefix) continue;
        reader_.fail(Errc::malformed, "EXI B.2: a prefix declared twice on an element");
        return;
    }
    if (++attributes_ > limits_.max_attributes || t_.declared.size() >= k_most_declarations) {
        reader_.fail(Errc::limit_exceeded, "more declarations on an element than the limit");
        return;
    }
    t_.declared.emplace_back(prefix, learned_->names.uri(uri).text);
}

// EXI 8.4.3, 9.2.1: the value is a name, and always with the structure.
template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
void Decoder<packing, Values, Sink, Trace, informed>::type_attribute(const QName* name) {
    std::uint32_t type = Names::k_none;
    std::string_view text;
    if (options_.preserve.lexical_values) {
        text = items_.value(*learned_, learned_->names.xsi_type());
        if constexpr (informed) type = lexical_type(text);
    } else {
        if constexpr (k_typed) {
            if (!options_.preserve.prefixes) return typed_type_attribute(name);
        }
        text = type_name(type);
    }
    trace_value(text);
    if (!deliver(text)) return;
    if constexpr (informed) go_to_type(type);
    if constexpr (k_in_channels) {
        values_.block().add(Block::Kind::known_attribute, name, text, {});
    } else {
        sink_.attribute(name, text);
    }
}

template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
void Decoder<packing, Values, Sink, Trace, informed>::typed_type_attribute(const QName* name) {
    const std::uint32_t type = items_.qname(*learned_);
    if (reader_.failed()) return;
    go_to_type(type);
    const QName& found = *learned_->names[type].qname;
    if constexpr (k_typed) {
        sink_.attribute_of(name);
        sink_.type(found.uri, found.local);
    }
}

// EXI 7.1.7. As text it needs a prefix, and where none is kept, a declaration as well.
template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
std::string_view Decoder<packing, Values, Sink, Trace, informed>::type_name(std::uint32_t& type) {
    type = items_.qname(*learned_);
    if (reader_.failed()) return {};
    const std::uint32_t uri = learned_->names[type].uri;
    const std::string_view* known = nullptr;
    if (options_.preserve.prefixes) known = items_.prefix(*learned_, uri);
    const std::string_view local = learned_->names[type].qname->local;
    if (known != nullptr)
        return known->empty() ? local
                              : t_.text.copy(std::string(*known) + ':' + std::string(local));
    if (uri == k_no_uri_id) return local;
    if (type >= learned_->type_texts.size()) learned_->type_texts.resize(learned_->names.size());
    std::string_view& text = learned_->type_texts[type];
    if (text.empty()) text = t_.text.copy("ns" + std::to_string(uri) + ':' + std::string(local));
    declare(text.substr(0, text.size() - local.size() - 1), learned_->names.uri(uri).text);
    return text;
}

template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
void Decoder<packing, Values, Sink, Trace, informed>::rare(const Production& taken) {
    switch (taken.event) {
        case Event::namespace_declaration: namespace_declaration(); break;
        case Event::self_contained: start_self_contained(); break;
        case Event::doctype:
            if (had_doctype_) reader_.fail(Errc::malformed, "EXI B.1: a second DOCTYPE");
            had_doctype_ = true;
            doctype();
            break;
        case Event::comment:
        case Event::processing_instruction:
        case Event::entity_reference:
            if (!t_.contained.empty() && t_.open.size() <= t_.contained.back()) {
                reader_.fail(Errc::malformed, "EXI 8.4.3: more than an element in it");
                return;
            }
            state_ = taken.next;
            comment_or_other(taken.event);
            break;
        default: break;  // dealt with by `step`
    }
}

template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
void Decoder<packing, Values, Sink, Trace, informed>::comment_or_other(Event event) {
    const std::string_view first = items_.string();
    std::string_view second;
    if (event == Event::processing_instruction) second = items_.string();
    trace_value(first, second);
    if (!deliver(first) || !deliver(second)) return;
    if constexpr (k_in_channels) {
        values_.block().add(event == Event::comment ? Block::Kind::comment
                            : event == Event::entity_reference
                                ? Block::Kind::entity_reference
                                : Block::Kind::processing_instruction,
                            nullptr, first, second);
    } else if (event == Event::comment) {
        sink_.comment(first);
    } else if (event == Event::entity_reference) {
        sink_.entity_reference(first);
    } else {
        sink_.processing_instruction(first, second);
    }
}

template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
void Decoder<packing, Values, Sink, Trace, informed>::doctype() {
    Doctype found;
    found.name = items_.string();
    found.public_id = items_.string();
    found.system_id = items_.string();
    found.internal_subset = items_.string();
    found.has_system_id = !found.system_id.empty() || !found.public_id.empty();
    found.has_internal_subset = !found.internal_subset.empty();
    trace_doctype(found);
    if (!deliver(found.internal_subset)) return;
    if constexpr (k_in_channels) {
        values_.block().add(found);
    } else {
        sink_.doctype(found);
    }
}

// EXI 8.4.3, SC: string table and grammars start afresh, the element is written as a fragment.
template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
void Decoder<packing, Values, Sink, Trace, informed>::start_self_contained() {
    if (t_.contained.size() >= k_most_contained) {
        reader_.fail(Errc::limit_exceeded, "EXI 8.4.3: self-contained elements nested too deep");
        return;
    }
    // EXI 6: SC comes first.
    const bool first = attributes_ == 0 && t_.declared.empty();
    if (!first || (!t_.contained.empty() && t_.open.size() == t_.contained.back() + 1)) {
        reader_.fail(Errc::malformed, "EXI 6: SC that does not directly follow its element");
        return;
    }
    reader_.align();
    t_.contained.push_back(t_.open.size());
    const std::size_t level = t_.contained.size();
    if (t_.learned.size() == level) t_.learned.push_back(std::make_unique<LearnedTables>());
    learned_ = t_.learned[level].get();
    learned_->reset(options_, t_.levels, t_.qnames.table, t_.text, t_.schema);
    state_ = start_state(true);
    repeats_ = true;
}

// A self-contained element is its own SE once more, its content, and nothing beside it.
template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
bool Decoder<packing, Values, Sink, Trace, informed>::check_contained(const QName& name) {
    const std::size_t outside = t_.contained.back();
    const bool right =
        repeats_ ? t_.open[outside - 1].name->same_expanded(name) : t_.open.size() > outside;
    if (!right) reader_.fail(Errc::malformed, "EXI 8.4.3: a self-contained element of two names");
    return right;
}

template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
void Decoder<packing, Values, Sink, Trace, informed>::end_self_contained() {
    if (repeats_ || t_.open.size() != t_.contained.back()) {
        reader_.fail(Errc::malformed, "EXI 8.4.3: a self-contained element that is not one");
        return;
    }
    reader_.align();
    t_.contained.pop_back();
    learned_ = t_.learned[t_.contained.size()].get();
    state_ = t_.open.back().next;
    t_.open.pop_back();
}

}  // namespace perfrelay::exi
