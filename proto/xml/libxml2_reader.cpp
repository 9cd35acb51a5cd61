#include "proto/xml/libxml2_reader.h"

#include <algorithm>
#include <charconv>

#include <libxml/SAX2.h>
#include <libxml/parserInternals.h>
#include <libxml/uri.h>

#include "proto/xml/libxml2_errors.h"
#include "proto/xml/namespaces.h"
#include "proto/xml/source_scan.h"

namespace perfrelay::xml {

namespace {

// Above this many names, or this much of them, parser and tables start anew.
constexpr std::size_t k_many_names = 65536;
constexpr std::size_t k_large_dictionary = std::size_t{32} << 20U;
constexpr std::size_t k_free_expansion = std::size_t{8} << 20U;
constexpr std::size_t k_attribute = 16;          // what one costs beside its value
constexpr std::size_t k_deepest_content = 2048;  // libxml2's own, on content models

xmlParserInputPtr load_nothing(const char*, const char*, xmlParserCtxtPtr) {
    return nullptr;
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

// As libxml2 has it, which wants no fragment either.
bool is_uri(std::string_view id) {
    const std::unique_ptr<xmlURI, decltype(&xmlFreeURI)> uri(xmlParseURI(std::string(id).c_str()),
                                                             xmlFreeURI);
    return uri != nullptr && uri->fragment == nullptr;
}

// An entity that may be declared where nobody has looked, so that only a parser that has looked may
// call it undeclared (XML 1.0 4.1, Entity Declared). libxml2 forgets a parameter entity that it did
// not read.
bool refers_past_parameter_entity(const Survey& survey,
                                  const std::vector<ExternalEntity>& external) {
    const bool unread = std::any_of(external.begin(), external.end(),
                                    [](const auto& entity) { return entity.is_parameter; });
    const auto is_declared = [&](std::string_view name) {
        return std::any_of(external.begin(), external.end(), [&](const auto& entity) {
            return !entity.is_parameter && entity.name == name;
        });
    };
    return unread && !survey.doctype->has_system_id &&
           !std::all_of(survey.entity_references.begin(), survey.entity_references.end(),
                        is_declared);
}

// In texts of entities too, which may be declarations.
std::size_t content_model_depth(std::string_view subset) {
    std::size_t depth = 0;
    std::size_t deepest = 0;
    for (const char c : subset) {
        if (c == '(') deepest = std::max(deepest, ++depth);
        if (c == ')' && depth > 0) --depth;
        if (c == '<') depth = 0;
    }
    return deepest;
}

std::optional<std::string> cannot_read_subset(const Survey& survey) {
    const std::string_view subset = survey.doctype->internal_subset;
    const std::vector<ExternalEntity> external = external_entities(subset);
    const std::string_view rest = after_parameter_reference(subset);
    if (!rest.empty()) {
        // XML 1.0 5.1: past a parameter entity that is not read, declarations must not be
        // processed.
        if ((contains(subset, "SYSTEM") || contains(subset, "PUBLIC")) &&
            (contains(rest, "<!ATTLIST") || contains(rest, "<!ENTITY"))) {
            return "an external parameter entity in the internal subset (libxml2 reads on past it)";
        }
        if (refers_past_parameter_entity(survey, external)) {
            return "a reference to what an external parameter entity may declare (libxml2 takes it "
                   "for undeclared)";
        }
        auto names = parameter_references(subset);
        std::sort(names.begin(), names.end());
        if (std::adjacent_find(names.begin(), names.end()) != names.end()) {
            return "a parameter entity that is used twice (libxml2 may take that for an error)";
        }
        for (const std::string_view name : names) {
            if (!declares_parameter_entity(subset, name)) {
                return "an undeclared parameter entity (libxml2 takes that for an error)";
            }
        }
    }
    if (content_model_depth(subset) > k_deepest_content) {
        return "a content model nested more than 2,048 deep (libxml2 refuses it)";
    }
    if (!std::all_of(external.begin(), external.end(),
                     [](const auto& entity) { return is_uri(entity.system_id); })) {
        return "an external entity whose identifier is no URI (libxml2 does not declare it)";
    }
    return std::nullopt;
}

// The loader of external entities is one for the whole process; this program never wants one.
void initialise_library() {
    static const bool done = [] {
        xmlInitParser();
        xmlSetExternalEntityLoader(load_nothing);
        return true;
    }();
    (void)done;
}

}  // namespace

void Libxml2Reader::FreeContext::operator()(xmlParserCtxtPtr context) const {
    if (context->myDoc != nullptr) xmlFreeDoc(context->myDoc);
    context->myDoc = nullptr;
    xmlFreeParserCtxt(context);
}

Libxml2Reader::Libxml2Reader(const Limits& limits) : limits_(limits) {
    initialise_library();
}

Libxml2Reader::~Libxml2Reader() = default;

std::string Libxml2Reader::version() {
    initialise_library();
    // "20914", with more behind it for a build from its repository.
    int number = 0;
    const std::string_view text = xmlParserVersion;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
           std::to_string(number % 100);
}

std::optional<std::string> Libxml2Reader::cannot_read(const Survey& survey,
                                                      const Document& document, bool source) {
    if (survey.most_attributes > k_most_attributes) {
        return "an element with " + std::to_string(survey.most_attributes) +
               " attributes (libxml2 compares each with all others; " +
               std::to_string(k_most_attributes) + " at most)";
    }
    if (survey.xml_prefix_declared) {
        return "a declaration of the prefix xml (libxml2 does not report it)";
    }
    if (survey.doctype != nullptr) {
        if (auto reason = cannot_read_subset(survey)) return reason;
    }
    if (source && document.facts.namespaces_in_internal_subset) {
        return "namespace declarations in the internal subset (libxml2 does not report all of "
               "them)";
    }
    if (source && document.facts.general_entities &&
        (survey.blank_in_attribute || survey.return_in_attribute)) {
        return "an entity and a line end or tab in an attribute (libxml2 may turn it into a space)";
    }
    return std::nullopt;
}

// Options stay with the context; handlers are set for each document, some by the sink's type.
void Libxml2Reader::new_context() {
    context_.reset(xmlNewParserCtxt());
    if (context_ == nullptr) return;
    xmlCtxtUseOptions(context_.get(), XML_PARSE_HUGE | XML_PARSE_NONET | XML_PARSE_IGNORE_ENC);
    // XML_PARSE_NOENT would do this, and read external entities as well.
    context_->replaceEntities = 1;
    context_->userData = this;
    xmlSAXHandler& handlers = *context_->sax;
    handlers = {};
    handlers.initialized = XML_SAX2_MAGIC;
    handlers.serror = [](void* user, xmlErrorPtr error) { on_error(user, error); };
    handlers.externalSubset = [](void* user, const xmlChar*, const xmlChar*, const xmlChar*) {
        self(user).in_doctype_ = false;
    };
    // What keeps the DTD is libxml2's own, for its own context.
    handlers.entityDecl = [](void* user, const xmlChar* name, int type, const xmlChar* public_id,
                             const xmlChar* system_id, xmlChar* content) {
        xmlSAX2EntityDecl(self(user).context_.get(), name, type, public_id, system_id, content);
    };
    handlers.unparsedEntityDecl = [](void* user, const xmlChar* name, const xmlChar* public_id,
                                     const xmlChar* system_id, const xmlChar* notation) {
        xmlSAX2UnparsedEntityDecl(self(user).context_.get(), name, public_id, system_id, notation);
    };
    handlers.getParameterEntity = [](void* user, const xmlChar* name) {
        Libxml2Reader& reader = self(user);
        xmlEntityPtr entity = xmlGetParameterEntity(reader.context_->myDoc, name);
        if (entity != nullptr) reader.expand(*entity);
        return reader.failed_ ? nullptr : entity;
    };
    known_.forget();
    names_.clear();
}

Result<> Libxml2Reader::begin(Bytes input) {
    source_ = nullptr;
    auto text = text_.read(input, Utf8Text::Form::owned, limits_.max_document);
    if (!text) return text.error();
    if (has_flooded_tag(*text, k_most_attributes)) {
        return Error{.code = Errc::limit_exceeded,
                     .where = "more attributes on an element than libxml2 can compare"};
    }
    input_ = *text;
    return begin_with([this] {
        // The input is memory of ours, which libxml2 reads where it is.
        xmlParserInputPtr stream = xmlNewInputStream(context_.get());
        if (stream == nullptr) return stream;
        stream->base = reinterpret_cast<const xmlChar*>(input_.data());
        stream->cur = stream->base;
        stream->end = stream->base + input_.size();
        return stream;
    });
}

Result<> Libxml2Reader::begin(TextSource& text) {
    text.watch_attributes(k_most_attributes);
    const auto head = text.head();
    if (!head) return head.error();
    arrived_ = *head;
    // The parser will be past this text when it comes to ask.
    doctype_found_ = doctype_.find(*head);
    input_ = {};
    source_ = &text;
    source_state_ = {};
    return begin_with([this]() -> xmlParserInputPtr {
        xmlParserInputBufferPtr buffer = xmlParserInputBufferCreateIO(
            [](void* user, char* out, int room) { return self(user).read(out, room); }, nullptr,
            this, XML_CHAR_ENCODING_NONE);
        if (buffer == nullptr) return nullptr;
        xmlParserInputPtr stream =
            xmlNewIOInputStream(context_.get(), buffer, XML_CHAR_ENCODING_NONE);
        if (stream == nullptr) xmlFreeParserInputBuffer(buffer);
        return stream;
    });
}

template <class MakeInput>
Result<> Libxml2Reader::begin_with(MakeInput make) {
    const bool full = context_ == nullptr || names_.size() > k_many_names ||
                      xmlDictSize(context_->dict) > static_cast<int>(k_many_names) ||
                      xmlDictGetUsage(context_->dict) > k_large_dictionary;
    if (full) {
        new_context();
    } else {
        xmlCtxtReset(context_.get());
    }
    // Some errors reach no parser's handler but the thread's, which would print them.
    xmlSetStructuredErrorFunc(nullptr, [](void*, xmlErrorPtr) {});
    xmlParserInputPtr stream = context_ == nullptr ? nullptr : make();
    if (stream == nullptr) return Error{.code = Errc::limit_exceeded, .where = "out of memory"};
    inputPush(context_.get(), stream);
    names_before_ = names_.size();
    known_.restart();
    open_.clear();
    text_run_ = 0;
    delivered_ = 0;
    in_doctype_ = false;
    failed_ = false;
    return {};
}

// All of `room`, or the end has come: a short answer is the end of the input to parts of libxml2.
int Libxml2Reader::read(char* out, int room) {
    std::size_t read = 0;
    while (read < static_cast<std::size_t>(room)) {
        if (arrived_.empty()) {
            const auto more = source_->next();
            if (!more) {
                source_state_ = more.error();
                return -1;
            }
            arrived_ = *more;
            if (arrived_.empty()) break;
        }
        const std::size_t size = arrived_.copy(out + read, static_cast<std::size_t>(room) - read);
        arrived_.remove_prefix(size);
        read += size;
    }
    return static_cast<int>(read);
}

Result<> Libxml2Reader::parse() {
    xmlParseDocument(context_.get());
    if (!source_state_) return source_state_;
    if (failed_) return error_;
    if (context_->wellFormed == 0) return Error{.where = "not well-formed"};
    return at_end();
}

// libxml2 takes a NUL for the end of its input.
Result<> Libxml2Reader::at_end() {
    bool ended = context_->input != nullptr && context_->input->cur == context_->input->end;
    if (ended && source_ != nullptr && arrived_.empty()) {
        const auto more = source_->next();
        if (!more) return more.error();
        arrived_ = *more;
    }
    ended = ended && (source_ == nullptr || arrived_.empty());
    return ended ? Result<>() : Error{.where = "a NUL character"};
}

void Libxml2Reader::on_error(void* user, xmlErrorPtr error) {
    Libxml2Reader& reader = self(user);
    if (error == nullptr || !ends_parse(*error) || reader.failed_) return;
    reader.failed_ = true;
    reader.error_ = libxml2_error(*error);
    xmlStopParser(reader.context_.get());
}

void Libxml2Reader::fail(Errc code, const char* where) {
    if (failed_) return;
    failed_ = true;
    error_ = {.code = code, .where = where};
    if (context_->input != nullptr) {
        error_.line = static_cast<std::uint32_t>(context_->input->line);
        error_.column = static_cast<std::uint32_t>(context_->input->col);
    }
    xmlStopParser(context_.get());
}

bool Libxml2Reader::enter(int attributes, int declarations) {
    if (failed_) return false;
    text_run_ = 0;
    if (open_.size() >= limits_.max_depth) {
        fail(Errc::limit_exceeded, "elements nested deeper than the limit");
    } else if (static_cast<std::size_t>(attributes) + static_cast<std::size_t>(declarations) >
               limits_.max_attributes) {
        fail(Errc::limit_exceeded, "more attributes on an element than the limit");
    }
    return !failed_;
}

void Libxml2Reader::deliver(std::size_t bytes) {
    delivered_ += bytes + k_attribute;
    if (bytes > limits_.max_text) {
        fail(Errc::limit_exceeded, "an attribute value longer than the limit");
    } else if (delivered_ > k_free_expansion &&
               static_cast<double>(delivered_) >
                   limits_.max_entity_amplification *
                       static_cast<double>(source_ != nullptr ? source_->bytes() : input_.size())) {
        fail(Errc::limit_exceeded, "entity expansion beyond the limit");
    }
}

// Every reference counts for more than its text: libxml2 makes a parser for each.
void Libxml2Reader::expand(const xmlEntity& entity) {
    constexpr std::size_t k_reference = 64;
    deliver(static_cast<std::size_t>(entity.length) + k_reference);
}

bool Libxml2Reader::take_text(std::size_t bytes) {
    if (failed_) return false;
    text_run_ += bytes;
    if (text_run_ > limits_.max_text) fail(Errc::limit_exceeded, "a text longer than the limit");
    return !failed_;
}

xmlEntityPtr Libxml2Reader::find_entity(const xmlChar* name) {
    if (failed_ || context_->myDoc == nullptr) return nullptr;
    xmlEntityPtr entity = xmlGetDocEntity(context_->myDoc, name);
    if (entity != nullptr && entity->etype == XML_INTERNAL_GENERAL_ENTITY) {
        expand(*entity);
    }
    return failed_ ? nullptr : entity;
}

void Libxml2Reader::start_doctype(const xmlChar* name, const xmlChar* public_id,
                                  const xmlChar* system_id) {
    if (context_->myDoc == nullptr) context_->myDoc = xmlNewDoc(context_->version);
    xmlSAX2InternalSubset(context_.get(), name, public_id, system_id);
    in_doctype_ = true;
    // Namespaces section 4 [16].
    std::string_view prefix;
    std::string_view local;
    if (!split_qualified(view(name), prefix, local)) {
        return fail(Errc::malformed, k_not_qualified);
    }
    // libxml2 does not tell the text of the internal subset.
    const bool found = source_ != nullptr ? doctype_found_ : doctype_.find(input_);
    if (!found) fail(Errc::malformed, "a DOCTYPE that is not well-formed");
}

const QName* Libxml2Reader::new_name(const Addresses& key) {
    const QName* name = names_.intern(view(key.uri), view(key.local), view(key.prefix));
    if (names_.size() - names_before_ <= limits_.max_names) return name;
    fail(Errc::limit_exceeded, k_too_many_names);
    return nullptr;
}

}  // namespace perfrelay::xml
