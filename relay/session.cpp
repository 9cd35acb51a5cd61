#include "relay/session.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "common/base/crc32c.h"

namespace perfrelay::relay {

Session::Session(const Limits& limits, MemoryBudget& budget, Host& host)
    : limits_(limits),
      budget_(budget),
      host_(host),
      started_(host.coarse_now()),
      last_progress_(started_),
      store_(budget),
      ring_(budget) {}

std::span<std::uint8_t> Session::input() {
    direct_ = false;
    switch (phase_) {
        case Phase::hello:
            return std::span(greeting_).first(wire::k_hello_size).subspan(greeting_size_);
        case Phase::auth: return std::span(greeting_).subspan(greeting_size_);
        case Phase::header: return small_room();
        case Phase::payload:
            if (target_ == Target::control) return small_room();
            direct_ = true;
            return payload_room();
        case Phase::through: direct_ = true; return ring_room();
        case Phase::tarpit:
        case Phase::answer:
        case Phase::pause:
        case Phase::closing:
        case Phase::closed: return {};
    }
    return {};
}

std::span<std::uint8_t> Session::small_room() {
    if (small_begin_ != 0) {
        std::memmove(small_.get(), small_.get() + small_begin_, small_end_ - small_begin_);
        small_end_ -= small_begin_;
        small_begin_ = 0;
    }
    return {small_.get() + small_end_, k_small - small_end_};
}

std::span<std::uint8_t> Session::payload_room() {
    const std::uint64_t left = request_.length - arrived_;
    if (target_ == Target::sink || target_ == Target::skip) {
        if (!make_ring(k_ring)) return {};
        return {ring_.data(), static_cast<std::size_t>(std::min<std::uint64_t>(left, k_ring))};
    }
    Block& block = target_ == Target::document ? documents_.back().block : store_;
    if (!make_room(block, arrived_)) return {};
    const auto filled = static_cast<std::size_t>(arrived_);
    return {block.data() + filled,
            static_cast<std::size_t>(std::min<std::uint64_t>(left, block.capacity() - filled))};
}

std::span<std::uint8_t> Session::ring_room() {
    const std::size_t end = (ring_begin_ + ring_size_) % ring_room_;
    const std::size_t free = ring_room_ - ring_size_;
    const std::uint64_t left = request_.length - arrived_;
    const std::size_t room = std::min(free, ring_room_ - end);
    return {ring_.data() + end, static_cast<std::size_t>(std::min<std::uint64_t>(left, room))};
}

void Session::received(std::size_t count) {
    last_progress_ = host_.coarse_now();
    tally_.bytes_in += count;
    switch (phase_) {
        case Phase::hello:
            if (!take_hello(count)) return;
            break;
        case Phase::auth: take_auth(count); return;
        case Phase::header:
        case Phase::payload:
        case Phase::through:
            if (!direct_) {
                small_end_ += count;
            } else if (phase_ == Phase::through) {
                ring_size_ += count;
                payload_arrived(count);
            } else {
                if (target_ == Target::sink) crc_ = crc32c({ring_.data(), count}, crc_);
                if (target_ == Target::document) {
                    crc_ = crc32c({documents_.back().block.data() + arrived_, count}, crc_);
                }
                payload_arrived(count);
            }
            break;
        case Phase::tarpit:
        case Phase::answer:
        case Phase::pause:
        case Phase::closing:
        case Phase::closed: return;
    }
    pump();
}

// False when there is nothing to go on with yet.
bool Session::take_hello(std::size_t count) {
    greeting_size_ += count;
    const Bytes so_far = Bytes(greeting_).first(greeting_size_);
    if (!wire::may_be_magic(so_far)) {
        abandon("not a client of ours");
        return false;
    }
    if (greeting_size_ < wire::k_hello_size) return false;
    const auto hello = wire::decode_hello(so_far);
    if (!hello) {
        abandon("a malformed HELLO");
        return false;
    }
    hello_ = *hello;
    greet();
    return phase_ == Phase::header;
}

void Session::take_auth(std::size_t count) {
    greeting_size_ += count;
    if (greeting_size_ < greeting_.size()) return;
    const auto header = wire::decode_header(Bytes(greeting_).first(wire::k_header_size));
    if (!header || header->type != wire::FrameType::auth || header->length != wire::k_proof_size ||
        (header->flags & ~wire::k_flag_critical) != 0) {
        return abandon("something else than AUTH");
    }
    check_auth(*header, Bytes(greeting_).subspan(wire::k_header_size));
}

// Works off what is in the read-ahead buffer, as far as the phase allows.
void Session::pump() {
    while (true) {
        const Bytes ahead(small_.get() + small_begin_, small_end_ - small_begin_);
        if (phase_ == Phase::header) {
            if (ahead.size() < wire::k_header_size) return;
            take_header();
        } else if (phase_ == Phase::payload || phase_ == Phase::through) {
            if (arrived_ < request_.length) {
                const std::size_t taken = take_payload(ahead);
                if (taken == 0) return;
                small_begin_ += taken;
                payload_arrived(taken);
            }
            if (arrived_ < request_.length) continue;
            if (phase_ == Phase::payload) {
                finish_payload();
            } else if (ring_size_ == 0 && head_sent_ == head_.size()) {
                next_request();
            } else {
                return;
            }
        } else {
            return;
        }
    }
}

void Session::take_header() {
    const auto header = wire::decode_header({small_.get() + small_begin_, wire::k_header_size});
    if (!header) return refuse(wire::ErrorCode::malformed, header.error().where);
    small_begin_ += wire::k_header_size;
    begin(*header);
}

// Of `bytes`, how many found their place.
std::size_t Session::take_payload(Bytes bytes) {
    const std::uint64_t left = request_.length - arrived_;
    bytes = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(left, bytes.size())));
    if (bytes.empty()) return 0;
    if (phase_ == Phase::through) {
        const auto room = ring_room();
        const std::size_t count = std::min(room.size(), bytes.size());
        if (count != 0) std::memcpy(room.data(), bytes.data(), count);
        ring_size_ += count;
        return count;
    }
    switch (target_) {
        case Target::skip: return bytes.size();
        case Target::sink: crc_ = crc32c(bytes, crc_); return bytes.size();
        case Target::control:
            std::memcpy(control_.data() + arrived_, bytes.data(), bytes.size());
            return bytes.size();
        case Target::store:
        case Target::document: {
            const auto room = payload_room();
            const std::size_t count = std::min(room.size(), bytes.size());
            if (count != 0) std::memcpy(room.data(), bytes.data(), count);
            if (target_ == Target::document) crc_ = crc32c(bytes.first(count), crc_);
            return count;
        }
    }
    return 0;
}

