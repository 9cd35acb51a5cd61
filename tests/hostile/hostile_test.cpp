// Every kind of hostile XML, to the loader and to every engine, whole and in pieces.
//
// The loader's verdict is the kind's own. Engines are compared with outcomes.tsv: "equal" (the
// document comes back, from what the engine wrote and from the document's text), "declared" (it
// says beforehand that it cannot carry it), "rejects", "accepts" (what no document may be; only
// engines that check less may). Nothing outside the document is touched, and memory is bounded by
// the size of the input.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proto/codec/document.h"
#include "proto/formats.h"
#include "proto/xml/loader.h"
#include "tests/hostile/kinds.h"
#include "tests/hostile/traps.h"
#include "tests/support/peak_heap.h"

namespace perfrelay::hostile {
namespace {

const std::vector<std::string> k_engines = {"xml", "xml:libxml2", "xml:expat", "xml:tinyxml2",
                                            "xml:pugixml"};

std::vector<Kind> all_kinds(const std::string& secret, int port) {
    std::vector<Kind> all;
    for (auto&& kinds : {markup_kinds(), encoding_kinds(), entity_kinds(secret, port),
                         namespace_kinds(), size_kinds()}) {
        all.insert(all.end(), kinds.begin(), kinds.end());
    }
    return all;
}

// The engines' outcomes by kind, in the order of k_engines.
const std::map<std::string, std::vector<std::string>>& expected_outcomes() {
    static const auto all = [] {
        std::map<std::string, std::vector<std::string>> outcomes;
        std::ifstream file("tests/hostile/outcomes.tsv");
        for (std::string line; std::getline(file, line);) {
            std::istringstream words(line);
            std::string kind;
            words >> kind;
            for (std::string word; words >> word;)
                outcomes[kind].push_back(word);
        }
        return outcomes;
    }();
    return all;
}

// Whether it should come in pieces too small for anything, or in some that end with the test.
std::vector<std::size_t> piece_sizes(std::size_t size) {
    if (size <= 4096) return {1, 7};
    return {size <= 200'000 ? 61U : 8191U};
}

class Engine {
  public:
    Engine(const std::string& spec, const Document& document) : document_(document) {
        std::string why;
        codec_ = FormatTable::built_in().make(spec, {}, why);
        if (codec_ == nullptr) throw std::runtime_error(why);
    }

    // One word for outcomes.tsv, or what is wrong.
    std::string outcome(bool is_document) {
        if (!is_document) return on_rubbish();
        const std::string written = round_trip();
        const std::string read = of_source();
        const bool good =
            (written.empty() || written == k_declared) && (read.empty() || read == k_declared);
        if (!good) return "\"" + written + "\" and \"" + read + "\"";
        return written.empty() && read.empty() ? "equal" : k_declared;
    }

  private:
    static constexpr const char* k_declared = "declared";
    static constexpr std::size_t k_large = 8'000'000;

    std::string on_rubbish() {
        const auto whole = codec_->decode(document_.source.view());
        if (codec_->streaming().decode) {
            for (const std::size_t piece : piece_sizes(document_.source.size())) {
                MemorySource source(document_.source.view(), piece);
                const auto streamed = codec_->decode(source);
                if (streamed.has_value() != whole.has_value()) {
                    return "in pieces of " + std::to_string(piece) + ": " +
                           (streamed ? "accepted" : describe(streamed.error()));
                }
            }
        }
        if (whole) return "accepts";
        return describe(whole.error()).empty() ? "rejects without a word" : "rejects";
    }

    // From what it writes itself.
    std::string round_trip() {
        if (codec_->cannot_represent(document_, false)) return k_declared;
        Buffer out;
        if (auto ready = codec_->prepare(document_); !ready) return describe(ready.error());
        if (auto done = codec_->encode(document_, out); !done) return describe(done.error());
        XmlTape tape;
        if (auto done = codec_->decode(out.view(), tape); !done) return describe(done.error());
        const auto different = difference(document_.xml, tape, codec_->info().fidelity);
        return different ? *different : "";
    }

    // From the document's own text.
    std::string of_source() {
        if (codec_->cannot_represent(document_, true)) return k_declared;
        // A large one is the same for the digest, and that is cheaper.
        if (document_.source.size() < k_large) {
            XmlTape tape;
            if (auto done = codec_->decode(document_.source.view(), tape); !done) {
                return describe(done.error());
            }
            if (const auto different = difference(document_.xml, tape, codec_->info().fidelity)) {
                return *different;
            }
        }
        if (!codec_->streaming().decode) return "";
        const auto whole = codec_->decode(document_.source.view());
        if (!whole) return describe(whole.error());
        for (const std::size_t piece : piece_sizes(document_.source.size())) {
            MemorySource source(document_.source.view(), piece);
            const auto streamed = codec_->decode(source);
            if (streamed && *streamed == *whole) continue;
            const std::string why = streamed ? "other events" : describe(streamed.error());
            if (!streamed && streamed.error().code == Errc::unsupported) continue;
            if (!streamed && why.find("1 MiB before the root") != std::string::npos) continue;
            return "in pieces of " + std::to_string(piece) + ": " + why;
        }
        return "";
    }

    const Document& document_;
    std::unique_ptr<Codec> codec_;
};

class HostileXml : public testing::TestWithParam<std::string> {
  protected:
    // What a document may cost: a tape of small events beside engines' own trees.
    static std::size_t most_heap(std::size_t input) {
        return (std::size_t{96} << 20U) + 64 * input;
    }

    Traps traps_;
};

TEST_P(HostileXml, IsReadOrRejected) {
    const std::vector<Kind> kinds = all_kinds(traps_.file(), traps_.port());
    const auto kind = std::ranges::find(kinds, GetParam(), &Kind::name);
    Document document;
    document.name = kind->name;
    document.source.append(kind->make());
    const PeakHeap heap;

    const auto loaded = xml::load(document, Limits{});
    if (kind->verdict == Verdict::loaded) {
        ASSERT_TRUE(loaded) << describe(loaded.error());
    } else {
        ASSERT_FALSE(loaded);
        const Error& error = loaded.error();
        EXPECT_NE(error.where[0], '\0');
        const bool malformed = error.code == Errc::malformed || error.code == Errc::truncated;
        EXPECT_EQ(malformed, kind->verdict == Verdict::malformed) << describe(error);
        if (malformed) {
            EXPECT_GT(error.line, 0U) << describe(error);
            EXPECT_GT(error.column, 0U) << describe(error);
        }
        if (kind->line != 0) {
            EXPECT_EQ(error.line, kind->line) << describe(error);
            EXPECT_EQ(error.column, kind->column) << describe(error);
        }
    }

    std::vector<std::string> outcomes;
    for (const std::string& spec : k_engines) {
        outcomes.push_back(Engine(spec, document).outcome(kind->verdict == Verdict::loaded));
    }
    EXPECT_EQ(traps_.sprung(), "");
    EXPECT_LE(heap.bytes(), most_heap(document.source.size()));

    std::string line = kind->name;
    for (const std::string& outcome : outcomes)
        line += "\t" + outcome;
    if (const char* file = std::getenv("PERFRELAY_WRITE_OUTCOMES")) {
        std::ofstream(file, std::ios::app) << line << "\n";
        return;
    }
    const auto expected = expected_outcomes().find(kind->name);
    ASSERT_NE(expected, expected_outcomes().end()) << "no line in outcomes.tsv; it would be\n"
                                                   << line;
    EXPECT_EQ(outcomes, expected->second) << line;
}

// What the file may not say, whoever edits it.
TEST(HostileOutcomes, ConformingEnginesAcceptOnlyDocuments) {
    const std::vector<Kind> kinds = all_kinds("/secret", 1);
    EXPECT_GE(kinds.size(), 50U);
    EXPECT_EQ(expected_outcomes().size(), kinds.size());
    for (const Kind& kind : kinds) {
        SCOPED_TRACE(kind.name);
        const auto found = expected_outcomes().find(kind.name);
        ASSERT_NE(found, expected_outcomes().end());
        ASSERT_EQ(found->second.size(), k_engines.size());
        for (std::size_t i = 0; i < k_engines.size(); ++i) {
            const std::string& word = found->second[i];
            const bool may_accept = i >= 3 || kind.verdict != Verdict::malformed;
            const bool document = kind.verdict == Verdict::loaded;
            const bool fits = document ? word == "equal" || word == "declared"
                                       : word == "rejects" || (word == "accepts" && may_accept);
            EXPECT_TRUE(fits) << k_engines[i] << ": " << word;
        }
    }
}

std::vector<std::string> kind_names() {
    std::vector<std::string> names;
    for (const Kind& kind : all_kinds("/secret", 1))
        names.push_back(kind.name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(All, HostileXml, testing::ValuesIn(kind_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace perfrelay::hostile
