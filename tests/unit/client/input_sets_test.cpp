// Directories and patterns as inputs.

#include "client/input_sets.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace perfrelay::client {
namespace {

namespace fs = std::filesystem;

class InputSets : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) / ("sets-" + std::to_string(::getpid()));
        for (const char* name : {"b.xml", "a.xml", "c.xml.gz", "notes.txt", "deep/d.exi",
                                 "deep/.hidden.xml", ".git/e.xml"}) {
            fs::create_directories((folder_ / name).parent_path());
            std::ofstream(folder_ / name) << "x";
        }
        fs::create_directories(folder_ / "empty");
    }
    void TearDown() override { fs::remove_all(folder_); }

    // Paths relative to the folder, or what was refused.
    std::vector<std::string> of(std::vector<std::string> paths, bool any = false) const {
        std::vector<Input> inputs;
        for (const std::string& path : paths)
            inputs.push_back({(folder_ / path).string(), "s.xsd", false, false});
        std::string why;
        const auto found = expand_inputs(inputs, any, why);
        if (!found) return {why.substr(why.rfind(": ") + 2)};
        std::vector<std::string> names;
        for (const Input& input : *found) {
            EXPECT_EQ(input.schema, "s.xsd");
            names.push_back(
                fs::path(input.path).lexically_normal().lexically_relative(folder_).string());
        }
        return names;
    }

    fs::path folder_;
};
using Names = std::vector<std::string>;

TEST_F(InputSets, ADirectoryIsItsDocuments) {
    EXPECT_EQ(of({"."}), (Names{"a.xml", "b.xml", "c.xml.gz", "deep/d.exi"}));
    EXPECT_EQ(of({"."}, true), (Names{"a.xml", "b.xml", "c.xml.gz", "deep/d.exi", "notes.txt"}));
    EXPECT_EQ(of({"empty"}), Names{"empty"});
}

TEST_F(InputSets, APatternIsWhatItMatches) {
    EXPECT_EQ(of({"*.xml"}), (Names{"a.xml", "b.xml"}));
    EXPECT_EQ(of({"[b-d]*"}), (Names{"b.xml", "c.xml.gz", "deep/d.exi"}));
    EXPECT_EQ(of({"?otes.*"}), Names{"notes.txt"});
    EXPECT_EQ(of({"*.json"}), Names{"*.json"});
}

TEST_F(InputSets, AFileOfThatNameComesFirst) {
    std::ofstream(folder_ / "[a].xml") << "x";
    EXPECT_EQ(of({"[a].xml"}), Names{"[a].xml"});
}

TEST_F(InputSets, AllElseStays) {
    const std::vector<Input> inputs = {{"-", "", false, false},
                                       {"records:1kB", "", true, false},
                                       {"missing.xml", "", false, false},
                                       {"x*.db", "", false, true}};
    std::string why;
    EXPECT_EQ(expand_inputs(inputs, false, why), inputs);
}

}  // namespace
}  // namespace perfrelay::client