void Session::payload_arrived(std::size_t count) {
    if (target_ == Target::sink || target_ == Target::document) {
        last_byte_ = arrived_ + count == request_.length || arrived_ == 0 ? measure::now() : 0;
        if (arrived_ == 0) first_byte_ = last_byte_;
    }
    arrived_ += count;
    ++read_calls_;
    if (phase_ == Phase::through && paced_) {
        const measure::Nanoseconds now = measure::now();
        pacer_->offer(count, now);
        pacer_->release(now);
    }
}

// Room behind `filled`: doubles each time what was there has filled up with real bytes.
bool Session::make_room(Block& block, std::uint64_t filled) {
    if (filled < block.capacity()) return true;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(
        request_.length, std::max<std::uint64_t>(k_step, std::uint64_t{block.capacity()} * 2)));
    if (block.grow(wanted)) return true;
    host_.reclaim();
    if (block.grow(wanted)) return true;
    const bool over = budget_.limit() - budget_.used() < wanted;
    refuse(wire::ErrorCode::storage_full,
           over ? "the relay's memory for payloads, " + std::to_string(budget_.limit()) +
                      " bytes, is in use"
                : "the relay's host has no memory for this payload",
           1000);
    return false;
}

bool Session::make_ring(std::size_t size) {
    if (ring_.grow(size)) return true;
    host_.reclaim();
    if (ring_.grow(size)) return true;
    refuse(wire::ErrorCode::storage_full, "the relay's memory for payloads is in use", 1000);
    return false;
}

void Session::input_ended() {
    if (phase_ == Phase::closing || phase_ == Phase::closed) return;
    if (phase_ == Phase::hello) return abandon("left without a HELLO");
    if (phase_ == Phase::auth || phase_ == Phase::tarpit) return abandon("left without AUTH");
    if (phase_ == Phase::header && small_begin_ == small_end_) return abandon("ok");
    abandon("the client closed in mid-frame");
}

