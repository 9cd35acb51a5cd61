#include "client/format_subject.h"

#include <algorithm>
#include <new>
#include <utility>

#include "common/base/crc32c.h"
#include "proto/model/object_difference.h"
#include "proto/model/object_digest.h"
#include "proto/model/tape_digest.h"

namespace perfrelay::client {

namespace {

using measure::now;

constexpr std::size_t k_verified_piece = 1000;  // bytes; real pieces are larger
constexpr const char* k_damaged_upwards = "the relay received other bytes than were sent (CRC-32C)";

bool same_bytes(Bytes a, Bytes b) {
    return std::ranges::equal(a, b);
}

}  // namespace

FormatSubject::FormatSubject(std::unique_ptr<Codec> codec, const Document& document, Bench& bench,
                             Row& row, std::uint32_t key)
    : codec_(std::move(codec)), document_(document), bench_(bench), row_(row), key_(key) {
    row_.codec = codec_->info();
    row_.model = codec_->model();
}

bool FormatSubject::fail(std::string why) {
    row_.status = RowStatus::failed;
    row_.why = std::move(why);
    return false;
}

bool FormatSubject::refuse(std::string why) {
    row_.status = RowStatus::not_representable;
    row_.why = std::move(why);
    return false;
}

bool FormatSubject::lose(const Error& error) {
    bench_.lost = bench_.relay->last_error();
    if (bench_.lost.empty()) bench_.lost = describe(error);
    return false;
}

// What is wrong with `doing` something. A bound of ours, as on how much a few packed bytes may
// become, or of memory, is no fault of the format.
bool FormatSubject::cannot(const std::string& doing, const Error& error) {
    if (error.code == Errc::limit_exceeded) return refuse(describe(error));
    return fail(doing + ": " + describe(error));
}

// The row goes without times; what it held makes room for the others. A codec that was left in the
// middle of something, and a connection, are not used again.
bool FormatSubject::out_of_memory() {
    codec_.reset();
    for (Buffer* buffer : {&payload_, &encoded_, &answer_})
        *buffer = Buffer();
    tape_ = XmlTape();
    bench_.renew_at = 0;
    bench_.no_memory = true;
    return refuse("not enough memory");
}

bool FormatSubject::prepare() {
    try {
        if (!verify()) return false;
        row_.cold.samples.push_back(cold_);
    } catch (const std::bad_alloc&) {
        return out_of_memory();
    }
    row_.size = payload_.size();
    return true;
}

// A session that the relay would end soon is exchanged for a new one.
bool FormatSubject::renewed(measure::Nanoseconds& pause) {
    const measure::Nanoseconds start = now();
    if (start < bench_.renew_at && start - bench_.used_at < bench_.quiet) return true;
    if (!bench_.reconnect()) return false;
    bench_.used_at = now();
    pause = bench_.used_at - start;
    return true;
}

bool FormatSubject::ready() {
    if (!bench_.lost.empty()) return false;
    if (bench_.relay == nullptr) return true;
    measure::Nanoseconds pause = 0;
    if (!renewed(pause)) return false;
    bench_.used_at = now();
    return bench_.direction != Direction::decode || store_document();
}

bool FormatSubject::store_document() {
    while (std::ranges::find(bench_.stored, this) == bench_.stored.end()) {
        if (bench_.store_one) {
            bench_.stored.clear();
            key_ = 0;
        }
        const bool alone = !std::exchange(bench_.stored_any, true);
        const auto stored = bench_.relay->put(key_, payload_.view(), acknowledged_);
        if (stored && !acknowledged()) return fail(k_damaged_upwards);
        if (stored) {
            bench_.stored.push_back(this);
        } else if (alone || stored.error().code != Errc::limit_exceeded) {
            return lose_transport(stored.error());
        } else {
            // With others there is no room: from now on each replaces the one before.
            bench_.store_one = true;
            if (!bench_.reconnect()) return false;
        }
    }
    return true;
}

// What the relay has no room for costs this row its times, and the others nothing.
bool FormatSubject::lose_transport(const Error& error) {
    if (error.code != Errc::limit_exceeded) return lose(error);
    std::string why = std::to_string(payload_.size()) + " bytes: " + bench_.relay->last_error();
    return bench_.reconnect() && refuse(std::move(why));
}

bool FormatSubject::store() {
    if (bench_.relay == nullptr) return true;
    if (!bench_.lost.empty()) return false;
    if (payload_.size() > bench_.relay->peer().max_payload) {
        return refuse(std::to_string(payload_.size()) + " bytes, the relay takes payloads of " +
                      std::to_string(bench_.relay->peer().max_payload));
    }
    return ready();
}

bool FormatSubject::acknowledged() const {
    return acknowledged_.bytes == payload_.size() &&
           acknowledged_.crc32c == crc32c(payload_.view());
}

// The bridge has made what this row encodes, or says why there is none.
bool FormatSubject::has_model() {
    const bool objects = codec_->model() == Model::objects;
    const bool bridged = objects != document_.source_is_objects;
    if (bridged && !document_.bridge_fault.empty()) return fail(document_.bridge_fault);
    if (objects ? document_.objects != nullptr : !document_.xml.empty()) return true;
    return refuse(document_.missing.empty() ? "the document has no such form" : document_.missing);
}

// In a decode test the file's own bytes are the payload, where the codec reads them; the document
// that all rows deliver may have less whitespace than they.
Result<> FormatSubject::take_source() {
    if (bench_.direction != Direction::decode) return {};
    const Result<bool> taken = codec_->source_form(document_, payload_);
    if (!taken) return taken.error();
    row_.from_source = *taken;
    if (!row_.from_source) {
        if (!document_.source_is_xml &&
            spec_name(document_.source_spec) == spec_name(codec_->info().spec))
            row_.codec.notes.emplace_back("decodes what its encoder wrote: the file was read by " +
                                          document_.source_spec);
        return {};
    }
    if (!document_.source_is_xml) row_.codec.notes.emplace_back("decodes the file's own bytes");
    if (document_.whitespace_dropped != 0 && codec_->model() == Model::xml) {
        codec_->read_under(document_.whitespace);
        row_.codec.notes.emplace_back("leaves out, while it reads, the whitespace that --ws " +
                                      std::string(whitespace_name(document_.whitespace)) +
                                      " drops");
    }
    return {};
}

bool FormatSubject::verify() {
    if (!has_model()) return false;
    if (auto done = take_source(); !done) return cannot("packing the document", done.error());
    if (auto why = codec_->cannot_represent(document_, row_.from_source)) {
        return refuse(std::move(*why));
    }
    const Streaming can = codec_->streaming();
    if (bench_.stream && ((encodes() && !can.encode) || (decodes() && !can.decode))) {
        return refuse(std::string("cannot ") + (encodes() && !can.encode ? "encode" : "decode") +
                      " while bytes travel (--stream)");
    }
    if (auto done = codec_->prepare(document_); !done) {
        return cannot("preparing to encode", done.error());
    }
    if (!row_.from_source) {
        if (auto done = cold_encode(); !done) return cannot("encode", done.error());
    }
    XmlTape decoded;
    if (auto done = cold_decode(decoded); !done) {
        return cannot(
            row_.from_source ? "decode of the file's own bytes" : "decode of its own output",
            done.error());
    }
    if (codec_->model() == Model::objects) return verify_objects();
    if (!bench_.materialise) {
        if (auto done = decode_verified(decoded); !done) {
            return cannot("second decode", done.error());
        }
    }
    // A file may keep more than the row's own encoder would.
    const Fidelity kept = row_.from_source ? codec_->delivered() : codec_->info().fidelity;
    if (auto found = difference(document_.xml, decoded, kept)) {
        return fail("decoded document differs: " + *found);
    }
    digest_ = digest_of(decoded);
    row_.events = digest_.events;
    const std::optional<Digest> typed = codec_->typed_digest(document_);
    if (typed && bench_.materialise)
        return refuse("delivers typed values, which --decode-into materialise keeps no room for");
    auto parsed = bench_.materialise ? digest_verified() : Result<Digest>(decoded_);
    if (!parsed) return cannot("second decode", parsed.error());
    if (codec_->digests_events() && *parsed != digest_) {
        return fail("parsing delivers other events than materialising");
    }
    // Who wrote another's file may have chosen otherwise which values to type (EXI 8.5.4.1.3.1).
    const bool others = row_.from_source && !row_.codec.text_xml;
    if (typed && !others && *parsed != *typed)
        return fail("decoding delivers other typed values than the document has by its schema");
    if (!bench_.materialise) digest_ = *parsed;
    if (typed) row_.events = digest_.events;
    return true;
}

// The same for a format of objects: what it decodes is the graph it prepared, of the file's own
// bytes the document.
bool FormatSubject::verify_objects() {
    ObjectGraph decoded;
    const auto done = row_.from_source ? codec_->read_objects(payload_.view(), decoded)
                                       : codec_->decode_objects(payload_.view(), decoded);
    if (!done) return cannot("decode of its own output", done.error());
    const ObjectGraph& expected = row_.from_source ? *document_.objects : *codec_->prepared();
    if (auto found = difference(expected, decoded)) {
        return fail("decoded document differs: " + *found);
    }
    const auto second = digest_verified();
    if (!second) return cannot("third decode", second.error());
    if (decoded_ != *second || (!row_.from_source && decoded_ != digest_of(decoded))) {
        return fail("a second decode gives another document");
    }
    digest_ = decoded_;
    row_.events = digest_.events;
    return true;
}

Result<> FormatSubject::cold_encode() {
    const measure::Nanoseconds start = now();
    if (auto done = encode_verified(); !done || !encodes()) return done;
    cold_.phase[k_encode] = now() - start;
    cold_.total += cold_.phase[k_encode];
    return {};
}

// Decodes as a timed run does: into `tape` or into `decoded_`.
Result<> FormatSubject::cold_decode(XmlTape& tape) {
    const measure::Nanoseconds start = cold_.start = now();
    if (bench_.materialise && codec_->model() == Model::xml) {
        if (auto done = decode_verified(tape); !done) return done;
    } else {
        const auto digest = digest_verified();
        if (!digest) return digest.error();
        decoded_ = *digest;
    }
    if (!decodes()) return {};
    cold_.phase[k_decode] = now() - start;
    cold_.total += cold_.phase[k_decode];
    return {};
}

// In the form that will be timed: a streaming compressor's bytes are not those of one that knows
// the whole document.
Result<> FormatSubject::encode_verified() {
    if (!bench_.stream || !encodes()) return codec_->encode(document_, payload_);
    BufferDrain drain(payload_);
    return codec_->encode(document_, drain);
}

Result<> FormatSubject::decode_verified(XmlTape& tape) {
    if (!bench_.stream || !decodes()) return codec_->decode(payload_.view(), tape);
    MemorySource source(payload_.view(), k_verified_piece);
    return codec_->decode(source, tape);
}

Result<Digest> FormatSubject::digest_verified() {
    if (!bench_.stream || !decodes()) return codec_->decode(payload_.view());
    MemorySource source(payload_.view(), k_verified_piece);
    return codec_->decode(source);
}

bool FormatSubject::run(std::uint32_t batch, measure::Sample& sample) {
    try {
        return ready() && run_in_memory(batch, sample);
    } catch (const std::bad_alloc&) {
        return out_of_memory();
    }
}

bool FormatSubject::run_in_memory(std::uint32_t batch, measure::Sample& sample) {
    sample = {};
    sample.batch = batch;
    transport_failed_ = false;

    const measure::Nanoseconds start = sample.start = now();
    Result<> done;
    measure::Nanoseconds pause = 0;
    if (bench_.stream) {
        done = streamed_run(batch, sample);
    } else {
        if (encodes()) done = encode_phase(batch, sample);
        if (done && bench_.relay != nullptr) {
            if (!renewed(pause)) return false;
            done = transmit_phase(batch, sample);
        }
        if (done && decodes()) done = decode_phase(batch, sample);
    }
    sample.total = now() - start - pause;

    if (!done && transport_failed_) return lose_transport(done.error());
    if (!done) return cannot("a timed run", done.error());
    return check();
}

Result<> FormatSubject::encode_phase(std::uint32_t batch, measure::Sample& sample) {
    const measure::Nanoseconds start = now();
    for (std::uint32_t i = 0; i < batch; ++i) {
        encoded_.clear();
        if (auto done = codec_->encode(document_, encoded_); !done) return done;
    }
    sample.phase[k_encode] = now() - start;
    return {};
}

Result<> FormatSubject::transmit_phase(std::uint32_t batch, measure::Sample& sample) {
    RelayConnection& relay = *bench_.relay;
    for (std::uint32_t i = 0; i < batch; ++i) {
        auto exchange = bench_.direction == Direction::both ? relay.echo(encoded_.view(), answer_)
                        : bench_.direction == Direction::encode
                            ? relay.sink(encoded_.view(), acknowledged_)
                            : relay.source(key_, answer_);
        if (!exchange) {
            transport_failed_ = true;
            return exchange.error();
        }
        sample.phase[k_up] += exchange->up;
        sample.phase[k_down] += exchange->down;
    }
    return {};
}

Result<> FormatSubject::decode_phase(std::uint32_t batch, measure::Sample& sample) {
    const Bytes input = bench_.relay != nullptr               ? answer_.view()
                        : bench_.direction == Direction::both ? encoded_.view()
                                                              : payload_.view();
    const measure::Nanoseconds start = now();
    for (std::uint32_t i = 0; i < batch; ++i) {
        if (auto done = decode_once(nullptr, input); !done) return done;
    }
    sample.phase[k_decode] = now() - start;
    return {};
}

// Out of `source`, or of `input` where there is none.
Result<> FormatSubject::decode_once(ByteSource* source, Bytes input) {
    // Objects are materialised either way.
    if (bench_.materialise && codec_->model() == Model::xml) {
        return source != nullptr ? codec_->decode(*source, tape_) : codec_->decode(input, tape_);
    }
    auto digest = source != nullptr ? codec_->decode(*source) : codec_->decode(input);
    if (!digest) return digest.error();
    decoded_ = *digest;
    return {};
}

Result<> FormatSubject::streamed_run(std::uint32_t batch, measure::Sample& sample) {
    for (std::uint32_t i = 0; i < batch; ++i) {
        if (auto done = streamed_document(sample); !done) {
            transport_failed_ = !bench_.relay->usable();
            return done;
        }
    }
    return {};
}

// One clock reading at each border between phases. What went wrong in the codec is told only when
// the exchange is over: the next row uses the same connection.
Result<> FormatSubject::streamed_document(measure::Sample& sample) {
    RelayConnection& relay = *bench_.relay;
    const measure::Nanoseconds start = now();
    Result<> encoded;
    if (encodes()) {
        const std::size_t size = payload_.size();
        auto begun = decodes() ? relay.begin_echo(size) : relay.begin_sink(size);
        if (!begun) return begun;
        encoded = codec_->encode(document_, relay.outgoing());
    } else if (auto begun = relay.begin_source(key_); !begun) {
        return begun;
    }
    const measure::Nanoseconds sent = now();
    if (encodes()) sample.phase[k_encode] += sent - start;
    if (!decodes()) {
        if (auto done = relay.finish(acknowledged_); !done) return done;
        answered_ = now();
        sample.phase[k_up] += answered_ - sent;
        return encoded;
    }
    const auto source = relay.incoming(answer_);
    if (!source) return source.error();
    answered_ = now();
    sample.phase[k_up] += answered_ - sent;
    const Result<> decoded = decode_once(*source, {});
    sample.phase[k_decode] += now() - answered_;
    if (auto done = relay.finish(answer_); !done) return done;
    return encoded ? decoded : encoded;
}

// Everything that must hold after a run, with the clock stopped.
bool FormatSubject::check() {
    // What was streamed is compared where it arrived.
    if (encodes() && !bench_.stream && !same_bytes(encoded_.view(), payload_.view())) {
        return fail("a timed encode gave other bytes than the verified one");
    }
    if (bench_.relay != nullptr) {
        if (bench_.direction == Direction::encode) {
            if (!acknowledged()) return fail(k_damaged_upwards);
        } else if (!same_bytes(answer_.view(), payload_.view())) {
            return fail("the bytes that came back from the relay are not those that were sent");
        }
    }
    if (decodes()) {
        if (bench_.materialise && codec_->model() == Model::xml) decoded_ = digest_of(tape_);
        if (decoded_ != digest_)
            return fail("a timed decode delivered other events than the verified one");
    }
    return true;
}

}  // namespace perfrelay::client
