#pragma once
// What the tests of exi share.

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "proto/formats.h"
#include "proto/xml/loader.h"

namespace perfrelay::exi {

inline std::unique_ptr<Document> document_of(std::string_view text) {
    auto document = std::make_unique<Document>();
    document->source.append(text);
    const Result<> loaded = xml::load(*document, Limits{});
    EXPECT_TRUE(loaded) << describe(loaded.error());
    return document;
}

inline std::string data_file(const std::string& name) {
    std::ifstream file(PERFRELAY_DATA + name, std::ios::binary);
    EXPECT_TRUE(file) << name;
    return {std::istreambuf_iterator<char>(file), {}};
}

inline std::unique_ptr<Codec> codec_of(const std::string& spec, const Limits& limits = {}) {
    std::string why;
    auto codec = FormatTable::built_in().make(spec, {.limits = limits}, why);
    EXPECT_NE(codec, nullptr) << spec << ": " << why;
    return codec;
}

inline Buffer encoded(const std::string& spec, const Document& document) {
    Buffer out;
    const Result<> done = codec_of(spec)->encode(document, out);
    EXPECT_TRUE(done) << spec << ": " << describe(done.error());
    return out;
}

}  // namespace perfrelay::exi
