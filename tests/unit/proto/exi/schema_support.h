#pragma once
// Schemas for tests, from their text.

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "proto/exi/schema/schema_maker.h"
#include "proto/exi/schema/xsd_loader.h"

namespace perfrelay::exi {

// What stands in xs:schema, whose prefix xs is declared; `attributes` of it.
inline std::shared_ptr<const Schema> schema_of(const std::string& content,
                                               const std::string& attributes = "") {
    namespace fs = std::filesystem;
    const auto* const info = ::testing::UnitTest::GetInstance()->current_test_info();
    const fs::path path =
        fs::temp_directory_path() /
        ("perfrelay_schema_" + std::to_string(::getpid()) + "_" + info->name() + ".xsd");
    std::ofstream(path) << "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' " << attributes
                        << ">" << content << "</xs:schema>";
    std::string why;
    const auto components = load_xsd(path.string(), {}, why);
    fs::remove(path);
    EXPECT_TRUE(components) << why;
    if (!components) return built_in_schema();
    auto made = make_schema(*components);
    EXPECT_TRUE(made) << describe(made.error());
    return made ? *made : built_in_schema();
}

}  // namespace perfrelay::exi
