#pragma once
// XSDs in files of their own, for tests.

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "proto/exi/schema/xsd_loader.h"

namespace perfrelay::exi {

class XsdTest : public ::testing::Test {
  protected:
    void SetUp() override {
        const auto* const info = ::testing::UnitTest::GetInstance()->current_test_info();
        directory_ = std::filesystem::temp_directory_path() /
                     ("perfrelay_xsd_" + std::to_string(::getpid()) + "_" + info->name());
        std::filesystem::create_directories(directory_);
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::string file(const std::string& name, const std::string& text) const {
        const std::filesystem::path path = directory_ / name;
        std::ofstream(path, std::ios::binary) << text;
        return path.string();
    }
    static std::string schema(const std::string& content, const std::string& attributes = "") {
        return "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' " + attributes + ">" +
               content + "</xs:schema>";
    }
    std::string refused(const std::string& path, const XsdCatalogue& catalogue = {}) const {
        std::string why;
        EXPECT_FALSE(load_xsd(path, catalogue, why)) << path;
        EXPECT_EQ(why.find('\n'), std::string::npos);
        return why;
    }
    Components loaded(const std::string& path, const XsdCatalogue& catalogue = {}) const {
        std::string why;
        auto components = load_xsd(path, catalogue, why);
        EXPECT_TRUE(components) << why;
        return components ? std::move(*components) : Components();
    }

    std::filesystem::path directory_;
};

}  // namespace perfrelay::exi
