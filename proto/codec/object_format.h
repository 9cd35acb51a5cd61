#pragma once
// make_object_codec<F>: wraps a class that satisfies the ObjectFormat concept into a Codec, as
// make_codec.h does for formats of XML.
//
// `prepare` puts the document's graph into the format's own terms (which collections, numbers and
// classes it has words for); that is not timed, and is the same for every format. Encoding writes
// the prepared graph; decoding fills a graph of its own and tells its digest. What decoding gives
// must equal the prepared graph, in every bit: a mapping that loses something does so in `lower`,
// where it is declared.
// Tested by tests/unit/proto/object_codec_test.cpp.

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "proto/codec/codec.h"
#include "proto/codec/make_codec.h"
#include "proto/codec/spec.h"
#include "proto/model/bridge/bridge.h"
#include "proto/model/object_digest.h"

namespace perfrelay {

// What a format offers:
//   Result<> lower(const ObjectGraph& document, ObjectGraph& own)   errors: why it cannot carry it
//   Result<> encode(const ObjectGraph& own, Buffer& out)            appends, never goes back
//   Result<> decode(Bytes in, ObjectGraph& graph)                   clears first, borrows nothing
// and, when some graphs are in its own terms as they are:
//   static bool is_own(const ObjectGraph& document)
// and, when its terms hide what a document was (the bridge sees through lists, boxes, dates, fields
// sorted):
//   Result<> raise(const ObjectGraph& own, ObjectGraph& document)
template <class F>
concept ObjectFormat = requires(F format, const ObjectGraph& document, ObjectGraph& graph,
                                Buffer& out, Bytes in) {
    { format.lower(document, graph) } -> std::same_as<Result<>>;
    { format.encode(document, out) } -> std::same_as<Result<>>;
    { format.decode(in, graph) } -> std::same_as<Result<>>;
};

template <ObjectFormat F>
class ObjectCodec final : public Codec {
  public:
    template <class... Args>
    explicit ObjectCodec(CodecInfo info, const Limits& limits, Args&&... args)
        : info_(std::move(info)), limits_(limits), format_(limits, std::forward<Args>(args)...) {
        info_.fidelity = bridge::k_bound_fidelity;
    }

    using Codec::decode;  // out of a source: unsupported
    const CodecInfo& info() const override { return info_; }
    Model model() const override { return Model::objects; }
    bool digests_events() const override { return false; }

    std::optional<std::string> cannot_represent(const Document& document,
                                                bool /*source*/) const override {
        if (document.objects == nullptr) return no_objects(document);
        if (is_own(*document.objects)) return std::nullopt;
        F format = format_;
        ObjectGraph own;
        if (auto done = format.lower(*document.objects, own); !done) return done.error().where;
        return std::nullopt;
    }

    Result<> prepare(const Document& document) override {
        own_ = nullptr;
        prepared_for_ = document.objects.get();
        if (prepared_for_ == nullptr) {
            return Error{.code = Errc::unsupported, .where = k_no_objects};
        }
        own_ = prepared_for_;
        if (is_own(*own_)) return {};
        if (auto done = format_.lower(*prepared_for_, lowered_); !done) return done;
        own_ = &lowered_;
        return {};
    }
    const ObjectGraph* prepared() const override { return own_; }

    Result<> encode(const Document& document, Buffer& out) override {
        if (own_ == nullptr || prepared_for_ != document.objects.get()) {
            if (auto done = prepare(document); !done) return done;
        }
        return format_.encode(*own_, out);
    }
    Result<bool> source_form(const Document& document, Buffer& out) override {
        const bool own =
            document.source_is_objects && spec_name(document.source_spec) == spec_name(info_.spec);
        if (own) out.append(document.source.view());
        return own;
    }
    Result<Digest> decode(Bytes input) override {
        if (auto done = decode_objects(input, decoded_); !done) return done.error();
        return digest_of(decoded_);
    }
    Result<> decode(Bytes input, XmlTape& document) override {
        if (auto done = read_objects(input, raised_); !done) return done;
        return bridge::to_xml(raised_, limits_, document);
    }
    Result<> read_objects(Bytes input, ObjectGraph& graph) override {
        if constexpr (requires { format_.raise(decoded_, graph); }) {
            if (auto done = decode_objects(input, decoded_); !done) return done;
            return format_.raise(decoded_, graph);
        } else {
            return decode_objects(input, graph);
        }
    }
    Result<> decode_objects(Bytes input, ObjectGraph& graph) override {
        if (input.size() > limits_.max_document) {
            return Error{.code = Errc::limit_exceeded, .where = "too long a document"};
        }
        return format_.decode(input, graph);
    }

    // References reach back to the start: decoding while bytes travel would keep all of them.
    Streaming streaming() const override { return {.encode = true, .decode = false}; }
    Result<> encode(const Document& document, ByteDrain& drain) override {
        Buffer out(drain, k_stream_piece);
        if (auto done = encode(document, out); !done) return done;
        return out.finish();
    }

  private:
    static constexpr const char* k_no_objects = "the document holds no objects";
    static std::string no_objects(const Document& document) {
        return document.missing.empty() ? k_no_objects : document.missing;
    }
    static bool is_own(const ObjectGraph& document) {
        if constexpr (requires { F::is_own(document); }) {
            return F::is_own(document);
        } else {
            return false;
        }
    }

    CodecInfo info_;
    Limits limits_;
    F format_;
    const ObjectGraph* prepared_for_ = nullptr;
    const ObjectGraph* own_ = nullptr;  // lowered_, or the document's
    ObjectGraph lowered_;
    ObjectGraph decoded_;
    ObjectGraph raised_;
};

template <ObjectFormat F, class... Args>
std::unique_ptr<Codec> make_object_codec(CodecInfo info, const Limits& limits, Args&&... args) {
    return std::make_unique<ObjectCodec<F>>(std::move(info), limits, std::forward<Args>(args)...);
}

}  // namespace perfrelay
