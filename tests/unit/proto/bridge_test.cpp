// The bridge between the models: a document comes back from its objects, also when they went
// through a format of objects; a graph comes back from the document that shows it.

#include "proto/model/bridge/bridge.h"

#include <functional>

#include <gtest/gtest.h>

#include "proto/formats.h"
#include "proto/model/bridge/lexical.h"
#include "proto/model/bridge/schema_values.h"
#include "proto/model/bridge/shown_graph.h"
#include "proto/model/neutral_json.h"
#include "proto/model/object_difference.h"
#include "proto/model/sample_objects.h"
#include "proto/xml/loader.h"
#include "tests/support/files.h"
#include "tests/support/object_vectors.h"

namespace perfrelay::bridge {
namespace {

constexpr Binding k_bindings[] = {Binding::text, Binding::typed};

std::unique_ptr<Document> document_of(std::string_view text) {
    auto document = std::make_unique<Document>();
    document->name = "made";
    document->source.append(text);
    const Result<> loaded = xml::load(*document, Limits{});
    EXPECT_TRUE(loaded) << describe(loaded.error());
    return document;
}

std::string json_of(std::string_view text, Binding binding = Binding::text) {
    const auto document = document_of(text);
    ObjectGraph graph;
    EXPECT_TRUE(to_objects(document->xml, binding, {}, graph));
    Buffer out;
    write_neutral_json(graph, out);
    return std::string(as_text(out.view()));
}

// The document from its objects, as they are and through each format of objects.
void expect_back(Document& document, Binding binding) {
    document.objects = std::make_unique<ObjectGraph>();
    const auto bound = to_objects(document.xml, binding, {}, *document.objects);
    ASSERT_TRUE(bound) << describe(bound.error());
    ASSERT_TRUE(is_bound(*document.objects));
    XmlTape tape;
    const auto done = to_xml(*document.objects, {}, tape);
    ASSERT_TRUE(done) << describe(done.error());
    ASSERT_EQ(difference(document.xml, tape, k_bound_fidelity), std::nullopt);
    for (const char* spec : {"amf3", "amf3:profile=blazeds", "amf3:profile=graniteds", "hessian2",
                             "javaser", "javaser+zstd"}) {
        SCOPED_TRACE(spec);
        std::string why;
        const auto codec = FormatTable::built_in().make(spec, {}, why);
        ASSERT_NE(codec, nullptr) << why;
        ASSERT_EQ(codec->cannot_represent(document, false), std::nullopt);
        ASSERT_TRUE(codec->prepare(document));
        Buffer out;
        ASSERT_TRUE(codec->encode(document, out));
        const auto decoded = codec->decode(out.view(), tape);
        ASSERT_TRUE(decoded) << describe(decoded.error());
        ASSERT_EQ(difference(document.xml, tape, codec->info().fidelity), std::nullopt);
    }
}

TEST(Binding, EveryShapeOfDocumentComesBack) {
    for (const char* text : {
             "<a/>",
             "<a>text</a>",
             "<a b='1'/>",
             "<a b='1'>text</a>",
             "<a><b/></a>",
             "<a><b>1</b><b>2</b><c/></a>",
             "<a><x><b/><c/></x><x><c/><d/></x><x><b/><d/></x></a>",
             "<a><x><b/><c/></x><x><c/><b/></x></a>",
             "<a><b/><c/><b/></a>",
             "<a><a><a>x</a></a>y</a>",
             "<a>one<b>two</b>three</a>",
             "<a><b>x</b><b><c/></b><b/><b y=''/></a>",
             "<a>x<!--c-->y<?p i?>z</a>",
             "<!DOCTYPE a [<!ENTITY e 'v'>]><a>&e;</a>",
             "<a xmlns='urn:a'><b xmlns=''/><c/></a>",
             "<p:a xmlns:p='urn:a' p:x='1' x='2'><p:b/><b/></p:a>",
             "<a><p:b xmlns:p='urn:1'/><p:b xmlns:p='urn:2'><p:c/></p:b></a>",
             "<a xml:lang='en'> <b xml:space='preserve'> </b></a>",
             "<a><b z='1' y='2'/><b y='3'/><b w='4'/></a>",
             "<java.util.ArrayList><java.lang.Integer value='1'/>x</java.util.ArrayList>",
             "<a>\n\t\xC3\xA4\xF0\x9F\x98\x80&#13;</a>",
             "<z><y>1</y><x>true</x><w>2.5</w><v>text</v></z>",
         }) {
        for (const Binding binding : k_bindings) {
            SCOPED_TRACE(text);
            expect_back(*document_of(text), binding);
        }
    }
}

TEST(Binding, Mapping) {
    EXPECT_EQ(
        json_of("<a>x</a>"),
        R"({"t":"object","id":0,"type":"#document","fields":[["a",{"t":"string","v":"x"}]]})");
    // A class a name: what an element has not is null, a name that is ever repeated is a list.
    EXPECT_EQ(
        json_of("<r><o i='1'><n>x</n></o><o><n>y</n><n>z</n></o></r>"),
        R"({"t":"object","id":0,"type":"#document","fields":[["r",)"
        R"({"t":"object","id":1,"type":"r","fields":[["o",{"t":"list","id":2,"items":[)"
        R"({"t":"object","id":3,"type":"o","fields":[["@i",{"t":"string","v":"1"}],)"
        R"(["n",{"t":"list","id":4,"items":[{"t":"string","v":"x"}]}]]},)"
        R"({"t":"object","id":5,"type":"o","fields":[["@i",{"t":"null"}],)"
        R"(["n",{"t":"list","id":6,"items":[{"t":"string","v":"y"},{"t":"string","v":"z"}]}]]})"
        R"(]}]]}]]})");
    EXPECT_EQ(
        json_of("<a>x<b>y</b></a>"),
        R"({"t":"object","id":0,"type":"#document","fields":[["a",)"
        R"({"t":"object","id":1,"type":"a","fields":[["#content",{"t":"list","id":2,"items":[)"
        R"({"t":"string","v":"x"},{"t":"object","id":3,"type":"b","fields":)"
        R"([["#text",{"t":"string","v":"y"}]]}]}]]}]]})");
    EXPECT_EQ(json_of("<a i='7'>2009-09-01T00:00:00Z</a>", Binding::typed),
              R"({"t":"object","id":0,"type":"#document","fields":[["a",)"
              R"({"t":"object","id":1,"type":"a","fields":[["@i",{"t":"int","v":7}],)"
              R"(["#text",{"t":"date","id":2,"ms":"1251763200000"}]]}]]})");
}

TEST(Binding, ValuesOfSchemaTypes) {
    using Kind = ValueType::Kind;
    struct Case {
        Kind kind;
        const char* text;
        const char* back;  // "": stays text
    };
    for (const Case& one :
         std::vector<Case>{{Kind::boolean, " 1 ", "true"},
                           {Kind::boolean, "yes", ""},
                           {Kind::integer, "+007", "7"},
                           {Kind::integer, "-0", "0"},
                           {Kind::integer, "9007199254740991", "9007199254740991"},
                           {Kind::integer, "9007199254740992", ""},
                           {Kind::integer, "99999999999999999999", ""},
                           {Kind::decimal, "01.50", "1.5"},
                           {Kind::decimal, "-0.0", "0"},
                           {Kind::decimal, "123456789012345", "123456789012345"},
                           {Kind::decimal, "1234567890.1234567", ""},
                           {Kind::decimal, "0.0000001", ""},
                           {Kind::floating, "1E2", "100"},
                           {Kind::floating, "-INF", "-INF"},
                           {Kind::floating, "NaN", "NaN"},
                           {Kind::floating, "1e999", ""},
                           {Kind::date, "2009-09-01", "2009-09-01T00:00:00Z"},
                           {Kind::date, "2009-09-01T00:30:00+01:00", "2009-08-31T23:30:00Z"},
                           {Kind::date, "2009-09-01T12:00:00.2500", "2009-09-01T12:00:00.250Z"},
                           {Kind::date, "2009-09-01T12:00:00.1234", ""},
                           {Kind::date, "2009-02-30", ""},
                           {Kind::date, "2009-09-01T24:00:00Z", ""},
                           {Kind::date, "12009-09-01", ""},
                           {Kind::base64, "AA EC", "AAEC"},
                           {Kind::base64, "AQ==", "AQ=="},
                           {Kind::base64, "A", ""},
                           {Kind::hex, "00ff10", "AP8Q"},
                           {Kind::hex, "0", ""},
                           {Kind::text, " x ", ""}}) {
        ObjectGraph graph;
        const graph::Value value = schema_value(one.text, {one.kind, false}, graph);
        std::string back;
        EXPECT_TRUE(append_spelling(value, back));
        EXPECT_EQ(back, *one.back == '\0' ? one.text : one.back);
        EXPECT_EQ(value.is(graph::ValueKind::text), *one.back == '\0') << one.text;
        EXPECT_TRUE(same_schema_value(one.text, back)) << one.text << " " << back;
        EXPECT_FALSE(same_schema_value(one.text, back + "1")) << one.text;
    }
    EXPECT_TRUE(same_schema_value(" 01  2.50 ", "1 2.5"));
    EXPECT_FALSE(same_schema_value("1 2", "1"));
}

// The fields of 2,000 names in each of 2,000 elements would be four million.
TEST(Binding, FieldsThatWouldBeEmptyAreNotMade) {
    std::string text = "<r>";
    for (int i = 0; i < 2000; ++i) {
        const std::string name = "n" + std::to_string(i);
        text += "<e " + name + "='1'/><f><" + name + "/></f>";
    }
    text += "<e";
    for (int i = 0; i < 2000; ++i)
        text += " n" + std::to_string(i) + "='2'";
    const auto document = document_of(text + "/></r>");
    expect_back(*document, Binding::text);
    std::uint64_t values = 0;
    for (std::uint32_t id = 0; id < document->objects->node_count(); ++id)
        values += document->objects->node(id).count;
    EXPECT_LT(values, 100'000U);
}

TEST(Binding, DepthCostsNoStack) {
    constexpr std::size_t k_depth = 1'000'000;
    std::string text;
    for (std::size_t i = 0; i < k_depth; ++i)
        text += "<d>";
    text += "x";
    for (std::size_t i = 0; i < k_depth; ++i)
        text += "</d>";
    const auto document = document_of(text);
    ObjectGraph graph;
    ASSERT_TRUE(to_objects(document->xml, Binding::text, {}, graph));
    XmlTape tape;
    ASSERT_TRUE(to_xml(graph, {}, tape));
    EXPECT_EQ(difference(document->xml, tape, k_bound_fidelity), std::nullopt);

    document->objects = std::make_unique<ObjectGraph>(std::move(graph));
    const CodecOptions options{.limits = {.max_depth = k_depth + 1}};
    for (const char* spec : {"amf3", "hessian2", "javaser"}) {
        std::string why;
        const auto codec = FormatTable::built_in().make(spec, options, why);
        ASSERT_TRUE(codec->prepare(*document)) << spec;
        Buffer out;
        ASSERT_TRUE(codec->encode(*document, out)) << spec;
        const auto done = codec->decode(out.view(), tape);
        ASSERT_TRUE(done) << spec << ": " << describe(done.error());
        EXPECT_TRUE(tape.events().size() == document->xml.events().size()) << spec;
    }
}

TEST(Binding, FragmentsAreNoDocuments) {
    XmlTape tape;
    TapeSink<true> sink(tape);
    sink.start_document();
    sink.characters("text");
    sink.end_document();
    ObjectGraph graph;
    const auto done = to_objects(tape, Binding::text, {}, graph);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::unsupported);
}

// Names from elsewhere, whose prefixes nobody declares.
TEST(Binding, UndeclaredNamesCarryTheirUri) {
    NameTable names;
    XmlTape tape;
    TapeSink<true> sink(tape);
    const QName* const root = names.intern("urn:a", "a", "");
    const QName* const child = names.intern("urn:b{x}", "b", "p");
    sink.start_document();
    sink.start_element(root);
    sink.attribute(names.intern("urn:c", "c", "q"), "1");
    sink.start_element(child);
    sink.end_element(child);
    sink.end_element(root);
    sink.end_document();
    ObjectGraph graph;
    ASSERT_TRUE(to_objects(tape, Binding::text, {}, graph));
    XmlTape again;
    ASSERT_TRUE(to_xml(graph, {}, again));
    EXPECT_EQ(difference(tape, again, k_bound_fidelity), std::nullopt);
}

TEST(Lexical, OneSpellingOfAValue) {
    const auto kind = [](std::string_view text) -> std::string {
        if (typed_date(text)) return "date";
        const auto scalar = typed_scalar(text);
        return scalar ? kind_name(scalar->kind) : "string";
    };
    for (const char* text : {"true", "false"})
        EXPECT_EQ(kind(text), "bool") << text;
    for (const char* text : {"0", "7", "-17", "2147483647", "-2147483648"})
        EXPECT_EQ(kind(text), "int") << text;
    for (const char* text : {"2147483648", "-9007199254740991"})
        EXPECT_EQ(kind(text), "long") << text;
    for (const char* text : {"0.5", "-12.75", "1e+30", "1e-07"})
        EXPECT_EQ(kind(text), "double") << text;
    for (const char* text : {"2009-09-01T12:30:00Z", "0001-01-01T00:00:00.001Z",
                             "9999-12-31T23:59:59.999Z", "1969-12-31T23:59:59.250Z"}) {
        EXPECT_EQ(kind(text), "date") << text;
    }
    for (const char* text : {"",
                             " 1",
                             "+1",
                             "007",
                             "-0",
                             "-0.0",
                             "1.0",
                             "1.50",
                             "1e5",
                             "True",
                             "1_",
                             "nan",
                             "inf",
                             "9007199254740992",
                             "0x1",
                             "2009-09-01",
                             "2009-02-29T00:00:00Z",
                             "2009-09-01T24:00:00Z",
                             "2009-09-01T12:30:00.000Z",
                             "2009-09-01T12:30:00+00:00",
                             "0000-01-01T00:00:00Z"}) {
        EXPECT_EQ(kind(text), "string") << text;
    }
}

void expect_shown(const ObjectGraph& graph) {
    XmlTape tape;
    const auto shown = to_xml(graph, {}, tape);
    ASSERT_TRUE(shown) << describe(shown.error());
    ObjectGraph again;
    const auto read = to_objects(tape, Binding::typed, {}, again);
    ASSERT_TRUE(read) << describe(read.error());
    ASSERT_EQ(difference(graph, again), std::nullopt);
    // And as text, which is what the row of XML decodes.
    std::string why;
    const auto codec = FormatTable::built_in().make("xml", {}, why);
    Document document;
    ASSERT_TRUE(to_xml(graph, {}, document.xml));
    ASSERT_TRUE(codec->prepare(document));
    Buffer out;
    ASSERT_TRUE(codec->encode(document, out));
    const auto decoded = codec->decode(out.view(), tape);
    ASSERT_TRUE(decoded) << describe(decoded.error());
    ASSERT_EQ(difference(document.xml, tape, codec->info().fidelity), std::nullopt);
}

TEST(ShownGraph, DataSetsComeBack) {
    ObjectGraph graph;
    generate_company(k_company_seed, 100, graph);
    expect_shown(graph);
    generate_objects(k_objects_seed, 5, graph);
    expect_shown(graph);
    generate_strings(k_objects_seed, 100, graph);
    expect_shown(graph);
}

TEST(ShownGraph, EveryVectorComesBack) {
    for (const std::string& path : object_vector_files()) {
        SCOPED_TRACE(path);
        expect_shown(graph_of(file_text(path)));
    }
}

TEST(ShownGraph, EscapesComeBack) {
    std::string scratch;
    for (const std::string_view text :
         {std::string_view(), std::string_view("plain \t\r\n"), std::string_view("\\"),
          std::string_view("\0\x01\x1F\x7F", 4), std::string_view("\xEF\xBF\xBE\xEF\xBF\xBF"),
          std::string_view("\xED\xA0\xBD!\xED\xB8\x80"), std::string_view("\xF0\x9F\x98\x80"),
          std::string_view("\\x41")}) {
        std::string back;
        const std::string shown(escaped(text, scratch));
        ASSERT_TRUE(unescape(shown, back)) << shown;
        EXPECT_EQ(back, text);
    }
    for (const char* wrong : {"\\", "\\y", "\\x4", "\\u12", "\\xZZ", "\\x80", "\\u0041"}) {
        std::string out;
        EXPECT_FALSE(unescape(wrong, out)) << wrong;
    }
}

TEST(ShownGraph, WrongDocumentsAreErrors) {
    const std::string head = "<graph xmlns='urn:perfrelay:graph'>";
    for (const char* body :
         {"",
          "<root t='x'/>",
          "<root t='int'>x</root>",
          "<root ref='0'/>",
          "<root id='1' t='list'/>",
          "<root t='object' type='a'/>",
          "<class/><root/>",
          "<class key='a'/><class key='a'/><root/>",
          "<class key='a' java='true' super='a'/><root t='object' type='a'/>",
          "<class key='a' super='b'/><class key='b'/><root t='object' type='a'/>",
          "<class key='a'><f/></class><root t='object' type='a'><g/></root>",
          "<class key='a'><f/><g/></class><root t='object' type='a'><g/><f/></root>",
          "<root t='map'><key/></root>",
          "<root t='external' type='x'/>",
          "<root t='proxy'/>",
          "<root t='date'>x</root>",
          "<root t='bytes'>abc</root>",
          "<root t='bytes'>zz</root>",
          "<root t='vector'/>",
          "<root t='vector' elem='int'><item>x</item></root>",
          "<root t='enum'/>",
          "<root>\\</root>",
          "<root><a/></root>",
          "<root/><root/>",
          "<root t='double' bits='x'/>",
          "<root t='list'><annotation level='0'/></root>",
          "<root t='list'><member name='a'/></root>",
          "<x:root xmlns:x='urn:other'/>",
          "<root t='array'><item/><member name='a'/></root>",
          "<root t='classdesc'/>"}) {
        const auto document = document_of(head + body + "</graph>");
        ObjectGraph graph;
        const auto done = to_objects(document->xml, Binding::text, {}, graph);
        ASSERT_FALSE(done) << body;
        EXPECT_STRNE(done.error().where, "");
    }
}

// Objects of a class of many fields, all left out: little to read, much to make room for.
TEST(ShownGraph, EmptyFieldsAreBounded) {
    std::string text = "<graph xmlns='urn:perfrelay:graph'><class key='a'>";
    for (int i = 0; i < 2000; ++i)
        text += "<f" + std::to_string(i) + "/>";
    text += "</class><root t='list'><item t='object' type='a'/>";
    for (int i = 0; i < 20'000; ++i)
        text += "<item/>";
    const auto document = document_of(text + "</root></graph>");
    ObjectGraph graph;
    const auto done = to_objects(document->xml, Binding::text, {}, graph);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::limit_exceeded);
}

// A graph that pretends to be a document.
Result<> unbound(const char* root, std::string_view more = "") {
    const std::string json = R"({"t":"object","id":0,"type":"#document","fields":[["a",)" +
                             std::string(root) + std::string(more) + "]]}";
    XmlTape tape;
    return to_xml(graph_of(json), {}, tape);
}

TEST(Binding, WhatPretendsToBeADocumentIsAnError) {
    EXPECT_TRUE(unbound(R"({"t":"string","v":"x"})"));
    for (
        const char* root :
        {R"({"t":"null"})", R"({"t":"string","v":"\u0001"})", R"({"t":"string","v":"\uD83D"})",
         R"({"t":"list","id":1,"items":[]})", R"({"t":"ref","id":0})",
         R"({"t":"object","id":1,"type":"a","fields":[["a",{"t":"ref","id":1}]]})",
         R"({"t":"object","id":1,"type":"a","fields":[["a b",{"t":"string","v":""}]]})",
         R"({"t":"object","id":1,"type":"a","fields":[["p:b",{"t":"string","v":""}]]})",
         R"({"t":"object","id":1,"type":"a","fields":[["{}p:b",{"t":"string","v":""}]]})",
         R"({"t":"object","id":1,"type":"a","fields":[["@b",{"t":"string","v":""}],["@b",{"t":"string","v":""}]]})",
         R"({"t":"object","id":1,"type":"a","fields":[["@xmlns:xml",{"t":"string","v":"urn:a"}]]})",
         R"({"t":"object","id":1,"type":"a","fields":[["@xmlns:p",{"t":"string","v":""}]]})",
         R"({"t":"object","id":1,"type":"a","fields":[["#content",{"t":"string","v":""}]]})",
         R"({"t":"object","id":1,"type":"a","fields":[["#attributes",{"t":"list","id":2,"items":[{"t":"null"}]}]]})",
         R"({"t":"object","id":1,"type":"a","fields":[["b",{"t":"list","id":2,"items":[]}],["c",{"t":"ref","id":2}]]})"}) {
        const auto done = unbound(root);
        ASSERT_FALSE(done) << root;
        EXPECT_STRNE(done.error().where, "") << root;
    }
}

// One text in a thousand places is a thousand texts of a document.
TEST(Binding, AmplifiedTextIsBounded) {
    ObjectGraph graph;
    graph::Node* const list = graph.new_node(graph::NodeKind::list);
    graph.root = graph::Value::of(list);
    list->count = 1000;
    list->items = graph.new_values(list->count);
    const graph::Text* const text = graph.intern(std::string(1000, 'x'));
    std::fill_n(list->items, list->count, graph::Value::of(text));
    XmlTape tape;
    EXPECT_TRUE(to_xml(graph, {}, tape));
    const auto done = to_xml(graph, {.max_document = 10'000}, tape);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::limit_exceeded);
}

}  // namespace
}  // namespace perfrelay::bridge
