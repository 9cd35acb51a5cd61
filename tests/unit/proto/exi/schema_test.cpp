// Grammars of schemas: productions and their codes (EXI 8.5), names (D.3), and documents through
// them: deviations, strict, xsi:type, xsi:nil.
#include "proto/exi/schema/schema.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proto/exi/schema/compiled_schema.h"
#include "proto/formats.h"
#include "tests/unit/proto/exi/schema_support.h"
#include "tests/unit/proto/exi/support.h"

namespace perfrelay::exi {
namespace {

std::string local_of(const Schema& schema, std::uint32_t name) {
    for (const PresetUri& uri : schema.uris) {
        if (name < uri.locals.size()) return uri.locals[name];
        name -= static_cast<std::uint32_t>(uri.locals.size());
    }
    return "?";
}

// The productions of a state by event code, "AT(a) SE(b) EE".
std::string productions_of(const Schema& schema, std::uint32_t number) {
    const Schema::State& state = schema.state(number);
    std::string out;
    for (std::uint32_t i = 0; i < state.count; ++i) {
        const Production& p = schema.productions[state.first + i];
        switch (p.event) {
            case Event::attribute: out += "AT(" + local_of(schema, p.name) + ") "; break;
            case Event::start_element: out += "SE(" + local_of(schema, p.name) + ") "; break;
            case Event::any_element: out += "SE(*) "; break;
            case Event::any_element_of: out += "SE(" + schema.uris[p.name].text + ":*) "; break;
            case Event::any_attribute: out += "AT(*) "; break;
            case Event::any_attribute_of: out += "AT(" + schema.uris[p.name].text + ":*) "; break;
            case Event::end_element: out += "EE "; break;
            case Event::characters: out += p.target == 0 ? "CH " : "CH[typed] "; break;
            default: out += "ED "; break;
        }
    }
    if (!out.empty()) out.pop_back();
    return out;
}
std::uint32_t behind(const Schema& schema, std::uint32_t number, std::uint32_t code) {
    return schema.productions[schema.state(number).first + code].next;
}
std::uint32_t element(const Schema& schema, const std::string& local) {
    const Schema::State& document = schema.state(schema.documents[0]);
    for (std::uint32_t i = 0; i < document.count; ++i) {
        const Production& p = schema.productions[document.first + i];
        if (p.event == Event::start_element && local_of(schema, p.name) == local) return p.target;
    }
    ADD_FAILURE() << local;
    return schema.documents[0];
}

TEST(SchemaGrammars, OfTheRecommendationsExample) {
    // EXI H: product, with optional sku and color, then description, quantity and price.
    const auto schema = schema_of(
        "<xs:element name='product'><xs:complexType><xs:sequence maxOccurs='2'>"
        "<xs:element name='description' type='xs:string' minOccurs='0'/>"
        "<xs:element name='quantity' type='xs:integer'/>"
        "<xs:element name='price' type='xs:float'/></xs:sequence>"
        "<xs:attribute name='sku' type='xs:string' use='required'/>"
        "<xs:attribute name='color' type='xs:string'/></xs:complexType></xs:element>"
        "<xs:element name='order' type='xs:string'/>");
    const Schema& s = *schema;
    EXPECT_EQ(productions_of(s, s.documents[0]), "SE(order) SE(product) SE(*)");
    EXPECT_EQ(productions_of(s, s.fragments[0]),
              "SE(description) SE(order) SE(price) SE(product) SE(quantity) SE(*) ED");
    const std::uint32_t start = element(s, "product");
    EXPECT_EQ(productions_of(s, start), "AT(color) AT(sku)");
    EXPECT_EQ(productions_of(s, behind(s, start, 0)), "AT(sku)");
    const std::uint32_t content = behind(s, start, 1);
    EXPECT_EQ(productions_of(s, content), "SE(description) SE(quantity)");
    EXPECT_EQ(s.state(start).kinds[0], StateKind::informed_entry);
    EXPECT_EQ(s.state(content).kinds[0], StateKind::informed_start);
    const std::uint32_t price = behind(s, behind(s, content, 1), 0);
    EXPECT_EQ(productions_of(s, price), "SE(description) SE(quantity) EE");
    EXPECT_EQ(s.state(price).kinds[0], StateKind::informed_content_end);
    EXPECT_EQ(productions_of(s, s.state(start).content), "SE(description) SE(quantity)");
    EXPECT_EQ(productions_of(s, s.state(start).empty), "AT(color) AT(sku)");
    // Widths: strict has no second level here.
    EXPECT_EQ(s.state(start).widths[0], 2);
    EXPECT_EQ(s.state(start).widths[1], 1);
}

TEST(SchemaGrammars, AttributeWildcardsAndMixedContent) {
    const auto schema = schema_of(
        "<xs:element name='r'><xs:complexType mixed='true'><xs:sequence>"
        "<xs:element name='b' minOccurs='0' type='xs:int'/></xs:sequence>"
        "<xs:attribute name='z' type='xs:int'/>"
        "<xs:anyAttribute namespace='urn:b urn:a ##local'/></xs:complexType></xs:element>");
    const Schema& s = *schema;
    const std::uint32_t start = element(s, "r");
    EXPECT_EQ(productions_of(s, start), "AT(z) AT(:*) AT(urn:a:*) AT(urn:b:*) SE(b) EE CH");
    const std::uint32_t again = behind(s, start, 1);
    EXPECT_NE(again, start) << "no second xsi:type";
    EXPECT_EQ(productions_of(s, again), productions_of(s, start));
    EXPECT_EQ(productions_of(s, behind(s, start, 0)), "AT(:*) AT(urn:a:*) AT(urn:b:*) SE(b) EE CH");
    EXPECT_EQ(productions_of(s, behind(s, start, 6)), "SE(b) EE CH");
}

TEST(SchemaGrammars, AnyTypeIsAsDefined) {
    const auto schema = built_in_schema();
    const Schema& s = *schema;
    EXPECT_EQ(productions_of(s, s.documents[0]), "SE(*)");
    const auto& xsd = s.uris[3].locals;
    const auto at = std::find(xsd.begin(), xsd.end(), "anyType");
    ASSERT_NE(at, xsd.end());
    std::uint32_t name = static_cast<std::uint32_t>(at - xsd.begin());
    for (std::size_t i = 0; i < 3; ++i)
        name += static_cast<std::uint32_t>(s.uris[i].locals.size());
    const std::uint32_t start = s.types[name];
    EXPECT_EQ(productions_of(s, start), "AT(*) SE(*) EE CH");
    EXPECT_EQ(productions_of(s, s.state(start).content), "SE(*) EE CH");
    EXPECT_EQ(xsd.size(), 46U);
}

TEST(SchemaGrammars, StrictSecondLevels) {
    const auto schema = schema_of(
        "<xs:element name='plain' type='xs:date'/><xs:element name='sub' type='xs:int'/>"
        "<xs:element name='nil' type='xs:date' nillable='true'/>"
        "<xs:element name='both' type='xs:string' nillable='true'/>"
        "<xs:element name='u' type='U'/><xs:simpleType name='U'>"
        "<xs:union memberTypes='xs:int xs:date'/></xs:simpleType>");
    const auto kind = [&](const std::string& name) {
        return schema->state(element(*schema, name)).kinds[1];
    };
    EXPECT_EQ(kind("plain"), StateKind::bare);
    EXPECT_EQ(kind("sub"), StateKind::strict_type);
    EXPECT_EQ(kind("nil"), StateKind::strict_nil);
    EXPECT_EQ(kind("both"), StateKind::strict_type_nil);
    EXPECT_EQ(kind("u"), StateKind::strict_type);
}

TEST(SchemaGrammars, LocalElementsOfOneNameAreRelaxedInFragments) {
    const auto schema = schema_of(
        "<xs:element name='r'><xs:complexType><xs:sequence>"
        "<xs:element name='p'><xs:complexType><xs:sequence>"
        "<xs:element name='v' type='xs:int'/></xs:sequence></xs:complexType></xs:element>"
        "<xs:element name='v' type='xs:string'/></xs:sequence>"
        "<xs:attribute name='k' type='xs:int'/></xs:complexType></xs:element>");
    const Schema& s = *schema;
    EXPECT_EQ(productions_of(s, s.fragments[0]), "SE(p) SE(r) SE(v) SE(*) ED");
    const std::uint32_t relaxed = s.productions[s.state(s.fragments[0]).first + 2].target;
    EXPECT_EQ(productions_of(s, relaxed), "AT(k) AT(*) SE(p) SE(r) SE(v) SE(*) EE CH");
    EXPECT_EQ(behind(s, relaxed, 0), relaxed);
    EXPECT_EQ(productions_of(s, s.state(relaxed).empty), "AT(k) AT(*) EE");
}

class Informed : public ::testing::Test {
  protected:
    std::unique_ptr<Codec> codec(const std::string& spec) const {
        std::string why;
        auto made = FormatTable::built_in().make(spec, {.schema = schema_}, why);
        EXPECT_NE(made, nullptr) << why;
        return made;
    }
    // What comes back of a document under every packing, with and without what may be kept.
    void comes_back(const std::string& text, bool strict = false) const {
        const auto document = document_of(text);
        for (const std::string align : {"bit", "byte", "pre", "comp"}) {
            for (const std::string keep :
                 {"", ",prefixes", ",lexical", ",comments,pis", ",strict"}) {
                if (keep == ",strict" && !strict) continue;
                const std::string spec = "exi:align=" + align + keep;
                const auto coder = codec(spec);
                Buffer out;
                if (auto done = coder->encode(*document, out); !done) {
                    ADD_FAILURE() << spec << ": " << describe(done.error());
                    continue;
                }
                XmlTape again;
                if (auto done = coder->decode(out.view(), again); !done) {
                    ADD_FAILURE() << spec << ": " << describe(done.error());
                    continue;
                }
                const auto found = difference(document->xml, again, coder->info().fidelity);
                EXPECT_FALSE(found) << spec << ": " << *found;
            }
        }
    }
    std::string refused(const std::string& text) const {
        const auto document = document_of(text);
        const auto coder = codec("exi:strict");
        Buffer out;
        EXPECT_FALSE(coder->encode(*document, out)) << text;
        return coder->cannot_represent(*document, false).value_or("");
    }

