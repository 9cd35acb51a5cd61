#pragma once
// RelayConnection: perfclient's end of one session with a relay, blocking, with a deadline on
// everything. The timed path is plain send and recv: no copy, no CRC, no allocation once the reply
// buffer has grown.
//
// Contract: every call returns within the idle limit agreed with the relay when the peer stops
// making progress; after an error the connection is unusable. CRCs and contents are checked by the
// caller after the clock has stopped.
// Source: proto/wire/README.md.
// Tested by tests/integration/relay_test.cpp.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/base/stream.h"
#include "common/cli/secret.h"
#include "common/measure/clock.h"
#include "common/net/shaper.h"
#include "common/net/tls.h"
#include "proto/wire/frames.h"

namespace perfrelay::client {

struct Address {
    std::string host;  // name or address, IPv6 without brackets
    std::uint16_t port = 0;

    std::string text() const;  // "host2:8000", "[::1]:8000"
};

struct ConnectOptions {
    measure::Nanoseconds resolve_timeout = 10'000'000'000;
    measure::Nanoseconds connect_timeout = 5'000'000'000;  // all addresses of the name together
    measure::Nanoseconds busy_retry = 10'000'000'000;      // while the relay answers BUSY
    bool cut_through = false;                              // ECHO answers while bytes still arrive
    std::shared_ptr<const net::TlsContext> tls = nullptr;  // null: plain
    std::shared_ptr<const Secret> secret = nullptr;  // to prove, and to have proved; null: none
    const std::atomic<int>* stop = nullptr;  // 2: give up at once (a signal interrupts the wait)
};

struct PeerInfo {
    std::string address;  // the one that answered, numeric
    std::uint8_t major = 0;
    std::uint8_t minor = 0;
    std::uint32_t capabilities = 0;    // those of both, WIRE 2
    std::uint64_t max_payload = 0;     // bytes
    measure::Nanoseconds idle = 0;     // it ends a session that is silent for longer
    measure::Nanoseconds longest = 0;  // it ends every session then
    std::uint64_t session = 0;
    std::string tls;                     // "TLS 1.3, ..."; "": plain
    measure::Nanoseconds handshake = 0;  // what TLS took to agree
    bool authenticated = false;          // both know the secret

    // What of these (wire::k_can_...) it cannot do, in words: "SINK"; "" when nothing.
    std::string lacks(std::uint32_t capabilities) const;
};

// Of one exchange: first byte out to first byte of the answer in; first to last byte of the answer.
struct Exchange {
    measure::Nanoseconds up = 0;
    measure::Nanoseconds down = 0;
};

struct Acknowledgement {
    std::uint64_t bytes = 0;
    std::uint32_t crc32c = 0;
};

class RelayConnection {
  public:
    // `why`, on failure, is one line for the user: address tried, what happened, what to do.
    static Result<std::unique_ptr<RelayConnection>> open(const Address& address,
                                                         const ConnectOptions& options,
                                                         std::string& why);
    RelayConnection(const RelayConnection&) = delete;
    RelayConnection& operator=(const RelayConnection&) = delete;
    ~RelayConnection();  // says BYE

    const PeerInfo& peer() const;
    bool usable() const;  // false after an error of the connection

    // From here on requests with a document, and answers with one, travel as over this link, until
    // null says that they travel as they can. `path_rtt`, the connection's own, is part of the
    // link's delay. Asks for k_can_link; a rate of 0 is a direction that carries none.
    Result<> emulate(const net::LinkWays* ways, measure::Nanoseconds path_rtt);

    // Smallest of `count` PING round trips.
    Result<measure::Nanoseconds> ping(int count);

    // What the relay is doing.
    Result<wire::Status> status();

    // Round trip of `payload`; the answer replaces `answer`.
    Result<Exchange> echo(Bytes payload, Buffer& answer);
    // One way up: `up` ends with the acknowledgement of the last byte.
    Result<Exchange> sink(Bytes payload, Acknowledgement& acknowledgement);
    // Stores `payload` under `key` at the relay (untimed), which then plays it back.
    Result<> put(std::uint32_t key, Bytes payload, Acknowledgement& acknowledgement);
    Result<Exchange> source(std::uint32_t key, Buffer& answer);

    // Streamed: a request is begun, its payload of `size` bytes goes into `outgoing` while it is
    // made, and the answer comes out of `incoming` while it is read; its bytes are in `answer` at
    // the end. Then `finish`, whatever happened to the payload's maker or the answer's reader: a
    // payload that was too short is filled up with zeros, an answer that was not read to its end is
    // read over, so that the session can go on.
    Result<> begin_echo(std::size_t size);
    Result<> begin_sink(std::size_t size);
    Result<> begin_source(std::uint32_t key);
    ByteDrain& outgoing();
    // Waits for the first byte of the answer.
    Result<ByteSource*> incoming(Buffer& answer);
    // Over an emulated link: when the answer's first byte, or the acknowledgement, should have
    // come, of the exchange streamed last, on the clock of now().
    measure::Nanoseconds planned_answer() const;
    // After `incoming`; the buffer then holds the whole answer.
    Result<> finish(Buffer& answer);
    // In place of `incoming`, for a sink.
    Result<> finish(Acknowledgement& acknowledgement);

    // What the last failed call met, for the user: "the relay closed the connection (ERROR limit:
    // ...)".
    const std::string& last_error() const;

  private:
    struct State;
    Result<> begin(wire::FrameType type, std::size_t size);
    explicit RelayConnection(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace perfrelay::client
