// What the shipped document promises: its schema holds, every engine of the headline set can carry
// it, and it packs as such feeds do.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <libxml/parser.h>
#include <libxml/xmlschemas.h>
#include <zlib.h>

#include "tests/support/files.h"

namespace {

constexpr const char* k_document = PERFRELAY_DATA "test.xml";
constexpr const char* k_schema = PERFRELAY_DATA "test.xsd";

struct FreeXml {
    void operator()(xmlDoc* it) const { xmlFreeDoc(it); }
    void operator()(xmlSchema* it) const { xmlSchemaFree(it); }
    void operator()(xmlSchemaParserCtxt* it) const { xmlSchemaFreeParserCtxt(it); }
    void operator()(xmlSchemaValidCtxt* it) const { xmlSchemaFreeValidCtxt(it); }
};
template <class T>
using Owned = std::unique_ptr<T, FreeXml>;

Owned<xmlDoc> parsed() {
    return Owned<xmlDoc>(xmlReadFile(k_document, nullptr, XML_PARSE_NONET));
}

// All nodes below `root` in document order, without recursion.
std::vector<const xmlNode*> nodes(const xmlNode* root) {
    std::vector<const xmlNode*> all;
    const xmlNode* node = root;
    while (node != nullptr) {
        all.push_back(node);
        if (node->children != nullptr) {
            node = node->children;
            continue;
        }
        while (node != root && node->next == nullptr)
            node = node->parent;
        node = node == root ? nullptr : node->next;
    }
    return all;
}

std::string_view text(const xmlChar* from) {
    return reinterpret_cast<const char*>(from);
}

TEST(TestXml, IsValidAgainstItsSchema) {
    const Owned<xmlSchemaParserCtxt> reader(xmlSchemaNewParserCtxt(k_schema));
    ASSERT_NE(reader, nullptr);
    const Owned<xmlSchema> schema(xmlSchemaParse(reader.get()));
    ASSERT_NE(schema, nullptr);
    const Owned<xmlSchemaValidCtxt> validator(xmlSchemaNewValidCtxt(schema.get()));
    const Owned<xmlDoc> document = parsed();
    ASSERT_NE(document, nullptr);
    EXPECT_EQ(xmlSchemaValidateDoc(validator.get(), document.get()), 0);

    // The schema does say something: a broken value is refused.
    xmlSetProp(xmlDocGetRootElement(document.get()), reinterpret_cast<const xmlChar*>("version"),
               reinterpret_cast<const xmlChar*>("one"));
    EXPECT_NE(xmlSchemaValidateDoc(validator.get(), document.get()), 0);
}

TEST(TestXml, HasTheSizeOfTheClassicSample) {
    const std::size_t size = perfrelay::file_text(k_document).size();
    EXPECT_GE(size, 925'000U);
    EXPECT_LE(size, 950'000U);
}

// Some engines drop text that is white space only, and some read no instruction after the start.
TEST(TestXml, EveryEngineCanCarryIt) {
    const Owned<xmlDoc> document = parsed();
    ASSERT_NE(document, nullptr);
    std::size_t texts = 0;
    for (const xmlNode* node : nodes(xmlDocGetRootElement(document.get()))) {
        ASSERT_TRUE(node->type == XML_ELEMENT_NODE || node->type == XML_TEXT_NODE);
        if (node->type != XML_TEXT_NODE) continue;
        ++texts;
        ASSERT_NE(text(node->content).find_first_not_of(" \t\r\n"), std::string_view::npos)
            << "line " << xmlGetLineNo(node);
    }
    EXPECT_GT(texts, 10'000U);
}

std::set<std::string_view> namespaces_of(const xmlDoc& document) {
    std::set<std::string_view> found;
    for (const xmlNode* node : nodes(xmlDocGetRootElement(&document))) {
        if (node->type != XML_ELEMENT_NODE) continue;
        found.insert(node->ns == nullptr ? std::string_view() : text(node->ns->href));
        for (const xmlAttr* one = node->properties; one != nullptr; one = one->next) {
            if (one->ns != nullptr) found.insert(text(one->ns->href));
        }
    }
    return found;
}

TEST(TestXml, HasThreeNamespaces) {
    const Owned<xmlDoc> document = parsed();
    ASSERT_NE(document, nullptr);
    EXPECT_EQ(namespaces_of(*document),
              (std::set<std::string_view>{"urn:perfrelay:freight", "urn:perfrelay:geo",
                                          "http://www.w3.org/2001/XMLSchema-instance"}));
}

TEST(TestXml, HasLettersBeyondAscii) {
    const std::string document = perfrelay::file_text(k_document);
    EXPECT_TRUE(std::any_of(document.begin(), document.end(),
                            [](char c) { return static_cast<unsigned char>(c) >= 0x80; }));
}

TEST(TestXml, PacksAsSuchFeedsDo) {
    const std::string document = perfrelay::file_text(k_document);
    uLongf size = compressBound(document.size());
    std::string packed(size, '\0');
    ASSERT_EQ(compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                        reinterpret_cast<const Bytef*>(document.data()), document.size(), 6),
              Z_OK);
    EXPECT_GE(document.size() / size, 8U);
    EXPECT_LE(document.size() / size, 12U);
}

}  // namespace
