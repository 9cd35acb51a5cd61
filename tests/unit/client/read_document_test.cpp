#include "client/read_document.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "proto/model/event_listing.h"

namespace perfrelay::client {
namespace {

constexpr std::string_view k_xml = "<?xml version='1.0'?><p:a xmlns:p='u' b='1'>x<c/> </p:a>";

class read_document_test : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "perfrelay_read_XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::string file(const std::string& name, std::string_view content) const {
        std::string path = directory_ + "/" + name;
        std::ofstream(path, std::ios::binary) << content;
        return path;
    }

    std::optional<ReadDocument> read(const std::string& path) {
        why_.clear();
        return read_document({path, ""}, options_, table_, schemas_, nullptr, why_);
    }

    // What is in the file, as a listing; or why not, without the path, which must be named.
    std::string events(const std::string& path) {
        const auto read = this->read(path);
        if (!read) {
            EXPECT_EQ(why_.find('\n'), std::string::npos) << why_;
            EXPECT_TRUE(why_.starts_with(path + ": ")) << why_;
            return why_.substr(path.size() + 2);
        }
        Buffer out;
        EventListing listing(out, read->kept);
        read->document.xml.play(listing);
        return std::string(as_text(out.view()));
    }

    // `document` as `spec` writes it.
    std::string packed(std::string_view document, const std::string& spec) {
        std::string why;
        Document loaded;
        loaded.source.append(document);
        const auto codec = table_.make(spec, {}, why);
        EXPECT_NE(codec, nullptr) << why;
        Buffer out;
        // The source form packs any bytes.
        EXPECT_TRUE(codec->source_form(loaded, out));
        return std::string(as_text(out.view()));
    }

    FormatTable table_ = FormatTable::built_in();
    SchemaShelf schemas_;
    Options options_;
    std::string directory_;
    std::string why_;
};

const char* const k_events =
    "SD\nSE {u}a p\nNS p=u\nAT {}b = \"1\"\nCH \"x\"\nSE {}c \nEE\nCH \" \"\nEE\nED\n";

TEST_F(read_document_test, xml_whatever_its_name) {
    for (const char* name : {"a.xml", "a", "a.exi", "a.gz"}) {
        const std::string path = file(name, k_xml);
        EXPECT_EQ(events(path), k_events) << name;
        EXPECT_EQ(read(path)->file_bytes, k_xml.size());
        EXPECT_TRUE(read(path)->document.source_is_xml);
    }
    EXPECT_EQ(events(file("bad.xml", "<a>\n<b></c></a>")), "line 2, column 6: mismatched tag");
}

TEST_F(read_document_test, packed_inputs_are_unpacked_by_content_or_name) {
    for (const char* by : {"gzip", "zstd", "lz4", "gzip+zstd", "zstd+gzip+lz4"}) {
        const std::string content = packed(k_xml, std::string("xml+") + by);
        const std::string path = file("packed", content);
        EXPECT_EQ(events(path), k_events) << by;
        const auto read = this->read(path);
        EXPECT_EQ(read->file_bytes, content.size());
        EXPECT_EQ(as_text(read->document.source.view()), k_xml) << "the text it was packed from";
    }
    EXPECT_EQ(events(file("a.xml.br", packed(k_xml, "xml+brotli"))), k_events);
    EXPECT_EQ(events(file("a.bin.gz", packed("no xml", "xml+gzip"))),
              "nothing says what kind of document it is; name it with --from SPEC");
}

TEST_F(read_document_test, damaged_and_hostile_packings) {
    std::string cut = packed(std::string(5'000, 'x'), "xml+gzip");
    cut.resize(cut.size() / 2);
    EXPECT_TRUE(events(file("cut.gz", cut)).starts_with("gzip by its first bytes: "));
    EXPECT_TRUE(events(file("no.zst", "text")).starts_with("zstd by its name: "));
    EXPECT_EQ(events(file("empty.gz", packed("", "xml+gzip"))),
              "gzip by its first bytes: nothing inside");
    EXPECT_EQ(events(file("tower", packed(k_xml, "xml+gzip+gzip+gzip+gzip+gzip"))),
              "packed more than four times over");
    EXPECT_EQ(events(file("four", packed(k_xml, "xml+gzip+gzip+gzip+gzip"))), k_events);
    options_.codecs.limits.max_document = 1'000'000;
    const std::string bomb = packed(std::string(1'000'001, ' '), "xml+gzip");
    EXPECT_TRUE(events(file("bomb", bomb)).starts_with("gzip by its first bytes: ")) << why_;
}

TEST_F(read_document_test, kinds_that_this_build_does_not_read_are_named) {
    using namespace std::string_view_literals;
    EXPECT_EQ(events(file("a", "SQLite format 3\0 and more"sv)),
              "SQLite by its first bytes: shorter than the header of a database");
    // A table without formats stands for a build without this one.
    table_.formats.clear();
    const std::string said = events(file("a", "$EXI\x80"));
    EXPECT_TRUE(said.starts_with("EXI by its first bytes: ")) << said;
    EXPECT_NE(said.find("format \"exi\""), std::string::npos) << said;
}

TEST_F(read_document_test, from_says_how) {
    options_.from = "xml";
    EXPECT_EQ(events(file("a.gz", k_xml)), k_events);
    options_.from = "xml+deflate";
    EXPECT_EQ(events(file("a", packed(k_xml, "xml+deflate"))), k_events);
    EXPECT_TRUE(events(file("b.xml", k_xml)).starts_with("deflate: "));
    options_.from = "gzxml+brotli";
    EXPECT_EQ(events(file("a", packed(k_xml, "xml+gzip+brotli"))), k_events);
    // An engine reads, and what it delivers is the document.
    options_.from = "xml:pugixml";
    const std::string path = file("p.xml", k_xml);
    EXPECT_EQ(events(path), k_events);
    const auto by_engine = read(path);
    EXPECT_FALSE(by_engine->document.source_is_xml);
    EXPECT_EQ(by_engine->document.source_spec, "xml:pugixml");
}

TEST_F(read_document_test, generated_documents) {
    options_.generator_seed = 5;
    const auto read =
        read_document({"messages:2kB", "", true}, options_, table_, schemas_, nullptr, why_);
    ASSERT_TRUE(read) << why_;
    EXPECT_EQ(read->document.name, "generated messages:2kB seed 5");
    EXPECT_GE(read->file_bytes, 2'000U);
    options_.from = "xml+gzip";
    EXPECT_TRUE(read_document({"messages", "", true}, options_, table_, schemas_, nullptr, why_))
        << "--from is about the other inputs";
}

TEST_F(read_document_test, the_policy_is_applied_once) {
    auto read = this->read(file("w.xml", "<a>\n<b> </b>\n</a>"));
    ASSERT_TRUE(read);
    apply_policy(Whitespace::automatic, read->document);
    EXPECT_EQ(read->document.whitespace, Whitespace::automatic);
    EXPECT_EQ(read->document.whitespace_dropped, 2U);
    EXPECT_EQ(read->document.xml.events().size(), 5U);
}

}  // namespace
}  // namespace perfrelay::client
