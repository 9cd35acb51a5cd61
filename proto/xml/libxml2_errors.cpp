#include "proto/xml/libxml2_errors.h"

#include <algorithm>
#include <iterator>

#include <libxml/parser.h>

#include "proto/xml/namespaces.h"

namespace perfrelay::xml {

namespace {

struct Line {
    int code;
    Errc errc;
    const char* where;
};

constexpr Line k_lines[] = {
    {XML_ERR_DOCUMENT_EMPTY, Errc::truncated, "no root element"},
    {XML_ERR_DOCUMENT_END, Errc::malformed, "something after the root element"},
    {XML_ERR_TAG_NOT_FINISHED, Errc::truncated, "the document ends before its root element does"},
    {XML_ERR_TAG_NAME_MISMATCH, Errc::malformed, "mismatched tag"},
    {XML_ERR_GT_REQUIRED, Errc::malformed, "a tag without its >"},
    {XML_ERR_SPACE_REQUIRED, Errc::malformed, "a blank is missing"},
    {XML_ERR_NAME_REQUIRED, Errc::malformed, "a name is missing"},
    {XML_ERR_ATTRIBUTE_REDEFINED, Errc::malformed, k_attribute_twice},
    {XML_ERR_ATTRIBUTE_NOT_STARTED, Errc::malformed, "an attribute value without quotes"},
    {XML_ERR_ATTRIBUTE_NOT_FINISHED, Errc::malformed, "an attribute value without its end"},
    {XML_ERR_ATTRIBUTE_WITHOUT_VALUE, Errc::malformed, "an attribute without a value"},
    {XML_ERR_LT_IN_ATTRIBUTE, Errc::malformed, "a < in an attribute value"},
    {XML_ERR_INVALID_CHAR, Errc::malformed, "a character that no document may hold"},
    {XML_ERR_INVALID_CHARREF, Errc::malformed, "a reference to no character"},
    {XML_ERR_INVALID_DEC_CHARREF, Errc::malformed, "a reference to no character"},
    {XML_ERR_INVALID_HEX_CHARREF, Errc::malformed, "a reference to no character"},
    {XML_ERR_INVALID_ENCODING, Errc::malformed, "bytes that are not of the document's encoding"},
    {XML_I18N_CONV_FAILED, Errc::malformed, "bytes that are not of the document's encoding"},
    {XML_ERR_MISPLACED_CDATA_END, Errc::malformed, "]]> in text"},
    {XML_ERR_CDATA_NOT_FINISHED, Errc::truncated, "a CDATA section without its end"},
    {XML_ERR_COMMENT_NOT_FINISHED, Errc::truncated, "a comment without its end"},
    {XML_ERR_HYPHEN_IN_COMMENT, Errc::malformed, "-- in a comment"},
    {XML_ERR_PI_NOT_FINISHED, Errc::truncated, "a processing instruction without its end"},
    {XML_ERR_RESERVED_XML_NAME, Errc::malformed, "an XML declaration that is not at the start"},
    {XML_ERR_ENTITYREF_SEMICOL_MISSING, Errc::malformed, "an entity reference without its ;"},
    {XML_ERR_UNDECLARED_ENTITY, Errc::malformed, "undefined entity"},
    {XML_ERR_UNPARSED_ENTITY, Errc::malformed, "reference to an unparsed entity"},
    {XML_ERR_ENTITY_IS_EXTERNAL, Errc::malformed,
     "reference to an external entity in an attribute"},
    {XML_ERR_ENTITY_LOOP, Errc::malformed, "recursive entity reference"},
    {XML_ERR_NOT_WELL_BALANCED, Errc::malformed,
     "an element that does not end in the entity it begins in"},
    {XML_ERR_DOCTYPE_NOT_FINISHED, Errc::malformed, "a DOCTYPE without its end"},
    {XML_ERR_XMLDECL_NOT_FINISHED, Errc::malformed, "XML declaration not well-formed"},
    {XML_ERR_UNKNOWN_VERSION, Errc::unsupported, "an XML version that is not 1.x"},
    {XML_ERR_NO_MEMORY, Errc::limit_exceeded, "out of memory"},
    {XML_NS_ERR_UNDEFINED_NAMESPACE, Errc::malformed, k_undeclared_prefix},
    {XML_NS_ERR_ATTRIBUTE_REDEFINED, Errc::malformed, k_attribute_twice},
    {XML_NS_ERR_QNAME, Errc::malformed, k_not_qualified},
    {XML_NS_ERR_COLON, Errc::malformed, "a colon in the name of an entity or instruction"},
    {XML_NS_ERR_XML_NAMESPACE, Errc::malformed, "a namespace declaration that is not allowed"},
};

}  // namespace

Error libxml2_error(const xmlError& error) {
    const auto* line = std::find_if(std::begin(k_lines), std::end(k_lines),
                                    [&](const Line& l) { return l.code == error.code; });
    Error result{.where = "not well-formed"};
    if (line != std::end(k_lines)) {
        result.code = line->errc;
        result.where = line->where;
    }
    result.line = static_cast<std::uint32_t>(std::max(error.line, 0));
    result.column = static_cast<std::uint32_t>(std::max(error.int2, 0));
    return result;
}

bool ends_parse(const xmlError& error) {
    if (error.level == XML_ERR_FATAL) return true;
    return error.domain == XML_FROM_NAMESPACE && error.level == XML_ERR_ERROR &&
           error.code != XML_WAR_NS_URI && error.code != XML_WAR_NS_URI_RELATIVE;
}

}  // namespace perfrelay::xml
