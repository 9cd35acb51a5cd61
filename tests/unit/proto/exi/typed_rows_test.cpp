// Typed values: EXI and XML text deliver the same ones, and what the schema says.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proto/exi/typed_format.h"
#include "proto/formats.h"
#include "proto/schema_files.h"
#include "proto/xml/loader.h"
#include "tests/support/files.h"
#include "tests/unit/proto/exi/schema_support.h"

namespace perfrelay::exi {
namespace {

constexpr const char* k_schema = R"(
<xs:element name='r'><xs:complexType mixed='false'><xs:sequence>
 <xs:choice minOccurs='0' maxOccurs='unbounded'>
  <xs:element name='int' type='xs:int' nillable='true'/><xs:element name='big' type='xs:integer'/>
  <xs:element name='few'><xs:simpleType><xs:restriction base='xs:int'><xs:minInclusive value='-3'/>
   <xs:maxInclusive value='12'/></xs:restriction></xs:simpleType></xs:element>
  <xs:element name='dec' type='xs:decimal'/><xs:element name='dbl' type='xs:double'/>
  <xs:element name='bool' type='xs:boolean'/><xs:element name='time' type='xs:time'/>
  <xs:element name='when' type='xs:dateTime'/><xs:element name='year' type='xs:gYear'/>
  <xs:element name='hex' type='xs:hexBinary'/><xs:element name='b64' type='xs:base64Binary'/>
  <xs:element name='str' type='xs:string'/><xs:element name='tok' type='xs:token'/>
  <xs:element name='list'><xs:simpleType><xs:list itemType='xs:int'/></xs:simpleType></xs:element>
  <xs:element name='words' type='xs:NMTOKENS'/>
  <xs:element name='enum'><xs:simpleType><xs:restriction base='xs:string'>
   <xs:enumeration value='one'/><xs:enumeration value='two'/></xs:restriction></xs:simpleType>
  </xs:element>
  <xs:element name='any' type='xs:anyType'/><xs:element ref='g'/>
  <xs:any namespace='urn:other' processContents='lax'/>
 </xs:choice></xs:sequence>
 <xs:attribute name='a' type='xs:int'/><xs:attribute name='m' type='xs:boolean' use='required'/>
 <xs:attribute name='z' type='xs:date'/><xs:anyAttribute/>
</xs:complexType></xs:element>
<xs:element name='g' type='xs:short'/><xs:attribute name='global' type='xs:int'/>
<xs:element name='mixed'><xs:complexType mixed='true'><xs:sequence>
 <xs:element name='b' type='xs:int' minOccurs='0' maxOccurs='9'/></xs:sequence></xs:complexType>
</xs:element>)";

// A typed sink that writes down what it is told.
class Listing {
  public:
    std::string text;

    void start_document() {}
    void end_document() {}
    void doctype(const Doctype&) {}
    void namespace_declaration(std::string_view, std::string_view) {}
    void comment(std::string_view) {}
    void processing_instruction(std::string_view, std::string_view) {}
    void entity_reference(std::string_view) {}
    void start_element(const QName* name) { text += "<" + std::string(name->local); }
    void end_element(const QName*) { text += ">"; }
    void attribute_of(const QName* name) { text += " " + std::string(name->local) + "="; }
    void content() { text += " "; }
    void attribute(const QName* name, std::string_view value) {
        attribute_of(name);
        text += "'" + std::string(value) + "'";
    }
    void characters(std::string_view value) { text += " '" + std::string(value) + "'"; }
    void boolean(bool value) { text += value ? "true" : "false"; }
    void integer(bool negative, std::uint64_t magnitude) {
        text += (negative ? "-" : "") + std::to_string(magnitude);
    }
    void decimal(const Decimal& value) {
        text += (value.negative ? "-" : "") + std::to_string(value.whole) + "+" +
                std::to_string(value.part) + "/10^" + std::to_string(value.digits);
    }
    void floating(double value) { text += "f" + std::to_string(value); }
    void date_time(const DateTime& value) {
        for (const auto part : {value.year, std::int64_t{value.month}, std::int64_t{value.day},
                                std::int64_t{value.hour}, std::int64_t{value.minute},
                                std::int64_t{value.second}, static_cast<std::int64_t>(value.part)})
            text += std::to_string(part) + ".";
        text += value.has_zone ? std::to_string(value.zone) : "-";
    }
    void octets(std::string_view value) { text += "o" + std::to_string(value.size()); }
    void item(std::uint32_t place) { text += "#" + std::to_string(place); }
    void string(std::string_view value) { text += "\"" + std::string(value) + "\""; }
    void wide(std::string_view value) { text += "w" + std::string(value); }
    void start_list() { text += "["; }
    void end_list() { text += "]"; }
    void type(std::string_view, std::string_view local) { text += "type:" + std::string(local); }
};
static_assert(TypedSink<Listing>);

class TypedRows : public ::testing::Test {
  protected:
    TypedRows() { codecs_.schema = schema_of(k_schema); }

