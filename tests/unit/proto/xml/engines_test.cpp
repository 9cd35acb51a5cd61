// Every engine against the loader, on documents that have something in them each.

#include <string>

#include "tests/unit/proto/xml/support.h"

namespace perfrelay::xml {
namespace {

class Engine : public testing::TestWithParam<std::string> {
  protected:
    std::unique_ptr<Codec> engine_ = make_engine(GetParam());
};

TEST_P(Engine, Smoke) {
    const auto document = loaded("<a x='1'>t<b/></a>");
    EXPECT_EQ(round_trip(*engine_, *document, true), "");
}

INSTANTIATE_TEST_SUITE_P(All, Engine, testing::ValuesIn(k_engines), engine_test_name);

}  // namespace
}  // namespace perfrelay::xml
