#include "common/cli/secret.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace perfrelay {
namespace {

class SecretTest : public testing::Test {
  protected:
    void SetUp() override { unsetenv(k_secret_variable); }
    void TearDown() override {
        unlink(path_.c_str());
        unsetenv(k_secret_variable);
    }
    std::string written(const std::string& text, mode_t mode = 0600) {
        std::ofstream(path_, std::ios::binary) << text;
        chmod(path_.c_str(), mode);
        return path_;
    }
    std::string read(const std::string& file) {
        why_.clear();
        const auto secret = read_secret(file, why_);
        return secret == nullptr ? "" : std::string(as_text(secret->bytes()));
    }
    static std::string_view as_text(Bytes bytes) {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

    std::string path_ = testing::TempDir() + "perfrelay_secret_" + std::to_string(getpid());
    std::string why_;
};

TEST_F(SecretTest, AllOfTheFileButItsLineEnd) {
    EXPECT_EQ(read(written("0123456789abcdef")), "0123456789abcdef");
    EXPECT_EQ(read(written("0123456789abcdef\n")), "0123456789abcdef");
    EXPECT_EQ(read(written("0123456789abcdef\r\n")), "0123456789abcdef");
    EXPECT_EQ(read(written(" 0123456789abcdef\n\n", 0440)), " 0123456789abcdef\n");
    EXPECT_EQ(read(written(std::string(4096, 'x') + "\n")).size(), 4096U);
    EXPECT_EQ(why_, "");
}

TEST_F(SecretTest, WhatWillNotDoIsSaid) {
    for (const auto& [text, mode, words] :
         {std::tuple("0123456789abcde\n", 0600U, "15 bytes"), std::tuple("", 0600U, "0 bytes"),
          std::tuple("0123456789abcdef", 0604U, "chmod 600"),
          std::tuple("0123456789abcdef", 0620U, "chmod 600")}) {
        EXPECT_EQ(read(written(text, mode)), "");
        EXPECT_NE(why_.find(words), std::string::npos) << why_;
        EXPECT_EQ(why_.find('\n'), std::string::npos);
    }
    EXPECT_EQ(read(written(std::string(5000, 'x'))), "");
    EXPECT_NE(why_, "");
    EXPECT_EQ(read("/nowhere/secret"), "");
    EXPECT_NE(why_.find("/nowhere/secret"), std::string::npos) << why_;
    EXPECT_EQ(read(testing::TempDir()), "");
    EXPECT_NE(why_, "");
}

TEST_F(SecretTest, TheEnvironmentWhenThereIsNoFile) {
    EXPECT_EQ(read(""), "");
    EXPECT_EQ(why_, "");
    setenv(k_secret_variable, "of the environment", 1);
    EXPECT_EQ(read(""), "of the environment");
    EXPECT_EQ(read(written("and of the file, too")), "and of the file, too");
    setenv(k_secret_variable, "short", 1);
    EXPECT_EQ(read(""), "");
    EXPECT_NE(why_.find("$PERFRELAY_SECRET"), std::string::npos) << why_;
}

}  // namespace
}  // namespace perfrelay
