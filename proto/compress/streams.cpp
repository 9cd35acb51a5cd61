#include "proto/compress/streams.h"

#include <algorithm>
#include <cstring>

#include "proto/compress/expansion.h"

namespace perfrelay::compress {

namespace {

constexpr std::size_t k_piece = std::size_t{32} << 10U;

}  // namespace

Result<> PackingDrain::start(ByteDrain& out) {
    out_ = &out;
    given_ = 0;
    packed_.clear();
    (void)packed_.prepare(k_piece);
    return coder_.restart();
}

Result<> PackingDrain::run(Bytes bytes, bool last) {
    given_ += bytes.size();
    for (;;) {
        const auto step =
            coder_.step(bytes, last, {packed_.prepare(1), packed_.capacity() - packed_.size()});
        if (!step) return step.error();
        bytes = bytes.subspan(step->taken);
        packed_.commit(step->made);
        const bool full = packed_.size() == packed_.capacity();
        if (full || step->ended) {
            if (auto sent = out_->write(packed_.view()); !sent) return sent;
            packed_.clear();
        }
        if (last ? step->ended : bytes.empty() && !full) return {};
    }
}

Result<> PackingDrain::finish() {
    return run({}, true);
}

Result<> UnpackingSource::start(ByteSource& in) {
    in_ = &in;
    window_ = {};
    taken_ = 0;
    read_ = 0;
    made_ = 0;
    ended_ = false;
    unpacked_.clear();
    begin_ = 0;
    return coder_.restart();
}

Error UnpackingSource::error(Errc code, const char* where) const {
    return {.code = code, .offset = read_ - (window_.size() - taken_), .where = where};
}

Result<> UnpackingSource::more_input() {
    const std::size_t before = window_.size() - taken_;
    const auto more = in_->refill(taken_);
    if (!more) return more.error();
    window_ = *more;
    taken_ = 0;
    if (window_.size() == before) return error(Errc::truncated, coder_.cut_short());
    read_ += window_.size() - before;
    return {};
}

// At the end of a stream: the end of all, or another one.
Result<> UnpackingSource::next_stream() {
    while (window_.size() - taken_ < 2) {
        const std::size_t before = window_.size() - taken_;
        const auto more = in_->refill(taken_);
        if (!more) return more.error();
        window_ = *more;
        taken_ = 0;
        read_ += window_.size() - before;
        if (window_.size() == before) break;
    }
    const Bytes rest = window_.subspan(taken_);
    if (rest.empty()) {
        ended_ = true;
        return {};
    }
    if (!coder_.continues(rest)) return error(Errc::malformed, coder_.bytes_after());
    return coder_.restart();
}

Result<Bytes> UnpackingSource::refill(std::size_t consumed) {
    begin_ += consumed;
    const std::size_t kept = unpacked_.size() - begin_;
    if (kept != 0) std::memmove(unpacked_.data(), unpacked_.data() + begin_, kept);
    unpacked_.truncate(kept);
    begin_ = 0;
    std::uint8_t* const room = unpacked_.prepare(k_piece);
    while (!ended_) {
        const auto step = coder_.step(window_.subspan(taken_), false, {room, k_piece});
        if (!step) {
            Error failed = step.error();
            failed.offset = read_ - (window_.size() - taken_);
            return failed;
        }
        taken_ += step->taken;
        made_ += step->made;
        if (made_ > Expansion::most(read_, limits_, known_)) {
            return error(Errc::limit_exceeded,
                         "decompressed data exceeds the limit on its size or ratio");
        }
        if (step->ended) {
            if (auto next = next_stream(); !next) return next.error();
        }
        if (step->made != 0) {
            unpacked_.commit(step->made);
            break;
        }
        if (!step->ended && taken_ == window_.size()) {
            if (auto more = more_input(); !more) return more.error();
        }
    }
    return unpacked_.view();
}

Result<> UnpackingSource::finish() {
    const std::size_t kept = unpacked_.size() - begin_;
    const auto more = refill(kept);
    if (!more) return more.error();
    if (!more->empty()) return error(Errc::malformed, "more data than the document takes");
    return {};
}

}  // namespace perfrelay::compress
