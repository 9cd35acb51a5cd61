#include "proto/xml/loader.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "proto/model/xml_chars.h"
#include "proto/xml/expat_session.h"
#include "proto/xml/namespaces.h"
#include "proto/xml/position.h"
#include "proto/xml/source_scan.h"
#include "proto/xml/utf8_text.h"

namespace perfrelay::xml {

namespace {

class Loader : ExpatSession {
  public:
    Loader(Document& document, std::string_view text, const Limits& limits)
        : ExpatSession(limits),
          document_(document),
          text_(text),
          // The text is UTF-8, whatever it declares.
          parser_(XML_ParserCreate("UTF-8")),
          names_(limits.max_names),
          sink_(document.xml) {}

    Result<> run() {
        if (parser_ == nullptr) {
            return Error{.code = Errc::limit_exceeded, .where = "out of memory"};
        }
        start(parser_.get(), [](void* user, std::string_view name) { self(user).reference(name); });
        set_handlers();
        names_.reset();
        sink_.start_document();
        if (auto done = parse(text_); !done) return done.error();
        sink_.end_document();
        return look_at_source();
    }

  private:
    static Loader& self(void* user) {
        return *static_cast<Loader*>(static_cast<ExpatSession*>(user));
    }

    void set_handlers() {
        const XML_Parser parser = parser_.get();
        XML_SetElementHandler(
            parser,
            [](void* user, const char* name, const char** attributes) {
                self(user).start_element(name, attributes);
            },
            [](void* user, const char*) { self(user).end_element(); });
        XML_SetCharacterDataHandler(parser, [](void* user, const char* text, int size) {
            self(user).characters({text, static_cast<std::size_t>(size)});
        });
        XML_SetCommentHandler(parser,
                              [](void* user, const char* text) { self(user).comment(view(text)); });
        XML_SetProcessingInstructionHandler(parser,
                                            [](void* user, const char* target, const char* data) {
                                                self(user).instruction(view(target), view(data));
                                            });
        XML_SetCdataSectionHandler(
            parser, [](void* user) { self(user).document_.facts.cdata_sections = true; }, nullptr);
        XML_SetDoctypeDeclHandler(
            parser,
            [](void* user, const char* name, const char* system_id, const char* public_id,
               int has_internal_subset) {
                self(user).start_doctype(name, system_id, public_id, has_internal_subset != 0);
            },
            [](void* user) { self(user).end_doctype(); });
        XML_SetAttlistDeclHandler(
            parser, [](void* user, const char*, const char*, const char* type, const char*, int) {
                if (view(type) != "CDATA") self(user).document_.facts.tokenized_attributes = true;
            });
    }

    void start_element(const char* name, const char** attributes) {
        if (failed()) return;
        end_text();
        if (open_.size() >= limits().max_depth) {
            return fail(Errc::limit_exceeded, "elements nested deeper than the limit");
        }
        names_.open();
        if (!declare_all(attributes)) return;
        const QName* element = names_.element(name);
        if (element == nullptr) return fail(names_.fault());
        open_.push_back(element);
        sink_.start_element(element);
        for (const auto& [prefix, uri] : declarations_)
            sink_.namespace_declaration(prefix, uri);
        for (const char** attribute = attributes; *attribute != nullptr; attribute += 2) {
            if (is_declaration(attribute[0])) continue;
            const QName* qname = names_.attribute(attribute[0]);
            if (qname == nullptr) return fail(names_.fault());
            const std::string_view value(attribute[1]);
            deliver(value.size());
            sink_.attribute(qname, value);
        }
    }

    static bool is_declaration(const char* name) {
        return std::strncmp(name, "xmlns", 5) == 0 && (name[5] == '\0' || name[5] == ':');
    }

    // Declarations apply to the whole tag, whatever stands before them.
    bool declare_all(const char** attributes) {
        declarations_.clear();
        std::size_t count = 0;
        const auto specified =
            static_cast<std::size_t>(XML_GetSpecifiedAttributeCount(parser_.get()));
        for (const char** attribute = attributes; *attribute != nullptr;
             attribute += 2, count += 2) {
            if (count / 2 >= limits().max_attributes) {
                fail(Errc::limit_exceeded, "more attributes on an element than the limit");
                return false;
            }
            const bool defaulted = count >= specified;
            if (defaulted) document_.facts.default_attributes = true;
            if (!is_declaration(attribute[0])) continue;
            if (defaulted) document_.facts.namespaces_in_internal_subset = true;
            const std::string_view prefix =
                attribute[0][5] == '\0' ? std::string_view() : std::string_view(attribute[0] + 6);
            if (!declare(attribute[0][5] == ':', prefix, attribute[1])) return false;
        }
        return true;
    }

