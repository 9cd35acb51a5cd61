// perfclient with formats whose speed is known: for every format F of the table also
//   twin:F   the same under another name
//   slow:F   the same, each encode and decode followed by waiting for a tenth of what it took
// verdicts.py measures them against F, and looks at what is said.

#include <memory>
#include <string>
#include <utility>

#include "client/runner.h"
#include "common/measure/clock.h"
#include "proto/formats.h"

namespace perfrelay {
namespace {

class Planted final : public Codec {
  public:
    Planted(std::unique_ptr<Codec> inner, std::string spec, double longer)
        : inner_(std::move(inner)), longer_(longer), info_(inner_->info()) {
        info_.spec = spec;
        info_.title = std::move(spec);
    }

    using Codec::decode;
    using Codec::encode;
    const CodecInfo& info() const override { return info_; }
    Fidelity delivered() const override { return inner_->delivered(); }
    std::optional<std::string> cannot_represent(const Document& document,
                                                bool source) const override {
        return inner_->cannot_represent(document, source);
    }
    Result<> prepare(const Document& document) override { return inner_->prepare(document); }
    Result<> encode(const Document& document, Buffer& out) override {
        const measure::Nanoseconds start = measure::now();
        Result<> done = inner_->encode(document, out);
        linger(start);
        return done;
    }
    Result<bool> source_form(const Document& document, Buffer& out) override {
        return inner_->source_form(document, out);
    }
    Result<Digest> decode(Bytes input) override {
        const measure::Nanoseconds start = measure::now();
        Result<Digest> done = inner_->decode(input);
        linger(start);
        return done;
    }
    Result<> decode(Bytes input, XmlTape& document) override {
        return inner_->decode(input, document);
    }
    Model model() const override { return inner_->model(); }
    Result<> decode_objects(Bytes input, ObjectGraph& graph) override {
        return inner_->decode_objects(input, graph);
    }
    Result<> read_objects(Bytes input, ObjectGraph& graph) override {
        return inner_->read_objects(input, graph);
    }
    const ObjectGraph* prepared() const override { return inner_->prepared(); }
    void read_under(Whitespace policy) override { inner_->read_under(policy); }
    bool digests_events() const override { return inner_->digests_events(); }

  private:
    void linger(measure::Nanoseconds start) const {
        if (longer_ == 0) return;
        const auto took = static_cast<double>(measure::now() - start);
        const auto end = start + static_cast<measure::Nanoseconds>(took * (1 + longer_));
        while (measure::now() < end) {
        }
    }

    std::unique_ptr<Codec> inner_;
    double longer_;
    CodecInfo info_;
};

// "slow:exi": option 0 is the format.
std::unique_ptr<Codec> make_planted(const Spec& spec, const CodecOptions& options,
                                    std::string& why) {
    constexpr double k_a_tenth = 0.1;
    auto inner = FormatTable::built_in().make(spec.format.options.front().key, options, why);
    if (inner == nullptr) return nullptr;
    return std::make_unique<Planted>(std::move(inner), Spec{spec.format, {}}.text(),
                                     spec.format.name == "slow" ? k_a_tenth : 0);
}

}  // namespace
}  // namespace perfrelay

int main(int argc, char** argv) {
    auto table = perfrelay::FormatTable::built_in();
    const auto formats = table.formats;
    for (const auto& line : formats) {
        if (line.spec.find_first_of(":+") != std::string::npos) continue;
        for (const char* name : {"twin:", "slow:"}) {
            table.formats.push_back({name + line.spec, "", "a planted speed", false,
                                     perfrelay::make_planted, line.group});
        }
    }
    return perfrelay::client::perfclient_main(argc, argv, table);
}
