// Real documents through every engine, where they are at hand: PERFRELAY_CORPUS names a folder
// whose INDEX.tsv lists them, a path a line after its head.

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/unit/proto/xml/support.h"

namespace perfrelay::xml {
namespace {

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, EveryDocumentIsEqualOrRefusedWithAReason) {
    const char* named = std::getenv("PERFRELAY_CORPUS");  // NOLINT(concurrency-mt-unsafe)
    const std::string folder = named != nullptr ? named : "../shared/corpus";
    std::ifstream index(folder + "/INDEX.tsv");
    if (!index) GTEST_SKIP() << "no corpus at " << folder << " (PERFRELAY_CORPUS)";
    const auto engine = make_engine(GetParam());
    std::string line;
    std::getline(index, line);
    std::size_t documents = 0;
    while (std::getline(index, line)) {
        const std::string path = folder + "/" + line.substr(0, line.find('\t'));
        const auto document = loaded(file_text(path));
        ASSERT_NE(document, nullptr) << path;
        const std::string result = round_trip(*engine, *document, true);
        EXPECT_TRUE(result.empty() || result.starts_with("refused: ")) << path << ": " << result;
        EXPECT_TRUE(result.empty() || GetParam() == "xml:tinyxml2") << path << ": " << result;
        ++documents;
    }
    EXPECT_GT(documents, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, Corpus, testing::ValuesIn(k_engines), engine_test_name);

}  // namespace
}  // namespace perfrelay::xml
