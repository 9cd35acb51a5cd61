// Objects to any format of either model, for every line of the format table: a format of objects
// gives back what it prepared, one of XML the document that shows the objects, and that the
// objects.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proto/formats.h"
#include "proto/model/neutral_json.h"
#include "proto/model/object_difference.h"
#include "proto/model/sample_objects.h"
#include "tests/contract/documents.h"
#include "tests/support/codecs.h"
#include "tests/support/files.h"
#include "tests/support/object_vectors.h"

namespace perfrelay::contract {
namespace {

std::vector<std::string> all_specs() {
    const FormatTable table = FormatTable::built_in();
    std::vector<std::string> all;
    for (const FormatLine& line : table.formats) {
        // It reads XML text, and there is none.
        if (line.spec == "transcode") continue;
        all.push_back(line.spec);
        if (line.spec.find('+') == std::string::npos) all.push_back(line.spec + "+zstd");
    }
    return all;
}

std::unique_ptr<Document> finished(const std::string& name, std::unique_ptr<ObjectGraph> objects) {
    auto document = std::make_unique<Document>();
    document->name = name;
    document->objects = std::move(objects);
    document->source_is_xml = false;
    document->source_is_objects = true;
    complete(*document, Model::xml, bridge::Binding::text, Limits{});
    EXPECT_EQ(document->missing + document->bridge_fault, "") << name;
    return document;
}

// The data sets, small, and every vector of tests/data/objects.
std::vector<std::unique_ptr<Document>> object_documents() {
    std::vector<std::unique_ptr<Document>> all;
    auto graph = std::make_unique<ObjectGraph>();
    generate_company(k_company_seed, 20, *graph);
    all.push_back(finished("company", std::move(graph)));
    graph = std::make_unique<ObjectGraph>();
    generate_objects(k_objects_seed, 2, *graph);
    all.push_back(finished("objects", std::move(graph)));
    graph = std::make_unique<ObjectGraph>();
    generate_strings(k_objects_seed, 20, *graph);
    all.push_back(finished("strings", std::move(graph)));
    for (const std::string& file : object_vector_files()) {
        all.push_back(finished(file, std::make_unique<ObjectGraph>(graph_of(file_text(file)))));
    }
    return all;
}

class ObjectContract : public testing::TestWithParam<std::string> {
  protected:
    static void SetUpTestSuite() { documents() = object_documents(); }
    static void TearDownTestSuite() { documents().clear(); }
    static std::vector<std::unique_ptr<Document>>& documents() {
        static std::vector<std::unique_ptr<Document>> all;
        return all;
    }
};

void expect_objects(Codec& codec, Bytes encoded) {
    ObjectGraph decoded;
    const auto done = codec.decode_objects(encoded, decoded);
    ASSERT_TRUE(done) << describe(done.error());
    EXPECT_EQ(difference(*codec.prepared(), decoded), std::nullopt);
}

void expect_events(Codec& codec, Bytes encoded, const Document& document) {
    XmlTape tape;
    const auto done = codec.decode(encoded, tape);
    ASSERT_TRUE(done) << describe(done.error());
    ASSERT_EQ(difference(document.xml, tape, codec.info().fidelity), std::nullopt);
    ObjectGraph restored;
    const auto read = bridge::to_objects(tape, bridge::Binding::text, Limits{}, restored);
    ASSERT_TRUE(read) << describe(read.error());
    EXPECT_EQ(difference(*document.objects, restored), std::nullopt);
}

TEST_P(ObjectContract, CarriesObjects) {
    std::string why;
    const auto codec = FormatTable::built_in().make(GetParam(), {}, why);
    ASSERT_NE(codec, nullptr) << why;
    std::size_t carried = 0;
    for (const auto& document : documents()) {
        if (codec->cannot_represent(*document, false)) continue;
        SCOPED_TRACE(document->name);
        ++carried;
        ASSERT_TRUE(codec->prepare(*document));
        Buffer out;
        const auto done = codec->encode(*document, out);
        ASSERT_TRUE(done) << describe(done.error());
        if (codec->model() == Model::objects) {
            expect_objects(*codec, out.view());
        } else {
            expect_events(*codec, out.view(), *document);
        }
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(carried, documents().size() * 3 / 4);
}

// A document in two models and a file of a third format: whatever the way, the same.
TEST_P(ObjectContract, EqualWhateverTheWay) {
    std::string why;
    const auto codec = FormatTable::built_in().make(GetParam(), {}, why);
    for (const char* file : {"records", "unicode", "mixed"}) {
        const auto document = document_from("contract/" + std::string(file) + ".xml");
        if (codec->cannot_represent(*document, false)) continue;
        SCOPED_TRACE(file);
        ASSERT_TRUE(codec->prepare(*document));
        Buffer out;
        ASSERT_TRUE(codec->encode(*document, out));
        if (codec->model() == Model::objects) expect_objects(*codec, out.view());
        XmlTape tape;
        const auto done = codec->decode(out.view(), tape);
        ASSERT_TRUE(done) << describe(done.error());
        EXPECT_EQ(difference(document->xml, tape, codec->info().fidelity), std::nullopt);
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, ObjectContract, testing::ValuesIn(all_specs()), SpecTestName());

}  // namespace
}  // namespace perfrelay::contract
