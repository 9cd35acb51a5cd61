#include "proto/wire/frames.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "common/base/crc32c.h"

// WIRE 2 and 3, every integer big-endian:
//   hello   := magic major:u8 minor:u8 flags:u16 capabilities:u32 nonce[32] zero:u32
//   welcome := magic major:u8 minor:u8 auth:u8 zero:u8 capabilities:u32 max_payload:u64 idle_ms:u32
//              max_session_s:u32 session:u64 nonce[32] zero[12]
//   header  := type:u8 flags:u8 zero:u16 request:u32 length:u64 crc32c:u32 aux:u32
// the CRC being that of the header's other twenty bytes in their order.

namespace perfrelay::wire {
namespace {

constexpr std::size_t k_crc_at = 16;
constexpr std::size_t k_aux_at = 20;
constexpr double k_billion = 1e9;
constexpr unsigned k_link_cold = 1;
constexpr unsigned k_link_handshake = 2;

class Writer {
  public:
    explicit Writer(std::span<std::uint8_t> out) : out_(out) {}

    template <class T>
    void put(T value) {
        assert(out_.size() - at_ >= sizeof(T));
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            out_[at_ + i] = static_cast<std::uint8_t>(value >> (8U * (sizeof(T) - 1 - i)));
        }
        at_ += sizeof(T);
    }
    void put(Bytes bytes) {
        assert(out_.size() - at_ >= bytes.size());
        std::memcpy(out_.data() + at_, bytes.data(), bytes.size());
        at_ += bytes.size();
    }

  private:
    std::span<std::uint8_t> out_;
    std::size_t at_ = 0;
};

Nonce read_nonce(Reader& in) {
    Nonce nonce{};
    const Bytes bytes = in.bytes(nonce.size());
    if (bytes.size() == nonce.size()) std::memcpy(nonce.data(), bytes.data(), nonce.size());
    return nonce;
}

std::uint32_t header_crc(Bytes header) {
    return crc32c(header.subspan(k_aux_at, 4), crc32c(header.first(k_crc_at)));
}

Error malformed(const char* where) {
    return {.code = Errc::malformed, .where = where};
}
Error truncated(const char* where) {
    return {.code = Errc::truncated, .where = where};
}

struct Rule {
    FrameType type;
    std::uint8_t flags;  // those allowed besides critical
    bool sized;          // the length must be `size`
    std::uint64_t size;
};
constexpr std::array<Rule, 8> k_requests = {{
    {FrameType::echo, k_flag_store, false, 0},
    {FrameType::sink, 0, false, 0},
    {FrameType::put, 0, false, 0},
    {FrameType::source, 0, true, k_source_size},
    {FrameType::ping, 0, true, k_ping_size},
    {FrameType::stat, 0, true, 0},
    {FrameType::bye, 0, true, 0},
    {FrameType::link, 0, true, k_link_size},
}};

bool only_relay_sends(FrameType type) {
    return type == FrameType::data || type == FrameType::ack || type == FrameType::pong ||
           type == FrameType::status || type == FrameType::error;
}

}  // namespace

std::array<std::uint8_t, k_hello_size> encode(const Hello& hello) {
    std::array<std::uint8_t, k_hello_size> bytes{};
    Writer out(bytes);
    out.put(Bytes(k_magic));
    out.put(hello.major);
    out.put(hello.minor);
    out.put(hello.flags);
    out.put(hello.capabilities);
    out.put(Bytes(hello.nonce));
    return bytes;
}

std::array<std::uint8_t, k_welcome_size> encode(const Welcome& welcome) {
    std::array<std::uint8_t, k_welcome_size> bytes{};
    Writer out(bytes);
    out.put(Bytes(k_magic));
    out.put(welcome.major);
    out.put(welcome.minor);
    out.put(static_cast<std::uint8_t>(welcome.auth_required ? 1 : 0));
    out.put(std::uint8_t{0});
    out.put(welcome.capabilities);
    out.put(welcome.max_payload);
    out.put(welcome.idle_ms);
    out.put(welcome.max_session_s);
    out.put(welcome.session);
    out.put(Bytes(welcome.nonce));
    return bytes;
}