    static std::unique_ptr<Document> document(const std::string& text) {
        auto made = std::make_unique<Document>();
        made->source.append(text);
        EXPECT_TRUE(xml::load(*made, Limits{})) << text;
        return made;
    }
    std::unique_ptr<Codec> codec(const std::string& spec) const {
        std::string why;
        auto made = FormatTable::built_in().make(spec, codecs_, why);
        EXPECT_NE(made, nullptr) << spec << ": " << why;
        return made;
    }
    // What a Typer delivers of the document's tape.
    std::string told(const Document& document) const {
        Listing listing;
        TyperTables tables(*codecs_.schema);
        ValueHandler<Listing> values(codecs_.schema->datatypes, listing);
        Typer<ValueHandler<Listing>> typer(tables, false, values);
        document.xml.play(typer);
        return listing.text;
    }
    // What EXI delivers of it.
    std::string told_by_exi(const Document& document, const std::string& options = "") const {
        std::string why;
        const auto spec = parse_spec("exi" + options, why);
        const auto format =
            make_exi_format(spec->format, "exi", {.limits = {}, .schema = codecs_.schema}, why);
        EXPECT_NE(format, nullptr) << why;
        Buffer out;
        EXPECT_TRUE(format->encode(document, out));
        Listing listing;
        const auto done = format->decode(out.view(), listing);
        EXPECT_TRUE(done) << describe(done.error());
        return listing.text;
    }
    // Every row of typed values says the same of the document, twice over.
    void expect_one_digest(const Document& document) const {
        const Digest expected = *codec("xml:typed")->typed_digest(document);
        for (const char* spec : {"xml:typed", "xml:expat,typed", "xml:pugixml,typed", "exi:typed",
                                 "exi:align=byte,typed", "exi:typed+zstd", "xml:typed+gzip"}) {
            const auto row = codec(spec);
            ASSERT_EQ(row->cannot_represent(document, false), std::nullopt) << spec;
            ASSERT_TRUE(row->prepare(document));
            EXPECT_FALSE(row->digests_events());
            EXPECT_EQ(*row->typed_digest(document), expected) << spec;
            Buffer out;
            ASSERT_TRUE(row->encode(document, out));
            for (int i = 0; i < 2; ++i) {
                const auto digest = row->decode(out.view());
                ASSERT_TRUE(digest) << spec << ": " << describe(digest.error());
                EXPECT_EQ(*digest, expected) << spec;
            }
            if (!row->streaming().decode) continue;
            MemorySource pieces(out.view(), 7);
            const auto streamed = row->decode(pieces);
            ASSERT_TRUE(streamed) << spec;
            EXPECT_EQ(*streamed, expected) << spec;
        }
    }

