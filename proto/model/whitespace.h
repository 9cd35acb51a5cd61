#pragma once
// The whitespace policy: which whitespace-only texts of a document belong to it. Readers apply it,
// once, so that every format carries the same document; an encoder drops nothing it is handed.
//
//   keep       all of them
//   automatic  those that are all an element holds ("directly between a start tag and its end
//              tag"), those under xml:space="preserve", those beside an entity reference, whose
//              text nobody knows; the rest is taken for indentation. Canonical EXI 4.3.2, without a
//              schema; XML 1.0 2.10 for xml:space, which is inherited and ends with "default"
//   drop       none
//
// Text here is what stands between two tags, comments, instructions or references: " <!--c--> " is
// two. XML 1.0 2.3: whitespace is blank, tab, line feed, carriage return.
// Tested by tests/unit/proto/whitespace_test.cpp.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proto/model/xml_sink.h"
#include "proto/model/xml_tape.h"

namespace perfrelay {

enum class Whitespace : std::uint8_t { automatic, keep, drop };

// "auto", "keep", "drop": as the user writes it.
std::string_view whitespace_name(Whitespace policy);

inline bool is_whitespace(std::string_view text) {
    for (const char c : text) {
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return false;
    }
    return true;
}

// What decides: told of every event but text, and asked about each whitespace-only text when the
// event behind it is known, before that is told.
class WhitespaceRule {
  public:
    enum class Next : std::uint8_t { end_element, reference, other };

    explicit WhitespaceRule(Whitespace policy) : policy_(policy) {}

    void start_document() {
        preserved_.clear();
        before_ = Before::other;
    }
    void start_element() {
        preserved_.push_back(!preserved_.empty() && preserved_.back());
        before_ = Before::start_tag;
    }
    void attribute(const QName& name, std::string_view value) {
        if (name.local != "space" || name.uri != "http://www.w3.org/XML/1998/namespace") return;
        if (value == "preserve") preserved_.back() = true;
        if (value == "default") preserved_.back() = false;
    }
    void end_element() {
        preserved_.pop_back();
        before_ = Before::other;
    }
    void reference() { before_ = Before::reference; }
    void other() { before_ = Before::other; }

    bool keeps(Next next) const {
        if (policy_ != Whitespace::automatic) return policy_ == Whitespace::keep;
        if (before_ == Before::reference || next == Next::reference) return true;
        if (before_ == Before::start_tag && next == Next::end_element) return true;
        return !preserved_.empty() && preserved_.back();
    }

  private:
    enum class Before : std::uint8_t { start_tag, reference, other };

    Whitespace policy_;
    Before before_ = Before::other;
    std::vector<bool> preserved_;  // xml:space of the open elements
};

// An XmlSink before another one, for sources that deliver text in pieces.
template <XmlSink S>
class WhitespaceFilter {
  public:
    WhitespaceFilter(S& sink, Whitespace policy) : sink_(sink), rule_(policy) {}

    void start_document() {
        held_.clear();
        seen_ = false;
        rule_.start_document();
        sink_.start_document();
    }
    void doctype(const Doctype& doctype) { sink_.doctype(doctype); }
    void start_element(const QName* name) {
        settle(WhitespaceRule::Next::other);
        rule_.start_element();
        sink_.start_element(name);
    }
    void namespace_declaration(std::string_view prefix, std::string_view uri) {
        sink_.namespace_declaration(prefix, uri);
    }
    void attribute(const QName* name, std::string_view value) {
        rule_.attribute(*name, value);
        sink_.attribute(name, value);
    }
    void characters(std::string_view piece) {
        if (!seen_) {
            if (is_whitespace(piece)) {
                held_ += piece;
                return;
            }
            seen_ = true;
            if (!held_.empty()) sink_.characters(held_);
            held_.clear();
        }
        sink_.characters(piece);
    }
    void comment(std::string_view text) {
        settle(WhitespaceRule::Next::other);
        rule_.other();
        sink_.comment(text);
    }
    void processing_instruction(std::string_view target, std::string_view data) {
        settle(WhitespaceRule::Next::other);
        rule_.other();
        sink_.processing_instruction(target, data);
    }
    void entity_reference(std::string_view name) {
        settle(WhitespaceRule::Next::reference);
        rule_.reference();
        sink_.entity_reference(name);
    }
    void end_element(const QName* name) {
        settle(WhitespaceRule::Next::end_element);
        rule_.end_element();
        sink_.end_element(name);
    }
    void end_document() { sink_.end_document(); }

  private:
    // The text ends.
    void settle(WhitespaceRule::Next next) {
        seen_ = false;
        if (held_.empty()) return;
        if (rule_.keeps(next)) sink_.characters(held_);
        held_.clear();
    }

    S& sink_;
    WhitespaceRule rule_;
    std::string held_;   // of a text that was whitespace only so far
    bool seen_ = false;  // the text is more than that
};

// Applies the policy to a recorded document, in place. How many texts it dropped.
std::size_t apply_whitespace(Whitespace policy, XmlTape& document);

}  // namespace perfrelay
