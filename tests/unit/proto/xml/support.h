#pragma once
// What the tests of proto/xml share: documents from text, event listings, the engines.

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "proto/codec/document.h"
#include "proto/codec/make_codec.h"
#include "proto/xml/default_format.h"
#include "proto/xml/expat_format.h"
#include "proto/xml/libxml2_format.h"
#include "proto/xml/loader.h"
#include "proto/xml/pugixml_format.h"
#include "proto/xml/tinyxml2_format.h"

namespace perfrelay::xml {

inline std::string joined(std::initializer_list<std::string_view> parts) {
    std::string out;
    for (const std::string_view part : parts)
        out += part;
    return out;
}

inline std::unique_ptr<Document> document_of(std::string_view bytes) {
    auto document = std::make_unique<Document>();
    document->name = "test";
    document->source.append(bytes);
    return document;
}

// Null, and a failed expectation, when the document cannot be loaded.
inline std::unique_ptr<Document> loaded(std::string_view bytes, const Limits& limits = {}) {
    auto document = document_of(bytes);
    const auto done = load(*document, limits);
    EXPECT_TRUE(done.has_value()) << describe(done.error()) << "\nin " << bytes.substr(0, 300);
    if (!done) return nullptr;
    return document;
}

inline Error load_error(std::string_view bytes, const Limits& limits = {}) {
    auto document = document_of(bytes);
    const auto done = load(*document, limits);
    EXPECT_FALSE(done.has_value()) << "accepted: " << bytes.substr(0, 300);
    return done ? Error{} : done.error();
}

inline std::string quoted(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\n': out += "\\n"; break;
            case '\t': out += "\\t"; break;
            case '\r': out += "\\r"; break;
            default: out += c;
        }
    }
    return out;
}

// One event a line: SD, DT name|public|system, SE {uri}local prefix, NS prefix=uri, AT {uri}local =
// "v", CH "v", CM "v", PI target "v", ER name, EE, ED; declarations and attributes sorted.
class ListingSink {
  public:
    void start_document() { line("SD"); }
    void doctype(const Doctype& d) {
        line("DT " + std::string(d.name) + "|" + std::string(d.public_id) + "|" +
             std::string(d.system_id));
    }
    void start_element(const QName* name) {
        line("SE {" + std::string(name->uri) + "}" + std::string(name->local) + " " +
             std::string(name->prefix));
    }
    void namespace_declaration(std::string_view prefix, std::string_view uri) {
        declarations_.push_back("NS " + std::string(prefix) + "=" + std::string(uri));
    }
    void attribute(const QName* name, std::string_view value) {
        attributes_.push_back("AT {" + std::string(name->uri) + "}" + std::string(name->local) +
                              " = \"" + quoted(value) + "\"");
    }
    void characters(std::string_view text) { line("CH \"" + quoted(text) + "\""); }
    void comment(std::string_view text) { line("CM \"" + quoted(text) + "\""); }
    void processing_instruction(std::string_view target, std::string_view data) {
        line("PI " + std::string(target) + " \"" + quoted(data) + "\"");
    }
    void entity_reference(std::string_view name) { line("ER " + std::string(name)); }
    void end_element(const QName*) { line("EE"); }
    void end_document() { line("ED"); }

    const std::string& text() const { return text_; }

  private:
    void line(const std::string& line) {
        for (std::vector<std::string>* lines : {&declarations_, &attributes_}) {
            std::sort(lines->begin(), lines->end());
            for (const std::string& each : *lines)
                text_ += each + "\n";
            lines->clear();
        }
        text_ += line + "\n";
    }

    std::vector<std::string> declarations_;
    std::vector<std::string> attributes_;
    std::string text_;
};

inline std::string listing(const XmlTape& tape) {
    ListingSink sink;
    tape.play(sink);
    return sink.text();
}

inline std::string file_text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in.good()) << path;
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

inline std::unique_ptr<Codec> make_engine(const std::string& spec, const Limits& limits = {}) {
    if (spec == "xml:libxml2") return make_codec<Libxml2Format>(spec, limits);
    if (spec == "xml:expat") return make_codec<ExpatFormat>(spec, limits);
    if (spec == "xml:tinyxml2") return make_codec<Tinyxml2Format>(spec, limits);
    if (spec == "xml:pugixml") return make_codec<PugixmlFormat>(spec, limits);
    return make_codec<DefaultFormat>(spec, limits);
}

inline const std::vector<std::string> k_engines = {"xml", "xml:libxml2", "xml:expat",
                                                   "xml:tinyxml2", "xml:pugixml"};

inline std::string engine_test_name(const testing::TestParamInfo<std::string>& test) {
    const std::size_t colon = test.param.find(':');
    return colon == std::string::npos ? "default_engine" : test.param.substr(colon + 1);
}

// "" when the engine gives back the document, from what it wrote and from the document's own text;
// otherwise what went wrong, or "refused: " and its reason. `own` false leaves out the source.
inline std::string round_trip(Codec& engine, const Document& document, bool source) {
    const auto reason = engine.cannot_represent(document, source);
    if (reason) return "refused: " + *reason;
    if (auto ready = engine.prepare(document); !ready) return "prepare: " + describe(ready.error());
    Buffer out;
    if (auto done = engine.encode(document, out); !done) return "encode: " + describe(done.error());
    Buffer again;
    if (auto done = engine.encode(document, again); !done)
        return "again: " + describe(done.error());
    if (as_text(out.view()) != as_text(again.view())) return "encodes differently the second time";
    XmlTape tape;
    if (auto done = engine.decode(out.view(), tape); !done) {
        return "decode: " + describe(done.error()) + "\n" +
               std::string(as_text(out.view()).substr(0, 300));
    }
    const Fidelity& fidelity = engine.info().fidelity;
    if (auto found = difference(document.xml, tape, fidelity)) return "own output: " + *found;
    // What it wrote must mean the same to everyone.
    const auto reread = loaded(as_text(out.view()));
    if (reread == nullptr) return "its output is not XML";
    if (auto found = difference(document.xml, reread->xml, fidelity)) {
        return "its output, to a conforming parser: " + *found;
    }
    if (!source) return "";
    if (auto done = engine.decode(document.source.view(), tape); !done) {
        return "decode of the source: " + describe(done.error());
    }
    if (auto found = difference(document.xml, tape, fidelity)) return "source: " + *found;
    // The tape may borrow until the next decode.
    DigestSink expected;
    tape.play(expected);
    const auto digest = engine.decode(document.source.view());
    if (!digest) return "digest: " + describe(digest.error());
    if (!(expected.digest() == *digest)) return "the digest differs from the tape's";
    return "";
}

}  // namespace perfrelay::xml