    CodecOptions codecs_;
};

TEST_F(TypedRows, ValuesAreWhatTheSchemaSays) {
    const auto expect = [&](const std::string& content, const std::string& delivered) {
        const auto made = document("<r m='1'>" + content + "</r>");
        const std::string all = "<r m=true" + delivered + ">";
        EXPECT_EQ(told(*made), all);
        EXPECT_EQ(told_by_exi(*made), all);
        EXPECT_EQ(told_by_exi(*made, ":align=byte"), all);
        expect_one_digest(*made);
    };
    expect("<int> +07 </int><few>-3</few>", "<int 7><few -3>");
    expect("<int>-2147483648</int>", "<int -2147483648>");
    expect("<big>18446744073709551615</big>", "<big 18446744073709551615>");
    expect("<big>-18446744073709551617</big>", "<big w-18446744073709551617>");
    expect("<dec>-1.50</dec><dec>00.05</dec><dec>3</dec>",
           "<dec -1+5/10^1><dec 0+5/10^2><dec 3+0/10^0>");
    expect("<dec>0.123456789012345678</dec>", "<dec 0+123456789012345678/10^18>");
    expect("<dec>1.1234567890123456789</dec>", "<dec w1.1234567890123456789>");
    expect("<dec>36893488147419103232.5</dec>", "<dec w36893488147419103232.5>");
    expect("<dbl>1e2</dbl><dbl>-0.25</dbl><dbl>INF</dbl>",
           "<dbl f100.000000><dbl f-0.250000><dbl finf>");
    expect("<bool>0</bool>", "<bool false>");
    expect("<when>2009-09-01T12:30:00.250+02:00</when>", "<when 2009.9.1.12.30.0.25.120>");
    expect("<year>-0044</year><time>23:59:59Z</time>",
           "<year -44.0.0.0.0.0.0.-><time 0.0.0.23.59.59.0.0>");
    expect("<hex>0fB7</hex><b64>AAEC</b64>", "<hex o2><b64 o3>");
    expect("<str> a  b </str><tok> a  b </tok>", "<str \" a  b \"><tok \"a b\">");
    expect("<list>1 -2\n3</list><words>a b</words>", "<list [1-23]><words [\"a\"\"b\"]>");
    expect("<enum>two</enum>", "<enum #1>");
    // Empty ones, and what their types do not have.
    expect("<str/><list/><hex/><b64></b64>", "<str><list><hex><b64>");
    expect("<int>seven</int><enum>three</enum>", "<int 'seven'><enum 'three'>");
    expect("<dec>5.</dec>", "<dec '5.'>");
}

TEST_F(TypedRows, EveryPlaceOfADocument) {
    for (const char* text :
         {"<r z='2009-09-01' m='true' a='5' xml:lang='en' global='7'><int>1</int></r>",
          // A required attribute that is missing, one too many, and one of the wrong type.
          "<r z='2009-09-01' a='5'><int>1</int><str>x</str></r>",
          "<r m='true' q='5' a='five' global='x'><int>1</int></r>",
          // Elements out of place, unknown ones, global ones in these.
          "<r m='0'><b>1</b><g>5</g><x y='1'><g>6</g><int>7</int></x><str>y</str></r>",
          "<r m='0'><o:x xmlns:o='urn:other'><g>5</g></o:x><int>5</int></r>",
          "<r m='0'><any q='1'><g>5</g>t<any>6</any></any></r>", "<unknown><g>5</g></unknown>",
          "<mixed>a<b>1</b> <b>2</b>c</mixed>", "<r m='0'>text<int>1</int></r>",
          "<r m='0' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'>"
          "<int i:nil='true'/><int i:nil='0'>5</int><int i:nil='perhaps'>5</int></r>",
          "<r m='0' xmlns:i='http://www.w3.org/2001/XMLSchema-instance' "
          "xmlns:s='http://www.w3.org/2001/XMLSchema'><any i:type='s:decimal'>1.5</any>"
          "<any i:type='gone:it'>1.5</any><str i:type='s:token'> a </str></r>",
          "<r m='0'>\n  <int>1</int>\n  <int><!-- c -->2<!-- d --></int>\n</r>"}) {
        SCOPED_TRACE(text);
        const auto made = document(text);
        EXPECT_EQ(told_by_exi(*made), told(*made));
        expect_one_digest(*made);
    }
}

TEST_F(TypedRows, DigestsTellValuesApart) {
    const auto digest = [&](const std::string& text) {
        return codec("xml:typed")->typed_digest(*document(text))->value;
    };
    EXPECT_EQ(digest("<r m='1' a='7'/>"), digest("<r a='07' m='true'/>"));
    EXPECT_EQ(digest("<r m='1'> <dec>1.50</dec></r>"), digest("<r m='1'><dec>01.5</dec></r>"));
    const std::vector<std::string> different = {"<r m='1'/>",
                                                "<r m='0'/>",
                                                "<r m='1' a='7'/>",
                                                "<r m='1' a='-7'/>",
                                                "<r m='1'><dec>1.5</dec></r>",
                                                "<r m='1'><dec>1.05</dec></r>",
                                                "<r m='1'><list>1 2</list></r>",
                                                "<r m='1'><list>2 1</list></r>",
                                                "<r m='1'><enum>one</enum></r>",
                                                "<r m='1'><enum>two</enum></r>",
                                                "<r m='1'><when>2009-09-01T12:30:00Z</when></r>",
                                                "<r m='1'><when>2009-09-01T12:30:00</when></r>",
                                                "<r m='1'><when>2009-09-01T12:30:00.5Z</when></r>"};
    for (std::size_t i = 0; i < different.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k)
            EXPECT_NE(digest(different[i]), digest(different[k])) << different[i] << different[k];
    }
}

