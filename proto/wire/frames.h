#pragma once
// The relay protocol's bytes: HELLO, WELCOME, the frame header and the small payloads, encoded and
// decoded. Pure functions, no I/O, no state; the order in which frames may come is the sessions'
// matter (relay/session.h, client/relay_connection.h).
//
// Contract: decode(encode(x)) == x; a decoder takes any bytes and never reads past them; `where` of
// an error names the section of the specification. Integers are big-endian.
// Source: proto/wire/README.md, the specification of the protocol.
// Not here: what AUTH carries (authentication.h).
// Tested by tests/unit/proto/wire/frames_test.cpp, tests/fuzz/fuzz_wire.cpp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/net/shaper.h"

namespace perfrelay::wire {

inline constexpr std::array<std::uint8_t, 4> k_magic = {'P', 'R', 'L', 'Y'};
inline constexpr std::uint8_t k_major = 1;
inline constexpr std::uint8_t k_minor = 0;

inline constexpr std::size_t k_hello_size = 48;
inline constexpr std::size_t k_welcome_size = 80;
inline constexpr std::size_t k_header_size = 24;
inline constexpr std::size_t k_proof_size = 32;
inline constexpr std::size_t k_ping_size = 16;
inline constexpr std::size_t k_source_size = 8;
inline constexpr std::size_t k_acknowledgement_size = 24;
inline constexpr std::size_t k_status_size = 64;
inline constexpr std::size_t k_link_size = 48;
inline constexpr std::size_t k_error_size = 8;          // before the text
inline constexpr std::size_t k_max_error_text = 512;    // bytes
inline constexpr std::uint32_t k_max_repeat = 10'000;   // SOURCE
inline constexpr std::uint32_t k_max_gap = 10'000'000;  // SOURCE, microseconds

// WIRE 2: capability bits. A peer ignores those it does not know.
inline constexpr std::uint32_t k_can_echo = 1U << 0U;
inline constexpr std::uint32_t k_can_cut_through = 1U << 1U;
inline constexpr std::uint32_t k_can_sink = 1U << 2U;
inline constexpr std::uint32_t k_can_source = 1U << 3U;
inline constexpr std::uint32_t k_can_status = 1U << 4U;
inline constexpr std::uint32_t k_can_link = 1U << 5U;
inline constexpr std::uint32_t k_capabilities =
    k_can_echo | k_can_cut_through | k_can_sink | k_can_source | k_can_status | k_can_link;

using Nonce = std::array<std::uint8_t, 32>;
using Proof = std::array<std::uint8_t, k_proof_size>;  // of AUTH

struct Hello {
    std::uint8_t major = k_major;
    std::uint8_t minor = k_minor;
    std::uint16_t flags = 0;
    std::uint32_t capabilities = k_capabilities;
    Nonce nonce{};

    bool operator==(const Hello&) const = default;
};

struct Welcome {
    std::uint8_t major = k_major;
    std::uint8_t minor = k_minor;  // the smaller of the two
    bool auth_required = false;
    std::uint32_t capabilities = k_capabilities;  // those of both
    std::uint64_t max_payload = 0;                // bytes
    std::uint32_t idle_ms = 0;
    std::uint32_t max_session_s = 0;
    std::uint64_t session = 0;
    Nonce nonce{};

    bool operator==(const Welcome&) const = default;
};

enum class FrameType : std::uint8_t {
    // client to relay
    echo = 0x01,
    sink = 0x02,
    put = 0x03,
    source = 0x04,
    ping = 0x05,
    stat = 0x06,
    bye = 0x07,   // both ways
    auth = 0x08,  // both ways, within the handshake only
    link = 0x09,
    // relay to client
    data = 0x11,
    ack = 0x12,
    pong = 0x13,
    status = 0x14,
    error = 0x1f,
};

// WIRE 3: flags. The other bits of a known type must be zero.
inline constexpr std::uint8_t k_flag_store = 0x01;     // ECHO: answer after the last byte
inline constexpr std::uint8_t k_flag_critical = 0x80;  // unknown type: refuse, do not skip

struct FrameHeader {
    FrameType type = FrameType::bye;  // may hold a number that has no name here
    std::uint8_t flags = 0;
    std::uint32_t request = 0;
    std::uint64_t length = 0;  // of the payload, bytes
    std::uint32_t aux = 0;     // PUT, SOURCE: the key