Session::Output Session::output() const {
    const Bytes head = head_.view().subspan(head_sent_);
    Output output = {head, body_, Bytes{}};
    if (phase_ == Phase::through) {
        const std::size_t first = std::min(ring_size_, ring_room_ - ring_begin_);
        output = {head, Bytes(ring_.data() + ring_begin_, first),
                  Bytes(ring_.data(), ring_size_ - first)};
    }
    if (!paced_) return output;
    std::size_t due = pacer_->released();
    for (Bytes& part : output) {
        part = part.first(std::min(part.size(), due));
        due -= part.size();
    }
    return output;
}

void Session::sent(std::size_t count) {
    last_progress_ = host_.coarse_now();
    tally_.bytes_out += count;
    if (paced_) {
        pacer_->sent(count);
        pacer_->release(measure::now());
    }
    const std::size_t of_head = std::min(count, head_.size() - head_sent_);
    head_sent_ += of_head;
    count -= of_head;
    if (phase_ == Phase::through) return ring_sent(count);
    assert(count <= body_.size());
    body_ = body_.subspan(count);
    if (phase_ == Phase::answer && head_sent_ == head_.size() && body_.empty()) answered();
}

void Session::ring_sent(std::size_t count) {
    assert(count <= ring_size_);
    ring_begin_ = (ring_begin_ + count) % ring_room_;
    ring_size_ -= count;
    pump();
}

measure::Nanoseconds Session::paused_until() const {
    if (phase_ == Phase::pause || phase_ == Phase::tarpit) return pause_end_;
    if (!paced_ || pacer_->released() != 0) return 0;
    const measure::Nanoseconds due = pacer_->next_due();
    return due == measure::k_never ? 0 : due;
}

bool Session::expire(measure::Nanoseconds now) {
    const measure::Nanoseconds silent = now - last_progress_;
    const bool too_old = now - started_ > limits_.session;
    switch (phase_) {
        case Phase::hello:
            if (now - started_ <= limits_.handshake) return false;
            abandon("no HELLO in time");
            return true;
        case Phase::auth:
        case Phase::tarpit:
            if (now - started_ <= limits_.handshake + limits_.tarpit) return false;
            abandon("no AUTH in time");
            return true;
        case Phase::header: {
            const bool idle = small_begin_ == small_end_;
            if (too_old) {
                refuse(wire::ErrorCode::timed_out, "the session has lasted as long as it may");
            } else if (silent > (idle ? limits_.idle : limits_.progress)) {
                refuse(wire::ErrorCode::timed_out,
                       idle ? "no request for too long" : "a request stopped arriving");
            } else {
                return false;
            }
            return true;
        }
        case Phase::payload:
            if (!too_old && silent <= limits_.progress) return false;
            refuse(wire::ErrorCode::timed_out, "a payload stopped arriving");
            return true;
        case Phase::through:
        case Phase::answer:
            if (!too_old && paused_until() != 0) return false;  // the link's doing
            if (!too_old && silent <= limits_.progress) return false;
            abandon(too_old ? "the session has lasted as long as it may"
                            : "no progress in mid-answer");
            return true;
        case Phase::pause:
            if (!too_old) return false;
            abandon("the session has lasted as long as it may");
            return true;
        case Phase::closing:
            if (silent <= limits_.linger) return false;
            phase_ = Phase::closed;
            return true;
        case Phase::closed: return false;
    }
    return false;
}

bool Session::shut_down() {
    if (leaving_ || phase_ == Phase::closing || phase_ == Phase::closed) return false;
    leaving_ = true;
    if (!admitted()) {
        abandon("the relay was stopped");
        return true;
    }
    if (phase_ != Phase::header || small_begin_ != small_end_) return false;
    next_request();
    return true;
}

void Session::abandon(std::string reason) {
    if (phase_ == Phase::closed) return;
    if (outcome_.empty()) outcome_ = std::move(reason);
    phase_ = Phase::closed;
}

void Session::trim(measure::Nanoseconds now, bool at_once) {
    if (phase_ != Phase::header || store_.capacity() + ring_.capacity() <= k_step) return;
    // Warm buffers are for the next request of a client that encodes and decodes meanwhile: a cold
    // relay would charge slow formats page faults that fast ones do not pay.
    if (!at_once && now - last_progress_ < limits_.idle / 2) return;
    store_.release();
    ring_.release();
}

}  // namespace perfrelay::relay
