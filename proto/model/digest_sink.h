#pragma once
// DigestSink: what decoding is timed into. It counts every event and touches every name and every
// byte of every value, the same for every format that is compared.
//
// Digest::value is equal for equal event sequences, however characters are split. It is a guard
// that each timed decode delivered the same; that it delivered the *right* thing is verified apart,
// by comparing tapes (xml_tape.h), untimed.
// Tested by tests/unit/proto/digest_sink_test.cpp.

#include <bit>
#include <cstdint>
#include <string_view>

#include "proto/model/name_table.h"
#include "proto/model/xml_sink.h"

namespace perfrelay {

struct Digest {
    std::uint64_t value = 0;
    std::uint64_t events = 0;      // text split in pieces counts once
    std::uint64_t text_bytes = 0;  // of values, text, comments, instructions

    friend bool operator==(const Digest&, const Digest&) = default;
};

class DigestSink {
  public:
    void start_document() { *this = DigestSink(); }
    void doctype(const Doctype& doctype) {
        event(1);
        for (const std::string_view part :
             {doctype.name, doctype.public_id, doctype.system_id, doctype.internal_subset}) {
            text(part);
        }
    }
    void start_element(const QName* name) { event(2 + name->hash); }
    void namespace_declaration(std::string_view prefix, std::string_view uri) {
        event(3);
        text(prefix);
        text(uri);
    }
    void attribute(const QName* name, std::string_view value) {
        event(4 + name->hash);
        text(value);
    }
    void characters(std::string_view piece) {
        if (!in_text_) {
            event(5);
            in_text_ = true;
        }
        text(piece);
    }
    void comment(std::string_view value) {
        event(6);
        text(value);
    }
    void processing_instruction(std::string_view target, std::string_view data) {
        event(7);
        text(target);
        text(data);
    }
    void entity_reference(std::string_view name) {
        event(8);
        text(name);
    }
    void end_element(const QName* name) { event(9 + name->hash); }
    void end_document() { event(10); }

    const Digest& digest() const { return digest_; }

  private:
    // Order-sensitive across events; within one text the bytes are summed, which does not depend
    // on how it was split and vectorises.
    void event(std::uint64_t what) {
        digest_.value = std::rotl(digest_.value + sum_, 7) * 0x9E3779B97F4A7C15U + what;
        ++digest_.events;
        sum_ = 0;
        in_text_ = false;
    }
    void text(std::string_view bytes) {
        std::uint64_t sum = 0;
        for (const char c : bytes)
            sum += static_cast<unsigned char>(c);
        sum_ += sum + bytes.size();
        digest_.text_bytes += bytes.size();
    }

    Digest digest_;
    std::uint64_t sum_ = 0;
    bool in_text_ = false;
};
static_assert(XmlSink<DigestSink>);

}  // namespace perfrelay