TEST_F(TypedRows, OfTheShippedDocument) {
    std::string why;
    ASSERT_TRUE(SchemaShelf().choose(PERFRELAY_DATA "test.xsd", codecs_, why)) << why;
    const auto made = document(file_text(PERFRELAY_DATA "test.xml"));
    made->whitespace_dropped = apply_whitespace(Whitespace::automatic, made->xml);
    made->whitespace = Whitespace::automatic;
    expect_one_digest(*made);
    // Under the policy while it reads, out of the file's own bytes; and in strict.
    const auto text = codec("xml:typed");
    text->read_under(Whitespace::automatic);
    EXPECT_EQ(*text->decode(made->source.view()), *text->typed_digest(*made));
    const auto strict = codec("exi:strict,typed");
    Buffer out;
    ASSERT_EQ(strict->cannot_represent(*made, false), std::nullopt);
    ASSERT_TRUE(strict->encode(*made, out));
    EXPECT_EQ(*strict->decode(out.view()), *strict->typed_digest(*made));
    EXPECT_EQ(*strict->typed_digest(*made), *text->typed_digest(*made));
}

TEST_F(TypedRows, Refusals) {
    const FormatTable table = FormatTable::built_in();
    std::string why;
    EXPECT_EQ(table.make("xml:typed", {}, why), nullptr);
    EXPECT_EQ(why, "xml:typed: typed values need a schema, as in -schema FILE.xsd");
    EXPECT_EQ(table.make("xml:tinyxml2,typed", codecs_, why), nullptr);
    EXPECT_EQ(why,
              "format xml:tinyxml2 has no option \"typed\"; what has it: xml xml:expat "
              "xml:pugixml exi");
    for (const char* options :
         {"align=comp", "align=pre", "lexical", "comments", "pis", "dtds", "prefixes",
          "dtrm={http://www.w3.org/2001/XMLSchema}int>exi:string"}) {
        EXPECT_EQ(table.make("exi:typed," + std::string(options), codecs_, why), nullptr);
        EXPECT_TRUE(why.starts_with("exi: option \"typed\" goes without")) << why;
    }
    EXPECT_EQ(table.group_of("exi:typed"), RowGroup::typed_values);
    EXPECT_EQ(table.group_of("xml:typed+gzip"), RowGroup::typed_values);
    EXPECT_EQ(table.group_of("exi"), RowGroup::tree);
    EXPECT_EQ(table.expand("xml:typed", why), std::vector<std::string>{"xml:typed"});
    // A stream without a schema has no types, whatever the row's.
    const auto made = document("<r m='1'/>");
    Buffer out;
    ASSERT_TRUE(codec("exi:options,schemaId,typed")->encode(*made, out));
    std::string other;
    const auto without = table.make("exi:options,schemaId", {}, other);
    Buffer plain;
    ASSERT_TRUE(without->encode(*made, plain));
    const auto refused = codec("exi:typed")->decode(plain.view());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::unsupported);
}

TEST_F(TypedRows, DamagedStreamsAreErrors) {
    const auto made = document(
        "<r m='1' z='2009-09-01'><dec>1.5</dec><when>2009-09-01T12:30:00.5Z</when>"
        "<list>1 2 3</list><b64>AAEC</b64><big>99999999999999999999</big><enum>two</enum></r>");
    for (const char* spec : {"exi:typed", "exi:align=byte,typed"}) {
        const auto row = codec(spec);
        Buffer out;
        ASSERT_TRUE(row->encode(*made, out));
        const std::string whole(as_text(out.view()));
        for (std::size_t at = 1; at < whole.size(); ++at) {
            EXPECT_FALSE(row->decode(as_bytes(whole.substr(0, at)))) << spec << " cut at " << at;
            for (unsigned bit = 0; bit < 8; ++bit) {
                std::string damaged = whole;
                damaged[at] =
                    static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ (1U << bit));
                (void)row->decode(as_bytes(damaged));
            }
        }
    }
}

}  // namespace
}  // namespace perfrelay::exi