std::array<std::uint8_t, k_header_size> encode(const FrameHeader& header) {
    std::array<std::uint8_t, k_header_size> bytes{};
    Writer out(bytes);
    out.put(static_cast<std::uint8_t>(header.type));
    out.put(header.flags);
    out.put(std::uint16_t{0});
    out.put(header.request);
    out.put(header.length);
    out.put(std::uint32_t{0});
    out.put(header.aux);
    Writer(std::span(bytes).subspan(k_crc_at)).put(header_crc(bytes));
    return bytes;
}

std::array<std::uint8_t, k_source_size> encode(const Source& source) {
    std::array<std::uint8_t, k_source_size> bytes{};
    Writer out(bytes);
    out.put(source.repeat);
    out.put(source.gap_us);
    return bytes;
}

std::array<std::uint8_t, k_acknowledgement_size> encode(const Acknowledgement& acknowledgement) {
    std::array<std::uint8_t, k_acknowledgement_size> bytes{};
    Writer out(bytes);
    out.put(acknowledgement.bytes);
    out.put(acknowledgement.crc32c);
    out.put(acknowledgement.read_calls);
    out.put(acknowledgement.first_to_last_ns);
    return bytes;
}

std::array<std::uint8_t, k_status_size> encode(const Status& status) {
    std::array<std::uint8_t, k_status_size> bytes{};
    Writer out(bytes);
    out.put(status.uptime_ms);
    out.put(status.sessions);
    out.put(status.max_sessions);
    out.put(status.sessions_served);
    out.put(status.sessions_refused);
    out.put(status.strangers);
    out.put(status.bytes_in);
    out.put(status.bytes_out);
    out.put(status.memory);
    return bytes;
}

std::array<std::uint8_t, k_link_size> encode(const net::LinkWay& way) {
    std::array<std::uint8_t, k_link_size> bytes{};
    Writer out(bytes);
    out.put(way.rate);
    out.put(static_cast<std::uint64_t>(way.delay));
    out.put(static_cast<std::uint64_t>(way.rtt));
    out.put(static_cast<std::uint64_t>(way.jitter));
    out.put(static_cast<std::uint32_t>(std::lround(way.loss * k_billion)));
    out.put(static_cast<std::uint16_t>(way.overhead));
    out.put(static_cast<std::uint16_t>((way.cold ? k_link_cold : 0U) |
                                       (way.handshake ? k_link_handshake : 0U)));
    out.put(way.seed);
    return bytes;
}

void encode(const ErrorFrame& error, Buffer& out) {
    out.u16(static_cast<std::uint16_t>(error.code));
    out.u16(0);
    out.u32(error.retry_after_ms);
    out.append(error.text.substr(0, k_max_error_text));
}

Result<Hello> decode_hello(Bytes bytes) {
    if (bytes.size() < k_hello_size) return truncated("WIRE 2: HELLO ends early");
    if (bytes.size() > k_hello_size) return malformed("WIRE 2: HELLO is 48 bytes");
    if (!may_be_magic(bytes)) return malformed("WIRE 2: magic");
    Reader in(bytes.subspan(k_magic.size()));
    Hello hello;
    hello.major = in.u8();
    hello.minor = in.u8();
    hello.flags = in.u16();
    hello.capabilities = in.u32();
    hello.nonce = read_nonce(in);
    // Only of our own version do we know that these bytes are zero.
    if (in.u32() != 0 && hello.major == k_major) return malformed("WIRE 2: HELLO, reserved bytes");
    return hello;
}

Result<Welcome> decode_welcome(Bytes bytes) {
    if (bytes.size() < k_welcome_size) return truncated("WIRE 2: WELCOME ends early");
    if (bytes.size() > k_welcome_size) return malformed("WIRE 2: WELCOME is 80 bytes");
    if (!may_be_magic(bytes)) return malformed("WIRE 2: magic");
    Reader in(bytes.subspan(k_magic.size()));
    Welcome welcome;
    welcome.major = in.u8();
    welcome.minor = in.u8();
    const std::uint8_t auth = in.u8();
    const std::uint8_t zero = in.u8();
    welcome.auth_required = auth != 0;
    welcome.capabilities = in.u32();
    welcome.max_payload = in.u64();
    welcome.idle_ms = in.u32();
    welcome.max_session_s = in.u32();
    welcome.session = in.u64();
    welcome.nonce = read_nonce(in);
    const Bytes padding = in.bytes(12);
    if (auth > 1 || zero != 0 ||
        std::any_of(padding.begin(), padding.end(), [](std::uint8_t byte) { return byte != 0; })) {
        return malformed("WIRE 2: WELCOME, reserved bytes");
    }
    if (welcome.major != k_major) {
        return Error{.code = Errc::unsupported, .where = "WIRE 2: WELCOME of another version"};
    }
    return welcome;
}