    bool operator==(const FrameHeader&) const = default;
};

struct Source {
    std::uint32_t repeat = 1;  // 1 to k_max_repeat answers
    std::uint32_t gap_us = 0;  // pause between two of them, 0 to k_max_gap

    bool operator==(const Source&) const = default;
};

struct Acknowledgement {
    std::uint64_t bytes = 0;
    std::uint32_t crc32c = 0;
    std::uint32_t read_calls = 0;
    std::uint64_t first_to_last_ns = 0;

    bool operator==(const Acknowledgement&) const = default;
};

struct Status {
    std::uint64_t uptime_ms = 0;
    std::uint32_t sessions = 0;
    std::uint32_t max_sessions = 0;
    std::uint64_t sessions_served = 0;   // since the start, those of now included
    std::uint64_t sessions_refused = 0;  // BUSY, wrong version
    std::uint64_t strangers = 0;         // connections that ended without a valid HELLO
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::uint64_t memory = 0;  // bytes held for payloads and documents now

    bool operator==(const Status&) const = default;
};

// WIRE 6.
enum class ErrorCode : std::uint16_t {
    malformed = 1,
    unsupported_version = 2,
    unsupported_frame = 3,
    too_large = 4,
    storage_full = 5,
    no_such_key = 6,
    busy = 7,
    timed_out = 8,
    shutting_down = 9,
    authentication = 10,
};

struct ErrorFrame {
    ErrorCode code = ErrorCode::malformed;  // may hold a number that has no name here
    std::uint32_t retry_after_ms = 0;       // 0: trying again does not help
    std::string_view text;                  // UTF-8, borrowed; cut at k_max_error_text

    bool operator==(const ErrorFrame&) const = default;
};

std::array<std::uint8_t, k_hello_size> encode(const Hello& hello);
std::array<std::uint8_t, k_welcome_size> encode(const Welcome& welcome);
std::array<std::uint8_t, k_header_size> encode(const FrameHeader& header);
std::array<std::uint8_t, k_source_size> encode(const Source& source);
std::array<std::uint8_t, k_acknowledgement_size> encode(const Acknowledgement& acknowledgement);
std::array<std::uint8_t, k_status_size> encode(const Status& status);
// LINK: how the relay's answers arrive from now on; a rate of 0: as fast as they can. What goes in
// comes out but for `loss`, which is rounded to a billionth.
std::array<std::uint8_t, k_link_size> encode(const net::LinkWay& way);
// The payload alone; at most k_error_size + k_max_error_text bytes are appended.
void encode(const ErrorFrame& error, Buffer& out);

// Each takes exactly its size, decode_error from k_error_size up.
Result<Hello> decode_hello(Bytes bytes);
Result<Welcome> decode_welcome(Bytes bytes);
Result<FrameHeader> decode_header(Bytes bytes);
Result<Source> decode_source(Bytes bytes);
Result<Acknowledgement> decode_acknowledgement(Bytes bytes);
Result<Status> decode_status(Bytes bytes);
Result<net::LinkWay> decode_link(Bytes bytes);
Result<ErrorFrame> decode_error(Bytes bytes);

// WIRE 3: a frame of a type unknown here, and not critical: its receiver reads over it.
bool may_be_skipped(const FrameHeader& header);

// False as soon as `bytes`, the first of a connection, cannot become the magic.
bool may_be_magic(Bytes bytes);

// What the relay holds a request's header against before it reads on.
struct Objection {
    ErrorCode code = ErrorCode::malformed;
    const char* text = "";
};
enum class RequestKind : std::uint8_t { known, to_skip };
struct RequestCheck {
    RequestKind kind = RequestKind::known;
    std::optional<Objection> objection;
};
RequestCheck check_request(const FrameHeader& header, std::uint64_t max_payload);

// "ECHO"; "a frame of unknown type", "unknown" for a number without a name.
std::string_view name(FrameType type);
std::string_view name(ErrorCode code);

}  // namespace perfrelay::wire
