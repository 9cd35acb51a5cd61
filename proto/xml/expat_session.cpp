#include "proto/xml/expat_session.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "proto/model/xml_chars.h"
#include "proto/xml/namespaces.h"

namespace perfrelay::xml {

namespace {

// As expat has it: expansion is not looked at below this.
constexpr std::size_t k_free_expansion = std::size_t{8} << 20U;
// What an attribute costs beside its value.
constexpr std::size_t k_attribute = 16;
// A token longer than this is not looked at again for every few bytes more.
constexpr std::size_t k_long_token = 4096;

// Code and rule of an error. expat's own words do for most; these need others, or another class.
Error classify(XML_Error code) {
    if (code == XML_ERROR_DUPLICATE_ATTRIBUTE) return {.where = k_attribute_twice};
    if (code == XML_ERROR_UNBOUND_PREFIX) return {.where = k_undeclared_prefix};
    if (code == XML_ERROR_UNDECLARING_PREFIX) return {.where = "a prefix must not be undeclared"};
    if (code == XML_ERROR_ASYNC_ENTITY) {
        return {.where = "an element that does not end in the entity it begins in"};
    }
    if (code == XML_ERROR_INVALID_TOKEN) {
        return {.where = "not well-formed: a character that must not stand here"};
    }
    if (code == XML_ERROR_AMPLIFICATION_LIMIT_BREACH) {
        return {.code = Errc::limit_exceeded, .where = "entity expansion beyond the limit"};
    }
    if (code == XML_ERROR_NO_MEMORY) {
        return {.code = Errc::limit_exceeded, .where = "out of memory"};
    }
    if (code == XML_ERROR_NO_ELEMENTS) {
        return {.code = Errc::truncated, .where = "the document ends before its root element does"};
    }
    const bool cut = code == XML_ERROR_UNCLOSED_TOKEN || code == XML_ERROR_PARTIAL_CHAR ||
                     code == XML_ERROR_UNCLOSED_CDATA_SECTION;
    const char* text = XML_ErrorString(code);
    return {.code = cut ? Errc::truncated : Errc::malformed,
            .where = text == nullptr ? "not well-formed" : text};
}

ExpatSession& self(void* user) {
    return *static_cast<ExpatSession*>(user);
}

}  // namespace

void ExpatSession::start(XML_Parser parser, OnReference on_reference) {
    parser_ = parser;
    on_reference_ = on_reference;
    declared_.clear();
    external_.clear();
    text_run_ = 0;
    delivered_ = 0;
    compound_entities_ = 0;
    fed_ = 0;
    error_ = {};
    XML_SetUserData(parser, this);
    XML_SetEntityDeclHandler(
        parser, [](void* user, const char* name, int is_parameter, const char* value, int size,
                   const char*, const char* system_id, const char*, const char*) {
            self(user).declare_entity(name, is_parameter != 0, value,
                                      static_cast<std::size_t>(size), system_id);
        });
    XML_SetXmlDeclHandler(parser, [](void* user, const char* version, const char*, int) {
        self(user).check_version(version);
    });
    XML_SetSkippedEntityHandler(parser, [](void* user, const char* name, int is_parameter) {
        ExpatSession& session = self(user);
        if (is_parameter == 0) session.on_reference_(user, view(name));
    });
    // expat hands this argument over in the parser's place.
    XML_SetExternalEntityRefHandlerArg(parser, this);
    XML_SetExternalEntityRefHandler(parser, [](XML_Parser user, const char* context, const char*,
                                               const char* system_id, const char*) {
        self(user).external_reference(context, system_id);
        return static_cast<int>(XML_STATUS_OK);
    });
    XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_ALWAYS);
    XML_SetBillionLaughsAttackProtectionMaximumAmplification(
        parser, static_cast<float>(std::max(1.0, limits_.max_entity_amplification)));
}

Result<> ExpatSession::parse(std::string_view text) {
    input_size_ = text.size();
    if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        return Error{.code = Errc::limit_exceeded, .where = "a document larger than 2 GiB"};
    }
    return feed(text, true);
}

// expat looks at an unfinished token from its start whenever more has come: long ones wait until
// they are twice as long.
Result<> ExpatSession::parse(std::string_view head, TextSource& rest) {
    for (std::string_view piece = head;;) {
        const bool last = piece.empty();
        input_size_ = rest.bytes();
        if (auto done = feed(piece, last); !done || last) return done;
        const XML_Index parsed = XML_GetCurrentByteIndex(parser_);
        const std::size_t unfinished = parsed < 0 ? 0 : fed_ - static_cast<std::size_t>(parsed);
        const auto next = rest.next(unfinished > k_long_token ? unfinished : 1);
        if (!next) return next.error();
        piece = *next;
    }
}

