#pragma once
// What the tests of exi share.

#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "proto/formats.h"
#include "proto/xml/loader.h"
#include "tests/support/codecs.h"
#include "tests/support/files.h"

namespace perfrelay::exi {

inline std::unique_ptr<Document> document_of(std::string_view text) {
    auto document = std::make_unique<Document>();
    document->source.append(text);
    const Result<> loaded = xml::load(*document, Limits{});
    EXPECT_TRUE(loaded) << describe(loaded.error());
    return document;
}

inline std::string data_file(const std::string& name) {
    std::string data = file_text(PERFRELAY_DATA + name);
    EXPECT_FALSE(data.empty()) << name;
    return data;
}

inline Buffer encoded(const std::string& spec, const Document& document) {
    Buffer out;
    const Result<> done = codec_of(spec)->encode(document, out);
    EXPECT_TRUE(done) << spec << ": " << describe(done.error());
    return out;
}

}  // namespace perfrelay::exi
