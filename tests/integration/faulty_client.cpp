// perfclient with faults planted: the real program, and formats that do what none should. Each must
// end without a time and with exit status 4.
//   faulty:attribute   decoding drops one attribute
//   faulty:byte        encoding flips one byte
//   faulty:late-encode the 7th encoding flips one byte
//   faulty:late-decode the 7th timed decoding drops one attribute

#include <memory>
#include <string>
#include <utility>

#include "client/runner.h"
#include "proto/formats.h"

namespace perfrelay {
namespace {

constexpr int k_late = 7;

// Passes everything on but the first attribute.
template <class Sink>
class WithoutAttribute {
  public:
    explicit WithoutAttribute(Sink& sink) : sink_(sink) {}
    void start_document() { sink_.start_document(); }
    void doctype(const Doctype& doctype) { sink_.doctype(doctype); }
    void start_element(const QName* name) { sink_.start_element(name); }
    void namespace_declaration(std::string_view prefix, std::string_view uri) {
        sink_.namespace_declaration(prefix, uri);
    }
    void attribute(const QName* name, std::string_view value) {
        if (std::exchange(dropped_, true)) sink_.attribute(name, value);
    }
    void characters(std::string_view text) { sink_.characters(text); }
    void comment(std::string_view text) { sink_.comment(text); }
    void processing_instruction(std::string_view target, std::string_view data) {
        sink_.processing_instruction(target, data);
    }
    void entity_reference(std::string_view name) { sink_.entity_reference(name); }
    void end_element(const QName* name) { sink_.end_element(name); }
    void end_document() { sink_.end_document(); }

  private:
    Sink& sink_;
    bool dropped_ = false;
};

class FaultyCodec final : public Codec {
  public:
    FaultyCodec(std::unique_ptr<Codec> inner, std::string fault)
        : inner_(std::move(inner)), fault_(std::move(fault)), info_(inner_->info()) {
        info_.spec = "faulty:" + fault_;
        info_.title = "FAULTY";
    }

    using Codec::decode;
    using Codec::encode;
    const CodecInfo& info() const override { return info_; }
    std::optional<std::string> cannot_represent(const Document& document,
                                                bool source) const override {
        return inner_->cannot_represent(document, source);
    }
    Result<> prepare(const Document& document) override { return inner_->prepare(document); }
    Result<> encode(const Document& document, Buffer& out) override {
        auto done = inner_->encode(document, out);
        ++encodes_;
        if (fault_ == "byte" || (fault_ == "late-encode" && encodes_ == k_late)) flip(out);
        return done;
    }
    Result<bool> source_form(const Document& document, Buffer& out) override {
        return inner_->source_form(document, out);
    }
    void read_under(Whitespace policy) override { inner_->read_under(policy); }
    Result<Digest> decode(Bytes input) override {
        ++decodes_;
        if (fault_ != "late-decode" || decodes_ != k_late) return inner_->decode(input);
        XmlTape tape;
        if (auto done = inner_->decode(input, tape); !done) return done.error();
        DigestSink digest;
        WithoutAttribute sink(digest);
        tape.play(sink);
        return digest.digest();
    }
    Result<> decode(Bytes input, XmlTape& document) override {
        if (fault_ != "attribute") return inner_->decode(input, document);
        XmlTape tape;
        if (auto done = inner_->decode(input, tape); !done) return done;
        TapeSink<true> copy(document);
        WithoutAttribute sink(copy);
        tape.play(sink);
        return {};
    }

  private:
    // A digit of the content becomes another: still well-formed, no longer true.
    static void flip(Buffer& out) {
        for (std::size_t i = out.size(); i-- > 0;) {
            if (out.data()[i] >= '0' && out.data()[i] <= '9') {
                out.data()[i] ^= 1U;
                return;
            }
        }
    }

    std::unique_ptr<Codec> inner_;
    std::string fault_;
    CodecInfo info_;
    int encodes_ = 0;
    int decodes_ = 0;
};

std::unique_ptr<Codec> make_faulty(const Spec& spec, const CodecOptions& options,
                                   std::string& why) {
    auto inner = FormatTable::built_in().make("xml", options, why);
    return std::make_unique<FaultyCodec>(std::move(inner), spec.format.options.front().key);
}

}  // namespace
}  // namespace perfrelay

int main(int argc, char** argv) {
    auto table = perfrelay::FormatTable::built_in();
    for (const char* fault : {"attribute", "byte", "late-encode", "late-decode"}) {
        table.formats.push_back(
            {std::string("faulty:") + fault, "", "a planted fault", false, perfrelay::make_faulty});
    }
    return perfrelay::client::perfclient_main(argc, argv, table);
}
