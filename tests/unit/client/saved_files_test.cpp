#include "client/saved_files.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/files.h"

namespace perfrelay::client {
namespace {

namespace fs = std::filesystem;

class SavedFilesTest : public testing::Test {
  protected:
    SavedFilesTest() : directory_(fs::path(testing::TempDir()) / "perfrelay-saved") {
        fs::remove_all(directory_);
    }
    ~SavedFilesTest() override { fs::remove_all(directory_); }

    std::string save(SavedFiles& files, const Input& input, const std::string& spec,
                     const std::string& content = "x") {
        std::string why;
        const std::string path = files.save(input, spec, as_bytes(content), stop_, why);
        EXPECT_EQ(why, "");
        EXPECT_EQ(fs::path(path).parent_path(), directory_ / "deep");
        EXPECT_EQ(file_text(path), content);
        return fs::path(path).filename().string();
    }
    std::optional<SavedFiles> open(const std::vector<Input>& inputs) {
        std::string why;
        auto files = SavedFiles::open((directory_ / "deep").string(), inputs, why);
        EXPECT_EQ(why, "");
        return files;
    }

    fs::path directory_;
    std::atomic<int> stop_ = 0;
};

TEST_F(SavedFilesTest, NamesSayInputAndRow) {
    const std::vector<Input> none;
    auto files = open(none);
    EXPECT_EQ(save(*files, {"a/test.xml", "", false}, "exi:align=comp"),
              "test.xml.exi-align-comp.exi");
    EXPECT_EQ(save(*files, {"a/test.xml", "", false}, "xml+gzip"), "test.xml.xml-gzip.xml.gz");
    EXPECT_EQ(save(*files, {"a/test.xml", "", false}, "xml+deflate:9"),
              "test.xml.xml-deflate-9.xml.deflate");
    EXPECT_EQ(save(*files, {"a/test.xml", "", false}, "transcode", "\x80"),
              "test.xml.transcode.exi");
    EXPECT_EQ(save(*files, {"-", "", false}, "xml"), "stdin.xml.xml");
    EXPECT_EQ(save(*files, {"records:1kB", "", true}, "xml"), "records_1kB.xml.xml");
}

TEST_F(SavedFilesTest, NothingLeadsOutOfTheDirectoryAndNoNameIsTwice) {
    const std::vector<Input> none;
    auto files = open(none);
    std::set<std::string> names;
    std::size_t saved = 0;
    for (const char* input : {"..", "../..", "/", "a/..", "-rf", ".hidden", "a b\nc", "a_b_c", "",
                              "x/t.xml", "y/t.xml", "t.xml"}) {
        for (const char* spec : {"exi:dtrm={a/../..}b>c", "exi:a=b", "exi:a-b", "exi"}) {
            names.insert(save(*files, {input, "", false}, spec, std::to_string(saved)));
            ++saved;
        }
    }
    names.insert(save(*files, {std::string(5000, 'n'), "", false}, "exi:" + std::string(900, 'o')));
    EXPECT_EQ(names.size(), saved + 1);
    for (const std::string& name : names) {
        EXPECT_EQ(name.find('/'), std::string::npos);
        EXPECT_NE(name.front(), '.');
        EXPECT_NE(name.front(), '-');
    }
}

TEST_F(SavedFilesTest, AnInputIsNotReplacedAndAFormerRunIs) {
    const std::string taken = (directory_ / "deep" / "a.xml.xml.xml").string();
    const std::vector<Input> inputs{{taken, "", false}};
    auto files = open(inputs);
    std::ofstream(taken) << "the input";
    EXPECT_EQ(save(*files, {"a.xml", "", false}, "xml"), "a.xml.xml.2.xml");
    auto again = open(inputs);
    EXPECT_EQ(save(*again, {"a.xml", "", false}, "xml", "later"), "a.xml.xml.2.xml");
    EXPECT_EQ(file_text(taken), "the input");
}

TEST_F(SavedFilesTest, FailuresNameThePlace) {
    fs::create_directories(directory_);
    const std::string file = (directory_ / "file").string();
    std::ofstream(file) << "x";
    const std::vector<Input> none;
    std::string why;
    EXPECT_FALSE(SavedFiles::open(file, none, why));
    EXPECT_NE(why.find(file), std::string::npos);
    EXPECT_FALSE(SavedFiles::open(file + "/below", none, why));

    auto files = open(none);
    fs::create_directories(directory_ / "deep" / "a.xml.xml.xml");
    EXPECT_EQ(files->save({"a.xml", "", false}, "xml", as_bytes("x"), stop_, why), "");
    EXPECT_NE(why.find("a.xml.xml.xml: a directory"), std::string::npos) << why;
}

}  // namespace
}  // namespace perfrelay::client
