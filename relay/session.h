#pragma once
// Session: one client's conversation as a state machine without I/O. Whoever owns it reads into
// input(), tells received(), writes output(), tells sent(), and closes when it says so. So the same
// code runs over a socket (relay/connection.h), in a unit test and under the fuzzer.
//
//   hello [-> auth [-> tarpit]] -> header                  AUTH when the relay has a secret
//            header -> payload -> answer -> header ...     ECHO in store form, SINK, PUT, SOURCE
//                  \-> through ----------> header          ECHO cut-through: both ways at once
//   any -> closing (an ERROR or BYE to flush, then read a little, then close) or closed (at once)
//
// Contract: any bytes in any portions; memory is bounded by Limits and taken as bytes arrive. No
// byte of output exists before a valid HELLO. Time is the host's coarse clock, so a deadline may
// come up to one of its ticks late.
// Source: proto/wire/README.md.
// After a LINK, answers of type DATA are held back: output() shows what is due to have arrived over
// that link, paused_until() says when more is.
// Tested by tests/unit/relay/session_test.cpp, tests/fuzz/fuzz_wire.cpp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/cli/secret.h"
#include "common/measure/clock.h"
#include "common/net/shaper.h"
#include "proto/wire/frames.h"
#include "relay/limits.h"
#include "relay/memory.h"

namespace perfrelay::relay {

// What a session did, for the log and for STATUS.
struct Tally {
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::uint64_t echo = 0;
    std::uint64_t sink = 0;
    std::uint64_t put = 0;
    std::uint64_t source = 0;
    std::uint64_t ping = 0;

    Tally& operator+=(const Tally& more) {
        bytes_in += more.bytes_in;
        bytes_out += more.bytes_out;
        echo += more.echo;
        sink += more.sink;
        put += more.put;
        source += more.source;
        ping += more.ping;
        return *this;
    }
    // What has come since it was `before`.
    Tally since(const Tally& before) const {
        return {bytes_in - before.bytes_in, bytes_out - before.bytes_out,
                echo - before.echo,         sink - before.sink,
                put - before.put,           source - before.source,
                ping - before.ping};
    }
};

class Session {
  public:
    // The relay around it.
    class Host {
      public:
        struct Verdict {
            std::uint64_t id = 0;  // 0: refused as busy, for the reason in `text`
            std::uint32_t retry_after_ms = 0;
            std::string text;
        };
        virtual ~Host() = default;
        virtual Verdict admit() = 0;  // asked once, after a valid HELLO, and AUTH if need be
        // What a client has to prove that it knows; null: nothing.
        virtual std::shared_ptr<const Secret> secret() { return nullptr; }
        virtual wire::Nonce nonce() = 0;
        virtual wire::Status status() = 0;
        virtual void reclaim() = 0;  // give back what idle sessions hold on to
        virtual measure::Nanoseconds coarse_now() const = 0;
    };

    Session(const Limits& limits, MemoryBudget& budget, Host& host);

    // Where the next bytes go; empty while it does not want any. Valid until the next call other
    // than output() and sent().
    std::span<std::uint8_t> input();
    void received(std::size_t count);
    // The peer will send no more.
    void input_ended();

    // What is to be sent next, in this order; all empty when there is nothing.
    using Output = std::array<Bytes, 3>;
    Output output() const;
    void sent(std::size_t count);

    // Not 0: nothing to send before that time, measure::now(); then call pause_over(). It may still
    // want input.
    measure::Nanoseconds paused_until() const;
    void pause_over();

    // Looks at the deadlines. True when one has passed: the session has moved on, look at it again.
    bool expire(measure::Nanoseconds now);
    // Bytes it was handed are still reaching the peer: that is progress, too.
    void draining(measure::Nanoseconds now) { last_progress_ = now; }
    measure::Nanoseconds silent(measure::Nanoseconds now) const { return now - last_progress_; }
    // The relay goes: BYE now or after the running request. True when the session has moved on.
    bool shut_down();
    // The connection is to be closed at once, for this reason.
    void abandon(std::string reason);
    // Gives back buffers kept warm for the next request, when idle for long (or `at_once`).
    void trim(measure::Nanoseconds now, bool at_once);

