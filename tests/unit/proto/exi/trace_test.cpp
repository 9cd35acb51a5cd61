// A trace accounts for every bit of a stream.
#include "proto/exi/trace.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/proto/exi/support.h"

namespace perfrelay::exi {
namespace {

class Gather final : public TraceListener {
  public:
    void header(std::uint64_t bits) override { header_bits = bits; }
    void event(const TracedItem& item) override {
        std::string line(item.event);
        if (!item.code.empty()) line += " " + std::string(item.code);
        if (item.name != nullptr) line += " " + std::string(item.name->local);
        if (item.has_value) line += " '" + std::string(item.value) + "'";
        if (!item.second.empty()) line += " '" + std::string(item.second) + "'";
        lines.push_back(line);
        told += item.code_bits + item.name_bits + item.value_bits;
    }
    void value(const QName& name, std::string_view value, std::uint64_t bits) override {
        lines.push_back("value " + std::string(name.local) + " '" + std::string(value) + "'");
        told += bits;
    }
    void packed(std::uint64_t bytes, std::uint64_t unpacked) override {
        EXPECT_EQ(told, unpacked * 8) << "every bit of the stream is in an event or value";
        packed_bits += bytes * 8;
        told = 0;
    }

    std::vector<std::string> lines;
    std::uint64_t header_bits = 0;
    std::uint64_t told = 0;  // since the last packed
    std::uint64_t packed_bits = 0;
};

void trace(const std::string& spec, const Buffer& bytes, Gather& gathered) {
    const Result<> done = codec_of(spec)->trace(bytes.view(), gathered);
    EXPECT_TRUE(done) << spec << ": " << describe(done.error());
}

constexpr const char* k_document =
    "<!DOCTYPE a><?t d?><a x='1'><b>v</b><b>v</b><p:c xmlns:p='u'/><!--n--></a>";

// EXI 8.4.3: codes as the grammars learn.
TEST(Trace, EventsWithCodesAndValues) {
    const std::vector<std::string> expected{
        "SE(*) a",          // the document has nothing else here: no bits
        "AT(*) 0.1 x '1'",  // a fresh start tag: EE, AT(*), SE(*), CH at its second level
        "SE(*) 1.2 b",      // behind AT(x), which was learned
        "CH 0.3 'v'",
        "EE 0",
        "SE(*) 1.0 b",  // the content of a: EE, and SE(*), CH at the second level
        "CH 0 'v'",     // learned
        "EE 0",
        "SE(*) 2.0 c",  // behind SE(b), EE
        "EE 0.0",
        "EE 2",  // behind SE(c), SE(b)
        "ED",
    };
    const Buffer bytes = encoded("exi", *document_of(k_document));
    Gather found;
    trace("exi", bytes, found);
    ASSERT_EQ(found.lines.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_EQ(found.lines[i], expected[i]) << i;
    EXPECT_EQ(found.header_bits, 8U);
}

TEST(Trace, WhatIsPreserved) {
    const Buffer bytes = encoded("exi:all", *document_of(k_document));
    Gather found;
    trace("exi:all", bytes, found);
    const auto has = [&](const std::string& what) {
        return std::any_of(found.lines.begin(), found.lines.end(), [&](const std::string& line) {
            return line.find(what) != std::string::npos;
        });
    };
    for (const char* what : {"DT ", "'a||'", "PI ", "'t' 'd'", "NS ", "'p' 'u'", "CM ", "'n'"})
        EXPECT_TRUE(has(what)) << what;
}

TEST(Trace, EveryBitIsAccountedFor) {
    std::string many = "<r xmlns:p='u'>";
    for (int i = 0; i < 300; ++i) {
        const std::string n = std::to_string(i);
        many += "<p:e n='" + n + "'>text " + n + "</p:e><f>" + n + "</f>\xC3\xA9";
    }
    many += "</r>";
    for (const std::string& text : {std::string(k_document), many}) {
        const auto document = document_of(text);
        for (const char* options : {"", "all,", "vcap=3,", "blockSize=70,", "options,cookie,"}) {
            for (const char* alignment : {"bit", "byte", "pre", "comp"}) {
                const std::string spec =
                    "exi:" + std::string(options) + "align=" + std::string(alignment);
                const Buffer bytes = encoded(spec, *document);
                Gather found;
                trace(spec, bytes, found);
                const std::uint64_t accounted = found.header_bits + found.told + found.packed_bits;
                ASSERT_LE(accounted, bytes.size() * 8) << spec;
                const bool bits = spec.ends_with("=bit");
                EXPECT_LT(bytes.size() * 8 - accounted, bits ? 8U : 1U) << spec;
                EXPECT_EQ(found.packed_bits != 0, spec.ends_with("=comp")) << spec;
            }
        }
    }
}

TEST(Trace, ABrokenStreamIsTracedUpToWhereItBreaks) {
    const Buffer bytes = encoded("exi", *document_of(k_document));
    Gather gathered;
    EXPECT_FALSE(codec_of("exi")->trace(bytes.view().first(bytes.size() - 2), gathered));
    ASSERT_GT(gathered.lines.size(), 4U);
    EXPECT_EQ(gathered.lines[1], "AT(*) 0.1 x '1'");
}

TEST(Trace, WhoCannotSaySaysSo) {
    Gather gathered;
    const std::string text = "<a/>";
    const Result<> done = codec_of("xml")->trace(as_bytes(text), gathered);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::unsupported);
}

}  // namespace
}  // namespace perfrelay::exi