Result<FrameHeader> decode_header(Bytes bytes) {
    if (bytes.size() < k_header_size) return truncated("WIRE 3: header ends early");
    if (bytes.size() > k_header_size) return malformed("WIRE 3: a header is 24 bytes");
    Reader in(bytes);
    FrameHeader header;
    header.type = static_cast<FrameType>(in.u8());
    header.flags = in.u8();
    const std::uint16_t zero = in.u16();
    header.request = in.u32();
    header.length = in.u64();
    const std::uint32_t crc = in.u32();
    header.aux = in.u32();
    if (crc != header_crc(bytes)) return malformed("WIRE 3: header CRC");
    if (zero != 0) return malformed("WIRE 3: header, reserved bytes");
    return header;
}

Result<Source> decode_source(Bytes bytes) {
    if (bytes.size() != k_source_size) return malformed("WIRE 4: SOURCE is 8 bytes");
    Reader in(bytes);
    Source source;
    source.repeat = in.u32();
    source.gap_us = in.u32();
    if (source.repeat == 0 || source.repeat > k_max_repeat) {
        return malformed("WIRE 4: SOURCE repeats 1 to 10000 times");
    }
    if (source.gap_us > k_max_gap) return malformed("WIRE 4: SOURCE pauses at most 10 s");
    return source;
}

Result<Acknowledgement> decode_acknowledgement(Bytes bytes) {
    if (bytes.size() != k_acknowledgement_size) return malformed("WIRE 4: ACK is 24 bytes");
    Reader in(bytes);
    Acknowledgement acknowledgement;
    acknowledgement.bytes = in.u64();
    acknowledgement.crc32c = in.u32();
    acknowledgement.read_calls = in.u32();
    acknowledgement.first_to_last_ns = in.u64();
    return acknowledgement;
}

Result<Status> decode_status(Bytes bytes) {
    if (bytes.size() != k_status_size) return malformed("WIRE 4: STATUS is 64 bytes");
    Reader in(bytes);
    Status status;
    status.uptime_ms = in.u64();
    status.sessions = in.u32();
    status.max_sessions = in.u32();
    status.sessions_served = in.u64();
    status.sessions_refused = in.u64();
    status.strangers = in.u64();
    status.bytes_in = in.u64();
    status.bytes_out = in.u64();
    status.memory = in.u64();
    return status;
}

// WIRE 4: within what can be emulated.
Result<net::LinkWay> decode_link(Bytes bytes) {
    constexpr std::uint64_t k_longest = 120'000'000'000;  // ns
    constexpr std::uint32_t k_most_loss = 500'000'000;
    constexpr std::uint16_t k_most_overhead = 1000;
    if (bytes.size() != k_link_size) return malformed("WIRE 4: LINK is 48 bytes");
    Reader in(bytes);
    const std::uint64_t rate = in.u64();
    const std::uint64_t delay = in.u64();
    const std::uint64_t rtt = in.u64();
    const std::uint64_t jitter = in.u64();
    const std::uint32_t loss = in.u32();
    const std::uint16_t overhead = in.u16();
    const std::uint16_t flags = in.u16();
    const std::uint64_t seed = in.u64();
    if (rate > net::k_fastest_emulated) return malformed("WIRE 4: LINK, faster than 500 Mbit/s");
    if (std::max({delay, rtt, jitter}) > k_longest) return malformed("WIRE 4: LINK, above 120 s");
    if (loss > k_most_loss) return malformed("WIRE 4: LINK, more than half is lost");
    if (overhead > k_most_overhead) return malformed("WIRE 4: LINK, headers above 1000 bytes");
    if ((flags & ~(k_link_cold | k_link_handshake)) != 0) return malformed("WIRE 4: LINK, flags");
    return net::LinkWay{.rate = rate,
                        .delay = static_cast<measure::Nanoseconds>(delay),
                        .rtt = static_cast<measure::Nanoseconds>(rtt),
                        .jitter = static_cast<measure::Nanoseconds>(jitter),
                        .loss = loss / k_billion,
                        .overhead = overhead,
                        .cold = (flags & k_link_cold) != 0,
                        .handshake = (flags & k_link_handshake) != 0,
                        .seed = seed};
}

