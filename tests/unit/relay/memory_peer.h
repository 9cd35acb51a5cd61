#pragma once
// A Session without sockets: bytes go in in portions of a chosen size, what comes out is collected.

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "proto/wire/frames.h"
#include "relay/session.h"

namespace perfrelay::relay {

class MemoryPeer final : public Session::Host {
  public:
    explicit MemoryPeer(const Limits& limits)
        : budget_(limits.max_memory), session_(limits, budget_, *this) {}

    // Session::Host
    Verdict admit() override {
        return busy ? Verdict{.id = 0, .retry_after_ms = 250, .text = "all taken"}
                    : Verdict{.id = 42, .retry_after_ms = 0, .text = {}};
    }
    std::shared_ptr<const Secret> secret() override { return known; }
    wire::Nonce nonce() override { return wire::Nonce{7}; }
    wire::Status status() override { return wire::Status{.sessions = 3}; }
    void reclaim() override { session_.trim(now, true); }
    measure::Nanoseconds coarse_now() const override { return now; }

    // All of `bytes`, at most `portion` at a time, answers taken in between, at most `portion` at a
    // time too. What the session does not want any more stays out.
    void feed(Bytes bytes, std::size_t portion = ~std::size_t{0}) {
        take_output(portion);
        while (!bytes.empty()) {
            const auto room = session_.input();
            const std::size_t count = std::min({room.size(), bytes.size(), portion});
            if (count != 0) {
                std::memcpy(room.data(), bytes.data(), count);
                session_.received(count);
                bytes = bytes.subspan(count);
            }
            if (session_.paused_until() != 0) session_.pause_over();
            if (take_output(portion) == 0 && count == 0) break;
        }
        while (session_.paused_until() != 0) {
            session_.pause_over();
            take_output(portion);
        }
    }

    std::size_t take_output(std::size_t portion = ~std::size_t{0}) {
        std::size_t taken = 0;
        while (!session_.closed() && session_.tally().bytes_out < output_limit) {
            std::size_t count = 0;
            for (const Bytes part : session_.output()) {
                const std::size_t some = std::min(part.size(), portion - count);
                if (keep_output)
                    output.insert(output.end(), part.begin(),
                                  part.begin() + static_cast<std::ptrdiff_t>(some));
                count += some;
            }
            if (count == 0) break;
            session_.sent(count);
            taken += count;
        }
        return taken;
    }

    void hello() { feed(wire::encode(wire::Hello{})); }

    void frame(wire::FrameHeader header, Bytes payload, std::size_t portion = ~std::size_t{0}) {
        header.length = payload.size();
        Buffer bytes;
        bytes.append(wire::encode(header));
        bytes.append(payload);
        feed(bytes.view(), portion);
    }

    // The next answer, taken from the front of `output`. Type BYE, request ~0, when there is none.
    struct Answer {
        wire::FrameHeader header{.request = ~0U};
        std::vector<std::uint8_t> payload;
    };
    Answer answer() {
        Answer answer;
        if (output.size() < wire::k_header_size) return answer;
        const auto header = wire::decode_header(Bytes(output).first(wire::k_header_size));
        if (!header) return answer;
        const std::size_t end = wire::k_header_size + static_cast<std::size_t>(header->length);
        if (output.size() < end) return answer;
        answer.header = *header;
        answer.payload.assign(output.begin() + wire::k_header_size,
                              output.begin() + static_cast<std::ptrdiff_t>(end));
        output.erase(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(end));
        return answer;
    }

    Session& session() { return session_; }
    MemoryBudget& budget() { return budget_; }

    std::shared_ptr<const Secret> known;  // what clients must know
    bool busy = false;
    bool keep_output = true;
    std::uint64_t output_limit = ~std::uint64_t{0};  // reads no more than about this
    measure::Nanoseconds now = 1'000'000'000;
    std::vector<std::uint8_t> output;

  private:
    MemoryBudget budget_;
    Session session_;
};

}  // namespace perfrelay::relay