    bool declare(bool prefixed, std::string_view prefix, std::string_view uri) {
        if (prefixed && !is_ncname(prefix)) {
            fail(Errc::malformed, k_not_qualified);
        } else if (!names_.declare(prefix, uri)) {
            fail(names_.fault());
        }
        deliver(uri.size());
        declarations_.emplace_back(prefix, uri);
        return !failed();
    }

    void end_element() {
        if (failed()) return;
        end_text();
        sink_.end_element(open_.back());
        open_.pop_back();
        names_.close();
    }

    void characters(std::string_view text) {
        if (take_text(text.size())) sink_.characters(text);
    }

    void comment(std::string_view text) {
        if (failed() || in_doctype_) return;
        end_text();
        if (text.size() > limits().max_text) {
            return fail(Errc::limit_exceeded, "a comment longer than the limit");
        }
        sink_.comment(text);
    }

    void instruction(std::string_view target, std::string_view data) {
        if (failed()) return;
        if (target.find(':') != std::string_view::npos) {
            return fail(Errc::malformed, "a colon in the target of a processing instruction");
        }
        if (in_doctype_) return;
        end_text();
        if (target.size() > limits().max_text || data.size() > limits().max_text) {
            return fail(Errc::limit_exceeded, "a processing instruction longer than the limit");
        }
        sink_.processing_instruction(target, data);
    }

    void reference(std::string_view name) {
        if (failed()) return;
        end_text();
        sink_.entity_reference(name);
    }

    void start_doctype(const char* name, const char* system_id, const char* public_id,
                       bool has_internal_subset) {
        in_doctype_ = true;
        doctype_name_ = view(name);
        std::string_view prefix;
        std::string_view local;
        // Namespaces section 4 [16].
        if (!split_qualified(doctype_name_, prefix, local)) fail(Errc::malformed, k_not_qualified);
        std::string scratch;
        system_id_ = normalize_line_ends(view(system_id), scratch);
        public_id_ = view(public_id);
        doctype_.has_system_id = system_id != nullptr;
        doctype_.has_internal_subset = has_internal_subset;
        // expat stands at the "[".
        subset_at_ = static_cast<std::size_t>(XML_GetCurrentByteIndex(parser_.get())) + 1;
    }

    void end_doctype() {
        in_doctype_ = false;
        if (failed()) return;
        std::string scratch;
        if (doctype_.has_internal_subset) {
            const auto end = static_cast<std::size_t>(XML_GetCurrentByteIndex(parser_.get()));
            const std::string_view rest = text_.substr(subset_at_, end - subset_at_);
            doctype_.internal_subset =
                normalize_line_ends(rest.substr(0, rest.rfind(']')), scratch);
        }
        doctype_.name = doctype_name_;
        doctype_.system_id = system_id_;
        doctype_.public_id = public_id_;
        sink_.doctype(doctype_);
    }

    // What the events do not show: whether an entity was expanded, and (expat cannot tell) whether
    // an attribute lost a reference to an entity declared where nobody has looked.
    Result<> look_at_source() {
        const SourceTraits traits = scan_source(text_);
        const auto declared = [&](std::string_view name) { return is_declared(name); };
        document_.facts.general_entities =
            std::any_of(traits.references.begin(), traits.references.end(), declared);
        for (const auto& [name, offset] : traits.attribute_references) {
            if (declared(name)) continue;
            return error_at(text_, offset, Errc::unsupported,
                            "an attribute refers to an entity that is declared elsewhere");
        }
        return {};
    }

    Document& document_;
    std::string_view text_;
    ExpatParser parser_;
    NameResolver names_;
    TapeSink<true> sink_;
    std::vector<const QName*> open_;
    std::vector<std::pair<std::string_view, std::string_view>> declarations_;
    bool in_doctype_ = false;
    Doctype doctype_;
    std::string doctype_name_;
    std::string system_id_;
    std::string public_id_;
    std::size_t subset_at_ = 0;
};

}  // namespace

Result<> load(Document& document, const Limits& limits) {
    document.facts = {};
    Utf8Text text;
    auto read = text.read(document.source.view(), Utf8Text::Form::borrowed, limits.max_document);
    if (!read) return read.error();
    document.facts.encoding = text.encoding();
    document.facts.byte_order_mark = text.byte_order_mark();
    return Loader(document, *read, limits).run();
}

}  // namespace perfrelay::xml
