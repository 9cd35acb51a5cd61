// What the frames of a session mean: greeting, requests, answers.
#include <algorithm>
#include <cassert>
#include <utility>

#include "proto/wire/authentication.h"
#include "relay/session.h"

namespace perfrelay::relay {

using wire::ErrorCode;
using wire::FrameHeader;
using wire::FrameType;

namespace {

std::uint32_t in_32_bits(measure::Nanoseconds value) {
    return static_cast<std::uint32_t>(std::min<measure::Nanoseconds>(value, 0xffff'ffff));
}

}  // namespace

// WIRE 2: HELLO is there and valid.
void Session::greet() {
    if (hello_.major != wire::k_major) {
        return refuse(ErrorCode::unsupported_version,
                      "this relay speaks version " + std::to_string(wire::k_major) + "." +
                          std::to_string(wire::k_minor) + ", the client " +
                          std::to_string(hello_.major) + "." + std::to_string(hello_.minor));
    }
    const auto secret = host_.secret();
    if (secret == nullptr && !admitted_by_host()) return;
    const auto welcome = wire::encode(wire::Welcome{
        .minor = std::min(hello_.minor, wire::k_minor),
        .auth_required = secret != nullptr,
        .capabilities = hello_.capabilities & wire::k_capabilities,
        .max_payload = limits_.max_payload,
        .idle_ms = in_32_bits(limits_.idle / 1'000'000),
        .max_session_s = in_32_bits(limits_.session / 1'000'000'000),
        .session = id_,
        .nonce = host_.nonce(),
    });
    head_.append(welcome);
    if (secret == nullptr) {
        phase_ = Phase::answer;
        return;
    }
    const Bytes hello = Bytes(greeting_).first(wire::k_hello_size);
    expected_ = wire::prove(secret->bytes(), wire::Side::client, hello, welcome);
    ours_ = wire::prove(secret->bytes(), wire::Side::relay, hello, welcome);
    greeting_size_ = 0;
    phase_ = Phase::auth;
}

// A place among the sessions; without one it is told so.
bool Session::admitted_by_host() {
    const Host::Verdict verdict = host_.admit();
    if (verdict.id == 0) {
        refuse(ErrorCode::busy, verdict.text, verdict.retry_after_ms);
        return false;
    }
    id_ = verdict.id;
    small_ = std::make_unique<std::uint8_t[]>(k_small);
    return true;
}

// WIRE 2: AUTH is there.
void Session::check_auth(const FrameHeader& header, Bytes proof) {
    request_.request = header.request;
    if (!wire::same(expected_, proof)) {
        // Guessing costs a second a guess.
        forged_ = true;
        phase_ = Phase::tarpit;
        pause_end_ = measure::now() + limits_.tarpit;
        return;
    }
    if (!admitted_by_host()) return;
    authenticated_ = true;
    head_.append(wire::encode(
        FrameHeader{.type = FrameType::auth, .request = header.request, .length = ours_.size()}));
    head_.append(Bytes(ours_));
    request_ = {};
    phase_ = Phase::answer;
}

// WIRE 4: a request's header has come.
void Session::begin(const FrameHeader& header) {
    request_ = header;
    arrived_ = 0;
    crc_ = 0;
    read_calls_ = 0;
    first_byte_ = 0;
    last_byte_ = 0;
    const wire::RequestCheck check = wire::check_request(header, limits_.max_payload);
    if (check.objection) {
        std::string text = check.objection->text;
        if (check.objection->code == ErrorCode::too_large) {
            text += ": " + std::to_string(header.length) + " bytes, at most " +
                    std::to_string(limits_.max_payload);
        }
        return refuse(check.objection->code, std::move(text));
    }
    phase_ = Phase::payload;
    target_ = Target::skip;
    if (check.kind == wire::RequestKind::to_skip) return;
    switch (header.type) {
        case FrameType::echo:
            ++tally_.echo;
            if ((header.flags & wire::k_flag_store) != 0) {
                target_ = Target::store;
                return;
            }
            if (!make_ring(ring_room_)) return;
            ring_begin_ = 0;
            ring_size_ = 0;
            phase_ = Phase::through;
            head_.clear();
            head_sent_ = 0;
            head_.append(wire::encode(FrameHeader{
                .type = FrameType::data, .request = header.request, .length = header.length}));
            pace(head_.size());
            return;
        case FrameType::sink:
            ++tally_.sink;
            target_ = Target::sink;
            return;
        case FrameType::put: ++tally_.put; return begin_put();
        case FrameType::source:
        case FrameType::link:
        case FrameType::ping: target_ = Target::control; return;
        case FrameType::stat: return;
        case FrameType::bye: return abandon("ok");
        case FrameType::auth:
        case FrameType::data:
        case FrameType::ack:
        case FrameType::pong:
        case FrameType::status:
        case FrameType::error: return;  // check_request has refused them
    }
}

void Session::begin_put() {
    // A document of the same key makes way at once, so that the bounds hold at every moment.
    if (const Document* old = find(request_.aux); old != nullptr) {
        stored_ -= old->size;
        documents_.erase(documents_.begin() + (old - documents_.data()));
    }
    if (documents_.size() >= limits_.max_documents) {
        return refuse(
            ErrorCode::storage_full,
            "a session stores at most " + std::to_string(limits_.max_documents) + " documents");
    }
    if (request_.length > limits_.max_stored - stored_) {
        return refuse(ErrorCode::storage_full,
                      "a session stores at most " + std::to_string(limits_.max_stored) + " bytes");
    }
    target_ = Target::document;
    stored_ += request_.length;
    documents_.push_back({.key = request_.aux,
                          .size = static_cast<std::size_t>(request_.length),
                          .block = Block(budget_)});
}

Session::Document* Session::find(std::uint32_t key) {
    const auto found = std::find_if(documents_.begin(), documents_.end(),
                                    [&](const Document& each) { return each.key == key; });
    return found == documents_.end() ? nullptr : &*found;
}

// The last byte of a payload has come.
void Session::finish_payload() {
    switch (target_) {
        case Target::store:
            queue(FrameType::data, {store_.data(), static_cast<std::size_t>(request_.length)});
            return;
        case Target::document:
        case Target::sink: return acknowledge();
        case Target::control: return finish_control();
        case Target::skip:
            if (request_.type == FrameType::stat) {
                const auto status = wire::encode(host_.status());
                return queue(FrameType::status, status);
            }
            return next_request();
    }
}

void Session::finish_control() {
    if (request_.type == FrameType::link) return set_link();
    if (request_.type == FrameType::ping) {
        ++tally_.ping;
        return queue(FrameType::pong, Bytes(control_).first(wire::k_ping_size));
    }
    ++tally_.source;
    begin_source();
}

void Session::set_link() {
    const auto way = wire::decode_link(Bytes(control_).first(wire::k_link_size));
    if (!way) return refuse(ErrorCode::malformed, way.error().where);
    ring_room_ = k_ring;
    pacer_.reset();
    if (way->rate != 0) {
        ring_room_ = std::clamp(net::queue_bound(*way), k_ring, k_most_ring);
        pacer_ = std::make_unique<net::Pacer>(*way);
    }
    next_request();
}

// An answer begins of which `bytes` are there.
void Session::pace(std::size_t bytes) {
    paced_ = pacer_ != nullptr;
    if (!paced_) return;
    const measure::Nanoseconds now = measure::now();
    pacer_->begin(now);
    pacer_->offer(bytes, now);
    pacer_->release(now);
}

void Session::begin_source() {
    const auto source = wire::decode_source(Bytes(control_).first(wire::k_source_size));
    if (!source) return refuse(ErrorCode::malformed, source.error().where);
    if (find(request_.aux) == nullptr) {
        return refuse(ErrorCode::no_such_key,
                      "no document is stored under key " + std::to_string(request_.aux));
    }
    source_ = *source;
    queue_document();
}

void Session::queue_document() {
    const Document* document = find(request_.aux);
    assert(document != nullptr);
    --source_.repeat;
    queue(FrameType::data, {document->block.data(), document->size});
}

// A frame answering the running request. Small payloads are copied behind the header, others are
// borrowed until they are sent.
void Session::queue(FrameType type, Bytes payload) {
    head_.clear();
    head_sent_ = 0;
    head_.append(wire::encode(
        FrameHeader{.type = type, .request = request_.request, .length = payload.size()}));
    body_ = {};
    if (payload.size() <= wire::k_status_size) {
        head_.append(payload);
    } else {
        body_ = payload;
    }
    phase_ = Phase::answer;
    if (type == FrameType::data) pace(head_.size() + body_.size());
}

void Session::answered() {
    paced_ = false;
    if (request_.type == FrameType::source && source_.repeat != 0) {
        if (source_.gap_us == 0) return queue_document();
        phase_ = Phase::pause;
        pause_end_ = measure::now() + measure::Nanoseconds{source_.gap_us} * 1000;
        return;
    }
    next_request();
    pump();
}

void Session::pause_over() {
    if (phase_ == Phase::tarpit) {
        return refuse(ErrorCode::authentication, "the secret is not this relay's");
    }
    const measure::Nanoseconds until = paused_until();
    if (until == 0) return;
    last_progress_ = host_.coarse_now();
    if (phase_ == Phase::pause) return queue_document();
    pacer_->release(std::max(until, measure::now()));
}

void Session::next_request() {
    phase_ = Phase::header;
    source_.repeat = 0;
    head_.clear();
    head_sent_ = 0;
    body_ = {};
    paced_ = false;
    if (!leaving_) return;
    request_ = {};
    queue(FrameType::bye, {});
    outcome_ = "the relay was stopped";
    last_progress_ = host_.coarse_now();
    phase_ = Phase::closing;
}

void Session::refuse(ErrorCode code, std::string text, std::uint32_t retry_after_ms) {
    if (phase_ == Phase::through || phase_ == Phase::answer) return abandon(std::move(text));
    Buffer payload;
    wire::encode(wire::ErrorFrame{.code = code, .retry_after_ms = retry_after_ms, .text = text},
                 payload);
    head_.clear();
    head_sent_ = 0;
    body_ = {};
    head_.append(wire::encode(FrameHeader{
        .type = FrameType::error, .request = request_.request, .length = payload.size()}));
    head_.append(payload.view());
    outcome_ = std::string(wire::name(code)) + ": " + text;
    last_progress_ = host_.coarse_now();
    phase_ = Phase::closing;
}

void Session::acknowledge() {
    const auto bytes = wire::encode(wire::Acknowledgement{
        .bytes = arrived_,
        .crc32c = crc_,
        .read_calls = read_calls_,
        .first_to_last_ns = static_cast<std::uint64_t>(last_byte_ - first_byte_)});
    queue(FrameType::ack, bytes);
}

}  // namespace perfrelay::relay
