#pragma once
// FormatSubject: one row being measured: a codec, a document, a direction, perhaps a relay.
//
// Contract: `prepare` verifies first (declared limits, then decode(encode(document)) equal under
// the codec's fidelity) and says in the row why there will be no time; the codec's first encode and
// decode are the row's cold sample. `run` times phase by phase,
// then, with the clock stopped, compares what came out with what was verified: bytes and digest.
// A row that fails there loses all its times.
// Tested by tests/unit/client/format_subject_test.cpp and tests/integration/planted_faults.py.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/relay_connection.h"
#include "client/report/report.h"
#include "common/measure/schedule.h"
#include "proto/codec/codec.h"

namespace perfrelay::client {

// What all rows of a file share.
struct Bench {
    Direction direction = Direction::both;
    bool materialise = false;          // decode into a tape instead of a digest
    bool stream = false;               // encode into the connection, decode out of it
    RelayConnection* relay = nullptr;  // null: in memory
    std::string lost;                  // why the relay is gone, once it is; nothing is sent then

    // A relay ends sessions that are silent or open for long, and those that store too much.
    std::function<bool()> reconnect;                   // a new session for this one; false: lost
    measure::Nanoseconds renew_at = measure::k_never;  // the session is old then (measure::now())
    measure::Nanoseconds quiet = measure::k_never;     // how long it may be silent
    measure::Nanoseconds used_at = 0;                  // when it was not
    std::vector<const void*> stored;                   // rows whose documents are at the relay
    bool stored_any = false;                           // in this session, of any file
    bool no_memory = false;                            // for a row of this file
    bool store_one = false;  // not all rows' documents have room there at once
};

class FormatSubject final : public measure::Subject {
  public:
    // `document`, `bench` and `row` outlive the subject. `key` names what it stores at the relay.
    FormatSubject(std::unique_ptr<Codec> codec, const Document& document, Bench& bench, Row& row,
                  std::uint32_t key);

    // Untimed, without the relay: verifies. False: there is nothing to time, and row.status and
    // row.why say why.
    bool prepare();

    // Untimed: makes the relay ready for this row, in a decode test by storing the document there.
    // False as above, or the relay is lost.
    bool store();

    bool run(std::uint32_t batch, measure::Sample& sample) override;

    // The encoded document, once `prepare` has verified it.
    Bytes payload() const { return payload_.view(); }

    // After a streamed run over an emulated link: how much after its time the answer's first byte,
    // or the acknowledgement, came.
    measure::Nanoseconds answered_late() const {
        return answered_ - bench_.relay->planned_answer();
    }

  private:
    bool has_model();
    Result<> take_source();
    bool verify();
    Result<> cold_encode();
    Result<> cold_decode(XmlTape& tape);
    bool verify_objects();
    bool run_in_memory(std::uint32_t batch, measure::Sample& sample);
    bool out_of_memory();
    bool cannot(const std::string& doing, const Error& error);
    bool fail(std::string why);
    bool refuse(std::string why);
    bool lose(const Error& error);
    bool lose_transport(const Error& error);
    bool ready();
    bool renewed(measure::Nanoseconds& pause);
    bool store_document();
    Result<> encode_verified();
    Result<> decode_verified(XmlTape& tape);
    Result<Digest> digest_verified();
    Result<> decode_once(ByteSource* source, Bytes input);
    Result<> streamed_run(std::uint32_t batch, measure::Sample& sample);
    Result<> streamed_document(measure::Sample& sample);
    Result<> encode_phase(std::uint32_t batch, measure::Sample& sample);
    Result<> transmit_phase(std::uint32_t batch, measure::Sample& sample);
    Result<> decode_phase(std::uint32_t batch, measure::Sample& sample);
    bool check();
    bool acknowledged() const;

    bool encodes() const { return bench_.direction != Direction::decode; }
    bool decodes() const { return bench_.direction != Direction::encode; }

    std::unique_ptr<Codec> codec_;
    const Document& document_;
    Bench& bench_;
    Row& row_;
    std::uint32_t key_;

    Buffer payload_;  // what was verified
    Digest digest_;   // what decoding it delivers
    measure::Sample cold_;
    Buffer encoded_;  // by the last run
    Buffer answer_;   // from the relay, in the last run
    XmlTape tape_;    // decoded by the last run, when materialising
    Digest decoded_;  // by the last run
    Acknowledgement acknowledged_;
    bool transport_failed_ = false;
    measure::Nanoseconds answered_ = 0;  // by the last streamed run, on the clock of now()
};

}  // namespace perfrelay::client
