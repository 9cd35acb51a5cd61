#include "client/output_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/support/files.h"

namespace perfrelay::client {
namespace {

namespace fs = std::filesystem;

class output_file : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "perfrelay_output_XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
    }
    void TearDown() override { fs::remove_all(directory_); }

    std::string write(const std::string& path, std::string_view text) {
        return write_output(path, as_bytes(text), stop_);
    }
    std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
    }

    fs::path directory_;
    std::atomic<int> stop_{0};
};

TEST_F(output_file, appears_whole_and_replaces_what_was_there) {
    const fs::path path = directory_ / "out";
    EXPECT_EQ(write(path, "one"), "");
    EXPECT_EQ(file_text(path), "one");
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(write(path, ""), "");
    EXPECT_EQ(file_text(path), "");
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(files(), 1U) << "nothing is left beside it";
}

TEST_F(output_file, links_stay_links) {
    const fs::path target = directory_ / "target";
    const fs::path link = directory_ / "link";
    EXPECT_EQ(write(target, "old"), "");
    fs::create_symlink(target, link);
    EXPECT_EQ(write(link, "new"), "");
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(file_text(target), "new");
}

TEST_F(output_file, what_is_no_file_is_written_into_and_stays) {
    EXPECT_EQ(write("/dev/null", "x"), "");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    EXPECT_EQ(write("/dev/full", "x"), "cannot be written: No space left on device");
    EXPECT_EQ(write(directory_, "x"), "a directory");
}

TEST_F(output_file, failures_leave_nothing) {
    EXPECT_EQ(write(directory_ / "no" / "out", "x"),
              "cannot be written: No such file or directory");
    const fs::path path = directory_ / "out";
    EXPECT_EQ(write(path, "old"), "");
    stop_ = 1;
    EXPECT_EQ(write(path, "new"), "interrupted");
    EXPECT_EQ(file_text(path), "old");
    EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace perfrelay::client
