// Which schema a codec gets: of a file, or of those that a document names itself.
#include "proto/schema_files.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "proto/model/neutral_json.h"
#include "proto/xml/loader.h"

namespace perfrelay {
namespace {

namespace fs = std::filesystem;

constexpr const char* k_xsi = "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'";

class SchemaFilesTest : public ::testing::Test {
  protected:
    void SetUp() override {
        const auto* const info = ::testing::UnitTest::GetInstance()->current_test_info();
        directory_ = fs::temp_directory_path() /
                     ("perfrelay_schemas_" + std::to_string(::getpid()) + "_" + info->name());
        fs::create_directories(directory_ / "sub");
        schema("a.xsd", "", "<xs:element name='a' type='xs:int'/>");
        schema("u.xsd", "urn:u", "<xs:element name='b' type='xs:date'/>");
        // Imports what a document may name as well.
        schema("v.xsd", "urn:v",
               "<xs:import namespace='urn:u' schemaLocation='u.xsd'/>"
               "<xs:element name='c' type='xs:boolean'/>");
        schema("sub/more-u.xsd", "urn:u", "<xs:element name='d' type='xs:date'/>");
    }
    void TearDown() override { fs::remove_all(directory_); }

    std::string path(const std::string& name) const { return (directory_ / name).string(); }
    void schema(const std::string& name, const std::string& uri, const std::string& content) const {
        std::ofstream(path(name)) << "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'"
                                  << (uri.empty() ? "" : " targetNamespace='" + uri + "'") << ">"
                                  << content << "</xs:schema>";
    }
    // A document of that folder whose root has these attributes.
    std::unique_ptr<Document> document(const std::string& attributes) const {
        auto made = std::make_unique<Document>();
        made->name = path("doc.xml");
        made->source.append("<a " + std::string(k_xsi) + " " + attributes +
                            "><b xsi:noNamespaceSchemaLocation='gone.xsd'>x</b></a>");
        EXPECT_TRUE(xml::load(*made, Limits{}));
        return made;
    }
    // The schema's name; or why there is none.
    std::string named(const std::string& attributes, const SchemaCatalogue& catalogue = {}) {
        return named(*document(attributes), catalogue);
    }
    std::string named(const Document& document, const SchemaCatalogue& catalogue = {}) {
        std::string why;
        codecs_ = {};
        if (!SchemaShelf(catalogue).choose_named(document, codecs_, named_, why)) {
            EXPECT_EQ(codecs_.schema, nullptr);
            EXPECT_TRUE(why.starts_with(document.name + ": ")) << why;
            EXPECT_EQ(why.find('\n'), std::string::npos) << why;
            return why.substr(document.name.size() + 2);
        }
        EXPECT_EQ(codecs_.schema != nullptr, !named_.paths.empty());
        return codecs_.schema_name;
    }
    // Whether documents of this text fit the schema that was chosen.
    bool fits(const std::string& text) {
        Document document;
        document.source.append(text);
        EXPECT_TRUE(xml::load(document, Limits{}));
        std::string why;
        const auto codec = FormatTable::built_in().make("exi:strict", codecs_, why);
        EXPECT_NE(codec, nullptr) << why;
        return codec != nullptr && !codec->cannot_represent(document, false);
    }

