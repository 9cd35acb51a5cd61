#include "tests/contract/documents.h"

#include <gtest/gtest.h>

#include "proto/xml/loader.h"
#include "tests/support/files.h"

namespace perfrelay::contract {

std::unique_ptr<Document> document_of(std::string name, std::string_view text) {
    auto document = std::make_unique<Document>();
    document->name = std::move(name);
    document->source.append(text);
    const Result<> loaded = xml::load(*document, Limits{});
    EXPECT_TRUE(loaded) << document->name << ": " << describe(loaded.error());
    complete(*document, Model::objects, bridge::Binding::text, Limits{});
    EXPECT_EQ(document->missing + document->bridge_fault, "") << document->name;
    return document;
}

std::unique_ptr<Document> document_from(const std::string& file) {
    return document_of(file, file_text(PERFRELAY_DATA + file));
}

std::string nested(std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i)
        text += "<d>";
    text += "x";
    for (std::size_t i = 0; i < depth; ++i)
        text += "</d>";
    return text;
}

std::string records(std::size_t size) {
    std::string text = "<log xmlns=\"urn:example:log\">";
    for (std::size_t i = 0; text.size() < size; ++i) {
        text += "<entry n=\"" + std::to_string(i) + "\"><value>" + std::to_string(i * i % 1009) +
                "</value></entry>";
    }
    return text + "</log>";
}

}  // namespace perfrelay::contract