    std::shared_ptr<const Schema> schema_ = schema_of(
        "<xs:element name='order'><xs:complexType><xs:sequence>"
        "<xs:element name='to' type='xs:token'/>"
        "<xs:element name='grams' type='xs:int' nillable='true' maxOccurs='3'/>"
        "<xs:element name='price' type='Price' minOccurs='0'/>"
        "<xs:element name='tags' minOccurs='0'><xs:simpleType><xs:list itemType='xs:NMTOKEN'/>"
        "</xs:simpleType></xs:element>"
        "<xs:any namespace='##other' minOccurs='0' maxOccurs='unbounded'/></xs:sequence>"
        "<xs:attribute name='id' type='xs:unsignedByte' use='required'/>"
        "<xs:attribute name='kind'><xs:simpleType><xs:restriction base='xs:string'>"
        "<xs:enumeration value='fast'/><xs:enumeration value='slow'/></xs:restriction>"
        "</xs:simpleType></xs:attribute></xs:complexType></xs:element>"
        "<xs:complexType name='Price'><xs:simpleContent><xs:extension base='xs:decimal'>"
        "<xs:attribute name='unit' type='xs:string'/></xs:extension></xs:simpleContent>"
        "</xs:complexType><xs:complexType name='Net'><xs:simpleContent>"
        "<xs:extension base='Price'><xs:attribute name='tax' type='xs:int'/></xs:extension>"
        "</xs:simpleContent></xs:complexType>");
};

TEST_F(Informed, ValidDocuments) {
    comes_back("<order id='7'><to>Ann</to><grams>1</grams></order>", true);
    comes_back(
        "<order id='255' kind='slow'><to> a  b </to><grams>+01</grams><grams>-5</grams>"
        "<price unit='EUR'>1.50</price><tags>a b  a</tags><o:x xmlns:o='urn:o' y='1'>t</o:x>"
        "<o:x xmlns:o='urn:o' y='1'>t</o:x></order>",
        true);
    comes_back(
        "<order xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' id='1'><to>A</to>"
        "<grams xsi:nil='true'/><grams xsi:nil='false'>3</grams></order>",
        true);
    comes_back(
        "<order xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' id='1'><to>A</to>"
        "<grams>3</grams><price xsi:type='Net' tax='3' unit='x'>1</price></order>",
        true);
}

TEST_F(Informed, DeviationsAreCarried) {
    comes_back(
        "<order id='300' kind='odd' other='x' xmlns:o='urn:o' o:y='1'>stray<grams>x</grams>"
        "<to>Ann<b/>more</to><grams/>text</order>");
    comes_back("<unknown><order/><order id='1'/><to>x</to></unknown>");
    comes_back(
        "<order xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:nil='maybe' "
        "xsi:type='nowhere' id='1'><grams xsi:nil='1'>5</grams></order>");
    comes_back(
        "<order><!--c-->a<!--d-->b<?p q?><to>1<!--e-->2</to><grams>0<!--f-->1</grams></order>");
}

TEST_F(Informed, StrictSaysWhereAndWhat) {
    EXPECT_EQ(refused("<order id='1'><to>A</to><gram/></order>"),
              "does not match the schema, which strict asks for: /order: element gram where the "
              "schema has element grams");
    EXPECT_NE(refused("<order id='1'><to>A</to><grams>x</grams></order>")
                  .find("/order/grams: text \"x\""),
              std::string::npos);
    EXPECT_NE(refused("<order><to>A</to></order>").find("where the schema has attribute id"),
              std::string::npos);
    EXPECT_NE(refused("<order id='1'><to>A</to></order>").find("the end where"), std::string::npos);
    EXPECT_NE(refused("<order id='1'><to>A</to><grams/></order>").find("/order/grams"),
              std::string::npos);
    EXPECT_NE(refused("<order id='300'/>").find("attribute id=\"300\""), std::string::npos);
}

TEST_F(Informed, HeaderNamesTheSchema) {
    const auto document = document_of("<order id='7'><to>Ann</to><grams>1</grams></order>");
    std::string why;
    const auto named = FormatTable::built_in().make(
        "exi:options,schemaId", {.schema = schema_, .schema_name = "o.xsd"}, why);
    ASSERT_NE(named, nullptr) << why;
    Buffer out;
    ASSERT_TRUE(named->encode(*document, out));
    XmlTape tape;
    EXPECT_TRUE(codec("exi")->decode(out.view(), tape));
    const Result<> without = codec_of("exi")->decode(out.view(), tape);
    ASSERT_FALSE(without);
    EXPECT_NE(std::string(without.error().where).find("needs a schema"), std::string::npos);
}

TEST_F(Informed, EveryDamagedStreamEndsInOrder) {
    const auto document = document_of(
        "<order id='9' kind='fast'><to>Ann</to><grams>12</grams><price unit='EUR'>1.50</price>"
        "<tags>a b</tags></order>");
    for (const std::string spec :
         {"exi", "exi:strict", "exi:align=byte", "exi:align=pre,lexical"}) {
        const auto coder = codec(spec);
        Buffer out;
        ASSERT_TRUE(coder->encode(*document, out));
        std::vector<std::uint8_t> bytes(out.view().begin(), out.view().end());
        for (std::size_t bit = 8; bit < bytes.size() * 8; ++bit) {
            bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
            (void)coder->decode(Bytes(bytes));
            (void)coder->decode(Bytes(bytes).first(bit / 8));
            bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
        }
    }
}

TEST_F(Informed, CompiledSchemaIsTheSame) {
    Buffer file;
    write_compiled_schema(*schema_, file);
    const auto read = read_compiled_schema(file.view());
    ASSERT_TRUE(read) << describe(read.error());
    Buffer again;
    write_compiled_schema(**read, again);
    EXPECT_TRUE(std::ranges::equal(file.view(), again.view()));
    const auto document =
        document_of("<order id='7' kind='slow'><to>Ann</to><grams>1</grams></order>");
    Buffer first;
    ASSERT_TRUE(codec("exi:strict")->encode(*document, first));
    schema_ = *read;
    Buffer second;
    ASSERT_TRUE(codec("exi:strict")->encode(*document, second));
    EXPECT_TRUE(std::ranges::equal(first.view(), second.view()));
}

TEST_F(Informed, DamagedCompiledSchemasAreRefused) {
    Buffer file;
    write_compiled_schema(*schema_, file);
    std::vector<std::uint8_t> bytes(file.view().begin(), file.view().end());
    for (std::size_t i = 0; i < bytes.size(); i += 7) {
        bytes[i] ^= 0x20U;
        EXPECT_FALSE(read_compiled_schema(bytes)) << i;
        bytes[i] ^= 0x20U;
        EXPECT_FALSE(read_compiled_schema(Bytes(bytes).first(i))) << i;
    }
    bytes[5] = 2;
    const auto other = read_compiled_schema(bytes);
    ASSERT_FALSE(other);
    EXPECT_NE(std::string(other.error().where).find("another version"), std::string::npos);
}

}  // namespace
}  // namespace perfrelay::exi