    fs::path directory_;
    CodecOptions codecs_;
    SchemaShelf::Named named_;
};

TEST_F(SchemaFilesTest, OfTheRootAlone) {
    EXPECT_EQ(named(""), "");
    EXPECT_EQ(named_.by, "the document names none");
    EXPECT_EQ(named("xsi:noNamespaceSchemaLocation=' a.xsd '"), "a.xsd");
    EXPECT_EQ(named_.by, "xsi:noNamespaceSchemaLocation");
    EXPECT_EQ(named_.paths, std::vector<std::string>{path("a.xsd")});
    EXPECT_TRUE(fits("<a>1</a>"));
    EXPECT_FALSE(fits("<a>one</a>"));
    // Not resolved against the folder that the program runs in.
    EXPECT_EQ(named("xsi:noNamespaceSchemaLocation='file://" + path("a.xsd") + "'"), "a.xsd");
}

TEST_F(SchemaFilesTest, SeveralAreOneSchema) {
    EXPECT_EQ(named("xsi:schemaLocation='urn:u u.xsd\n urn:v v.xsd' "
                    "xsi:noNamespaceSchemaLocation='a.xsd'"),
              "u.xsd v.xsd a.xsd");
    EXPECT_EQ(named_.by, "xsi:schemaLocation, xsi:noNamespaceSchemaLocation");
    for (const char* text :
         {"<a>1</a>", "<b xmlns='urn:u'>2009-09-01</b>", "<c xmlns='urn:v'>true</c>"})
        EXPECT_TRUE(fits(text)) << text;
    EXPECT_FALSE(fits("<b xmlns='urn:u'>soon</b>"));
    // In any order, imported or not, and each file once.
    EXPECT_EQ(named("xsi:schemaLocation='urn:v v.xsd urn:u u.xsd urn:v v.xsd'"), "v.xsd u.xsd");
    EXPECT_TRUE(fits("<b xmlns='urn:u'>2009-09-01</b>"));
}

TEST_F(SchemaFilesTest, SeveralOfOneNamespace) {
    EXPECT_EQ(named("xsi:schemaLocation='urn:u u.xsd urn:u sub/more-u.xsd'"), "u.xsd more-u.xsd");
    EXPECT_TRUE(fits("<b xmlns='urn:u'>2009-09-01</b>"));
    EXPECT_TRUE(fits("<d xmlns='urn:u'>2009-09-01</d>"));
}

TEST_F(SchemaFilesTest, NothingIsFetched) {
    const std::string far = "xsi:schemaLocation='urn:u http://example.com/u.xsd'";
    EXPECT_EQ(named(far),
              "its schema http://example.com/u.xsd is not fetched; --catalogue LOCATION=FILE says "
              "where it is, -schema FILE.xsd takes another");
    EXPECT_EQ(named(far, {{"http://example.com/u.xsd", path("u.xsd")}}), "u.xsd");
    EXPECT_EQ(named(far, {{"urn:u", path("u.xsd")}}), "u.xsd");
    EXPECT_EQ(named("xsi:noNamespaceSchemaLocation='gone.xsd'"),
              "there is no " + path("gone.xsd") +
                  ", which it names as its schema; --catalogue LOCATION=FILE says where it is, "
                  "-schema FILE.xsd takes another");
    EXPECT_TRUE(named("xsi:schemaLocation='urn:u'").starts_with("its xsi:schemaLocation is no "));
}

TEST_F(SchemaFilesTest, OfAStreamInItsHeader) {
    std::string why;
    CodecOptions codecs;
    ASSERT_TRUE(SchemaShelf().choose(path("a.xsd"), codecs, why)) << why;
    const auto text = document("");
    for (const auto& [spec, name] : {std::pair<const char*, const char*>{"exi", ""},
                                     {"exi:options", ""},
                                     {"exi:options,schemaId", "a.xsd"},
                                     {"exi:options,schemaId=sub/../u.xsd", "u.xsd"}}) {
        Document stream;
        stream.name = path("doc.exi");
        stream.source_spec = "exi";
        const auto codec = FormatTable::built_in().make(spec, codecs, why);
        ASSERT_NE(codec, nullptr) << why;
        ASSERT_TRUE(codec->encode(*text, stream.source));
        EXPECT_EQ(named(stream), name) << spec;
        EXPECT_EQ(named_.by, *name != '\0' ? "schemaId" : "the document names none");
    }
}

// What the bridge makes of a document by its schema, in the neutral notation, and that it comes
// back as the same values, also out of a format's own terms.
TEST_F(SchemaFilesTest, TypesBindValues) {
    schema("t.xsd", "",
           "<xs:element name='t'><xs:complexType><xs:sequence>"
           "<xs:element name='n' type='xs:int' maxOccurs='9'/>"
           "<xs:element name='l' minOccurs='0'><xs:simpleType><xs:list itemType='xs:short'/>"
           "</xs:simpleType></xs:element>"
           "<xs:element name='e' minOccurs='0'><xs:simpleType><xs:restriction base='xs:decimal'>"
           "<xs:enumeration value='0.5'/></xs:restriction></xs:simpleType></xs:element>"
           "<xs:element name='s' type='xs:string' minOccurs='0'/></xs:sequence>"
           "<xs:attribute name='b' type='xs:boolean'/><xs:attribute name='d' type='xs:date'/>"
           "<xs:attribute name='x' type='xs:hexBinary'/><xs:attribute name='w' type='xs:time'/>"
           "<xs:attribute name='f' type='xs:float'/>"
           "<xs:attribute name='v'><xs:simpleType><xs:list itemType='xs:boolean'/></xs:simpleType>"
           "</xs:attribute></xs:complexType></xs:element>");
    std::string why;
    CodecOptions codecs;
    ASSERT_TRUE(SchemaShelf().choose(path("t.xsd"), codecs, why)) << why;
    Document document;
    document.source.append(
        "<t b='1' d='2009-09-01+02:00' x='00fF' w='12:00:00' f='1e2' v='1 false'>"
        "<n> +07</n><n>99999999999</n><l>1 -2</l><e>.50</e><s>007</s></t>");
    ASSERT_TRUE(xml::load(document, Limits{}));
    type_values(document, codecs);
    ASSERT_EQ(document.types.size(), document.xml.events().size());
    complete(document, Model::objects, bridge::Binding::schema, Limits{});
    ASSERT_EQ(document.missing + document.bridge_fault, "");
    Buffer json;
    write_neutral_json(*document.objects, json);
    const std::string text(as_text(json.view()));
    // 99999999999 is no xs:int; what counts is that an integer represents it, as in EXI.
    for (const char* part :
         {R"(["@b",{"t":"bool","v":true}])", R"(["@w",{"t":"string","v":"12:00:00"}])",
          R"(["@f",{"t":"double")", R"({"t":"long","v":"99999999999"})", R"({"t":"int","v":7})",
          R"(["s",{"t":"string","v":"007"}])", R"(["@d",{"t":"date")", R"(["@x",{"t":"bytes")",
          R"(["#text",{"t":"list")", R"(["e",{"t":"double")"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    EXPECT_EQ(text.find("+07"), std::string::npos) << text;
    for (const char* spec : {"amf3", "hessian2", "javaser", "json", "cbor", "msgpack", "bson"}) {
        SCOPED_TRACE(spec);
        const auto codec = FormatTable::built_in().make(spec, {}, why);
        ASSERT_EQ(codec->cannot_represent(document, false), std::nullopt);
        ASSERT_TRUE(codec->prepare(document));
        Buffer out;
        ASSERT_TRUE(codec->encode(document, out));
        XmlTape tape;
        const auto decoded = codec->decode(out.view(), tape);
        ASSERT_TRUE(decoded) << describe(decoded.error());
        EXPECT_EQ(difference(document.xml, tape, bridge::bound_fidelity(bridge::Binding::schema)),
                  std::nullopt);
    }
    EXPECT_TRUE(describe_mapping(document, bridge::Binding::schema).starts_with("schema: "));
    document.types.clear();
    EXPECT_TRUE(describe_mapping(document, bridge::Binding::schema).starts_with("text: "));
}

TEST_F(SchemaFilesTest, CompiledOnesAreRead) {
    std::string why;
    Buffer compiled;
    ASSERT_TRUE(compile_schema(path("a.xsd"), {}, compiled, why)) << why;
    std::ofstream(path("a.cxs"), std::ios::binary) << as_text(compiled.view());
    EXPECT_EQ(named("xsi:noNamespaceSchemaLocation='a.cxs'"), "a.cxs");
    EXPECT_TRUE(fits("<a>1</a>"));
    CodecOptions codecs;
    SchemaShelf shelf;
    SchemaShelf::Named named;
    EXPECT_FALSE(shelf.choose_named(
        *document("xsi:noNamespaceSchemaLocation='a.cxs' xsi:schemaLocation='urn:u u.xsd'"), codecs,
        named, why));
    EXPECT_EQ(why, path("a.cxs") + ": a compiled schema, and there are others beside it");
}

}  // namespace
}  // namespace perfrelay
