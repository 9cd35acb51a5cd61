#pragma once
// The namespace layer over DOMs that have none: from an element's raw name and attributes to
// resolved events. Part of what is timed.
//
// Contract: `attributes` calls its argument with (name, value) for each attribute in order, the
// same each time; name is a string that ends in NUL, value a callable that gives one. Tested by
// tests/unit/proto/xml/engines_test.cpp.

#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/model/xml_chars.h"
#include "proto/model/xml_sink.h"
#include "proto/xml/namespaces.h"

namespace perfrelay::xml {

class DomNamespaces {
  public:
    explicit DomNamespaces(const Limits& limits) : limits_(limits), names_(limits.max_names) {}

    void reset() {
        names_.reset();
        open_.clear();
        fault_ = {};
    }

    // Start of an element: start_element, its declarations, its attributes. False on a fault.
    template <XmlSink S, class Attributes>
    bool start(S& sink, std::string_view name, const Attributes& attributes) {
        if (open_.size() >= limits_.max_depth) {
            return fail(Errc::limit_exceeded, "elements nested deeper than the limit");
        }
        names_.open();
        // Declarations apply to the whole tag, whatever stands before them.
        std::size_t count = 0;
        std::size_t declarations = 0;
        bool good = true;
        attributes([&](const char* attribute, const auto& value) {
            ++count;
            if (!is_declaration(attribute)) return;
            ++declarations;
            good = good && declare(attribute, value());
        });
        if (count > limits_.max_attributes) {
            return fail(Errc::limit_exceeded, "more attributes on an element than the limit");
        }
        const QName* element = good ? names_.element(name) : nullptr;
        if (element == nullptr) return good && fail(names_.fault());
        open_.push_back(element);
        sink.start_element(element);
        if (declarations != 0) {
            attributes([&](const char* attribute, const auto& value) {
                if (is_declaration(attribute))
                    sink.namespace_declaration(prefix(attribute), value());
            });
        }
        if (count == declarations) return true;
        attributes([&](const char* attribute, const auto& value) {
            if (!good || is_declaration(attribute)) return;
            const QName* resolved = names_.attribute(attribute);
            good = resolved != nullptr || fail(names_.fault());
            if (good) sink.attribute(resolved, value());
        });
        return good;
    }

    template <XmlSink S>
    void end(S& sink) {
        sink.end_element(open_.back());
        open_.pop_back();
        names_.close();
    }

    std::size_t depth() const { return open_.size(); }
    const Error& fault() const { return fault_; }

  private:
    static bool is_declaration(const char* name) {
        return name[0] == 'x' && std::strncmp(name, "xmlns", 5) == 0 &&
               (name[5] == '\0' || name[5] == ':');
    }
    static std::string_view prefix(const char* declaration) {
        return declaration[5] == ':' ? declaration + 6 : std::string_view();
    }
    bool declare(const char* declaration, const char* uri) {
        // "xmlns:" declares nothing; as an attribute it would be no name either.
        if (declaration[5] == ':' && !is_ncname(prefix(declaration))) {
            return fail(Errc::malformed, k_not_qualified);
        }
        return names_.declare(prefix(declaration), uri) || fail(names_.fault());
    }
    bool fail(const Error& fault) {
        fault_ = fault;
        return false;
    }
    bool fail(Errc code, const char* where) { return fail(Error{.code = code, .where = where}); }

    Limits limits_;
    NameResolver names_;
    std::vector<const QName*> open_;
    Error fault_;
};

}  // namespace perfrelay::xml