Result<> ExpatSession::feed(std::string_view text, bool last) {
    const std::size_t before = std::exchange(fed_, fed_ + text.size());
    const XML_Status status =
        XML_Parse(parser_, text.data(), static_cast<int>(text.size()), last ? XML_TRUE : XML_FALSE);
    if (failed()) return error_;
    if (status != XML_STATUS_OK) return rejection(text, before);
    return {};
}

// expat reads names as XML's fourth edition had them; the fifth allows many more characters.
// `text` stands `before` bytes after the document's start.
Error ExpatSession::rejection(std::string_view text, std::size_t before) const {
    Error error = place(classify(XML_GetErrorCode(parser_)));
    const bool here = error.offset > before && error.offset - before < text.size();
    if (XML_GetErrorCode(parser_) != XML_ERROR_INVALID_TOKEN || !here) return error;
    const std::string_view rest = text.substr(error.offset - before);
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; };
    const auto* end = std::find_if_not(rest.begin() + 1, rest.end(), continues);
    const std::string_view character(rest.begin(), end);
    if (character.size() > 1 && is_name("a" + std::string(character))) {
        error.where =
            "not well-formed, or a name that only XML 1.0's fifth edition allows (expat "
            "reads the fourth)";
    }
    return error;
}

Error ExpatSession::place(const Error& fault) const {
    Error error = fault;
    error.offset = static_cast<std::size_t>(XML_GetCurrentByteIndex(parser_));
    error.line = static_cast<std::uint32_t>(XML_GetCurrentLineNumber(parser_));
    error.column = static_cast<std::uint32_t>(XML_GetCurrentColumnNumber(parser_)) + 1;
    return error;
}

void ExpatSession::fail(const Error& fault) {
    if (failed()) return;
    error_ = place(fault);
    XML_StopParser(parser_, XML_FALSE);
}

void ExpatSession::deliver(std::size_t bytes) {
    delivered_ += bytes + k_attribute;
    if (bytes > limits_.max_text) {
        fail(Errc::limit_exceeded, "an attribute value longer than the limit");
    } else if (delivered_ > k_free_expansion &&
               static_cast<double>(delivered_) >
                   limits_.max_entity_amplification * static_cast<double>(input_size_)) {
        fail(Errc::limit_exceeded, "expansion by the internal subset beyond the limit");
    }
}

bool ExpatSession::take_text(std::size_t bytes) {
    if (failed()) return false;
    text_run_ += bytes;
    if (text_run_ > limits_.max_text) fail(Errc::limit_exceeded, "a text longer than the limit");
    return !failed();
}

// XML 1.0 2.8 [26] VersionNum; expat takes anything.
void ExpatSession::check_version(const char* version) {
    const std::string_view number = view(version);
    const bool good = number.size() > 2 && number.starts_with("1.") &&
                      number.find_first_not_of("0123456789", 2) == std::string_view::npos;
    if (version != nullptr && !good) fail(Errc::unsupported, "an XML version that is not 1.x");
}

bool ExpatSession::is_declared(std::string_view name) const {
    return declared_.find(name) != declared_.end();
}

void ExpatSession::declare_entity(std::string_view name, bool is_parameter, const char* value,
                                  std::size_t size, const char* system_id) {
    // Namespaces section 7.
    if (name.find(':') != std::string_view::npos) {
        return fail(Errc::malformed, "a colon in the name of an entity");
    }
    const std::string_view text =
        value == nullptr ? std::string_view() : std::string_view(value, size);
    const bool compound = text.find_first_of("&%") != std::string_view::npos;
    if (compound && ++compound_entities_ > limits_.max_compound_entities) {
        return fail(Errc::limit_exceeded, "more entities that refer to others than the limit");
    }
    if (is_parameter) return;
    if (value != nullptr) {
        declared_.emplace(name);
    } else {
        external_.emplace(system_id, name);
    }
}

// `context` is null for the external subset and for parameter entities. expat does not say which
// entity it is; it hands out the identifier it stored at the declaration, the very pointer.
void ExpatSession::external_reference(const char* context, const char* system_id) {
    if (context == nullptr) return;
    const auto found = external_.find(system_id);
    if (found != external_.end()) on_reference_(this, found->second);
}

}  // namespace perfrelay::xml