    bool admitted() const { return id_ != 0; }
    bool authenticated() const { return admitted() && authenticated_; }
    bool forged() const { return forged_; }                    // it offered a proof that was none
    bool closing() const { return phase_ == Phase::closing; }  // once output() is sent: linger
    bool closed() const { return phase_ == Phase::closed; }
    std::uint64_t id() const { return id_; }
    std::uint8_t peer_minor() const { return hello_.minor; }
    const Tally& tally() const { return tally_; }
    const std::string& outcome() const { return outcome_; }  // "ok", or what went wrong
    measure::Nanoseconds started() const { return started_; }

  private:
    enum class Phase : std::uint8_t {
        hello,
        auth,
        tarpit,
        header,
        payload,
        through,
        answer,
        pause,
        closing,
        closed
    };
    enum class Target : std::uint8_t { store, document, sink, control, skip };
    struct Document {
        std::uint32_t key = 0;
        std::size_t size = 0;
        Block block;
    };
    // Memory of a client that goes on: kept for its next request while it is not idle.
    static constexpr std::size_t k_small = std::size_t{16} << 10U;  // read-ahead buffer
    static constexpr std::size_t k_step = std::size_t{64} << 10U;   // first size of a payload
    static constexpr std::size_t k_ring = std::size_t{256} << 10U;  // cut-through; scratch of SINK
    static constexpr std::size_t k_most_ring = std::size_t{16} << 20U;  // over an emulated link

    // session.cpp: bytes in and out.
    std::span<std::uint8_t> small_room();
    std::span<std::uint8_t> payload_room();
    std::span<std::uint8_t> ring_room();
    bool take_hello(std::size_t count);
    void take_auth(std::size_t count);
    void pump();
    void take_header();
    std::size_t take_payload(Bytes bytes);
    void payload_arrived(std::size_t count);
    bool make_room(Block& block, std::uint64_t filled);
    bool make_ring(std::size_t size);
    void ring_sent(std::size_t count);

    // session_requests.cpp: what the frames mean.
    void greet();
    void check_auth(const wire::FrameHeader& header, Bytes proof);
    bool admitted_by_host();
    void begin(const wire::FrameHeader& header);
    void begin_put();
    void finish_payload();
    void acknowledge();
    void finish_control();
    void begin_source();
    void set_link();
    void pace(std::size_t bytes);
    void queue_document();
    void queue(wire::FrameType type, Bytes payload);
    void answered();
    void next_request();
    void refuse(wire::ErrorCode code, std::string text, std::uint32_t retry_after_ms = 0);
    Document* find(std::uint32_t key);

    Limits limits_;
    MemoryBudget& budget_;
    Host& host_;
    Phase phase_ = Phase::hello;
    Target target_ = Target::skip;
    measure::Nanoseconds started_;
    measure::Nanoseconds last_progress_;
    measure::Nanoseconds pause_end_ = 0;
    bool leaving_ = false;  // BYE as soon as the running request is answered
    bool direct_ = false;   // input() went past the read-ahead buffer

    // Input.
    std::array<std::uint8_t, wire::k_header_size + wire::k_proof_size> greeting_{};
    std::size_t greeting_size_ = 0;  // of HELLO, then of AUTH
    wire::Hello hello_;
    wire::Proof expected_{};  // of the client, and ours in return
    wire::Proof ours_{};
    bool forged_ = false;
    bool authenticated_ = false;
    std::unique_ptr<std::uint8_t[]> small_;
    std::size_t small_begin_ = 0;
    std::size_t small_end_ = 0;

    // The running request.
    wire::FrameHeader request_;
    std::uint64_t arrived_ = 0;  // of its payload
    std::uint32_t crc_ = 0;
    std::uint32_t read_calls_ = 0;
    measure::Nanoseconds first_byte_ = 0;
    measure::Nanoseconds last_byte_ = 0;
    std::array<std::uint8_t, wire::k_link_size> control_{};  // the largest of them
    wire::Source source_;
    Block store_;
    Block ring_;
    std::size_t ring_room_ = k_ring;  // of ring_, how much cut-through uses
    std::size_t ring_begin_ = 0;      // first byte not yet sent
    std::size_t ring_size_ = 0;

    // Output.
    Buffer head_;
    std::size_t head_sent_ = 0;
    Bytes body_;
    std::unique_ptr<net::Pacer> pacer_;  // of the last LINK; null: answers are not held back
    bool paced_ = false;                 // the answer of now is

    std::vector<Document> documents_;
    std::uint64_t stored_ = 0;
    std::uint64_t id_ = 0;
    Tally tally_;
    std::string outcome_;
};

}  // namespace perfrelay::relay
