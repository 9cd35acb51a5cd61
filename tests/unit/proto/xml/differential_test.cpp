// Random documents through every engine: equal to what the loader reads, or refused with a reason.

#include <cstdint>
#include <string>

#include "tests/unit/proto/xml/generator.h"
#include "tests/unit/proto/xml/support.h"

namespace perfrelay::xml {
namespace {

constexpr std::uint64_t k_documents = 600;

class Differential : public testing::TestWithParam<std::string> {};

TEST_P(Differential, EveryDocumentIsEqualOrRefusedWithAReason) {
    const auto engine = make_engine(GetParam());
    std::size_t equal = 0;
    std::size_t failed = 0;
    for (std::uint64_t seed = 1; seed <= k_documents && failed < 5; ++seed) {
        const std::string text = random_document(seed);
        const auto document = loaded(text);
        ASSERT_NE(document, nullptr) << "seed " << seed;
        for (const bool source : {false, true}) {
            const std::string result = round_trip(*engine, *document, source);
            if (result.empty()) ++equal;
            if (!result.empty() && !result.starts_with("refused: ")) {
                ++failed;
                ADD_FAILURE() << "seed " << seed << ": " << result << "\n" << text.substr(0, 2000);
            }
        }
    }
    // Those that refuse much still are tried on something.
    const std::size_t least = GetParam() == "xml:tinyxml2"  ? k_documents / 20
                              : GetParam() == "xml:pugixml" ? k_documents / 2
                                                            : k_documents;
    EXPECT_GE(equal, least);
    RecordProperty("equal", static_cast<int>(equal));
}

INSTANTIATE_TEST_SUITE_P(All, Differential, testing::ValuesIn(k_engines), engine_test_name);

}  // namespace
}  // namespace perfrelay::xml