Result<ErrorFrame> decode_error(Bytes bytes) {
    if (bytes.size() < k_error_size) return truncated("WIRE 6: ERROR ends early");
    if (bytes.size() > k_error_size + k_max_error_text) return malformed("WIRE 6: ERROR too long");
    Reader in(bytes);
    ErrorFrame error;
    error.code = static_cast<ErrorCode>(in.u16());
    if (in.u16() != 0) return malformed("WIRE 6: ERROR, reserved bytes");
    error.retry_after_ms = in.u32();
    error.text = as_text(in.bytes(in.remaining()));
    return error;
}

bool may_be_skipped(const FrameHeader& header) {
    const bool known = only_relay_sends(header.type) ||
                       std::any_of(k_requests.begin(), k_requests.end(),
                                   [&](const Rule& rule) { return rule.type == header.type; });
    return !known && (header.flags & k_flag_critical) == 0;
}

bool may_be_magic(Bytes bytes) {
    const std::size_t size = std::min(bytes.size(), k_magic.size());
    return std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size),
                      k_magic.begin());
}

RequestCheck check_request(const FrameHeader& header, std::uint64_t max_payload) {
    RequestCheck check;
    const auto* const rule =
        std::find_if(k_requests.begin(), k_requests.end(),
                     [&](const Rule& candidate) { return candidate.type == header.type; });
    if (header.length > max_payload) {
        check.objection = {ErrorCode::too_large, "the payload is larger than this relay takes"};
    } else if (only_relay_sends(header.type)) {
        check.objection = {ErrorCode::malformed, "a frame that only a relay sends"};
    } else if (header.type == FrameType::auth) {
        check.objection = {ErrorCode::malformed, "AUTH after the handshake"};
    } else if (rule == k_requests.end()) {
        check.kind = RequestKind::to_skip;
        if ((header.flags & k_flag_critical) != 0) {
            check.objection = {ErrorCode::unsupported_frame, "a critical frame of unknown type"};
        }
    } else if ((header.flags & ~(rule->flags | k_flag_critical)) != 0) {
        check.objection = {ErrorCode::malformed, "a flag that its frame does not have"};
    } else if (rule->sized && header.length != rule->size) {
        check.objection = {ErrorCode::malformed, "a length that its frame cannot have"};
    }
    return check;
}

std::string_view name(FrameType type) {
    switch (type) {
        case FrameType::echo: return "ECHO";
        case FrameType::sink: return "SINK";
        case FrameType::put: return "PUT";
        case FrameType::source: return "SOURCE";
        case FrameType::ping: return "PING";
        case FrameType::stat: return "STAT";
        case FrameType::bye: return "BYE";
        case FrameType::link: return "LINK";
        case FrameType::auth: return "AUTH";
        case FrameType::data: return "DATA";
        case FrameType::ack: return "ACK";
        case FrameType::pong: return "PONG";
        case FrameType::status: return "STATUS";
        case FrameType::error: return "ERROR";
    }
    return "a frame of unknown type";
}

std::string_view name(ErrorCode code) {
    switch (code) {
        case ErrorCode::malformed: return "malformed";
        case ErrorCode::unsupported_version: return "unsupported version";
        case ErrorCode::unsupported_frame: return "unsupported frame";
        case ErrorCode::too_large: return "too large";
        case ErrorCode::storage_full: return "storage full";
        case ErrorCode::no_such_key: return "no such key";
        case ErrorCode::busy: return "busy";
        case ErrorCode::timed_out: return "timed out";
        case ErrorCode::shutting_down: return "shutting down";
        case ErrorCode::authentication: return "authentication";
    }
    return "unknown";
}

}  // namespace perfrelay::wire
