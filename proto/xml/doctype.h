#pragma once
// The parts of a document type declaration, from its text.
//
// XML 1.0 2.8 [28] doctypedecl, 4.2.2 [75] ExternalID; the internal subset is taken as it stands.
// For readers whose parser gives the declaration as text, or not at all.
// Tested by tests/unit/proto/xml/doctype_test.cpp.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/model/xml_sink.h"

namespace perfrelay::xml {

// Owns what its Doctype shows.
class DoctypeText {
  public:
    DoctypeText() = default;
    DoctypeText(const DoctypeText&) = delete;
    DoctypeText& operator=(const DoctypeText&) = delete;
    ~DoctypeText() = default;

    // Finds the declaration in the prolog of the UTF-8 document `text`. False when it has none that
    // can be read.
    bool find(std::string_view text);

    // `declaration` is what stands between "<!DOCTYPE" and the ">" that ends it. False when it is
    // no declaration.
    bool parse(std::string_view declaration);

    const Doctype& doctype() const { return doctype_; }

  private:
    std::string text_;       // line ends normalised
    std::string public_id_;  // white space normalised
    Doctype doctype_;
};

// The other way: what stands behind "<!DOCTYPE ", up to the ">". The identifiers are such as can be
// quoted.
std::string declaration_text(const Doctype& doctype);

// How much of a document comes before the name of its root element, "<" included, while the text
// grows: each byte is looked at about once, however small the pieces are. XML 1.0 2.8 [22] prolog.
class PrologScan {
  public:
    // `text` begins as that of the last call did. Nothing while it cannot be said yet. What is no
    // prolog ends where the parser will refuse it.
    std::optional<std::size_t> length(std::string_view text);

    // The same for one declaration, which begins with "<!DOCTYPE": its length with its ">".
    std::optional<std::size_t> doctype(std::string_view text);

  private:
    bool skip_opaque(std::string_view text);

    std::size_t at_ = 0;        // everything before has been dealt with
    std::string_view awaited_;  // what ends the comment, instruction or literal that is open
    bool in_doctype_ = false;
    bool in_subset_ = false;
};

// What follows the first reference to a parameter entity between the declarations of an internal
// subset; empty when there is none.
std::string_view after_parameter_reference(std::string_view internal_subset);

// The parameter entities that are referred to, in entity values too, each as often as it is.
std::vector<std::string_view> parameter_references(std::string_view internal_subset);
// Whether it seems to declare this one.
bool declares_parameter_entity(std::string_view internal_subset, std::string_view name);

struct ExternalEntity {
    std::string_view name;
    std::string_view system_id;
    bool is_parameter = false;

    bool operator==(const ExternalEntity&) const = default;
};
// The external entities that an internal subset declares.
std::vector<ExternalEntity> external_entities(std::string_view internal_subset);

}  // namespace perfrelay::xml
