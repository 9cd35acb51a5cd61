#include "proto/compress/raw_deflate.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include <libdeflate.h>
#include <zlib.h>

namespace perfrelay::compress {

namespace {

constexpr int k_raw_window = -15;
constexpr int k_memory_level = 8;  // zlib's default
constexpr std::size_t k_out = std::size_t{64} << 10U;
constexpr std::size_t k_free_of_ratio = std::size_t{16} << 20U;

uInt piece(std::size_t size) {
    return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

// zlib takes a pointer to non-const, and only reads from it.
Bytef* input(const std::uint8_t* from) {
    return const_cast<Bytef*>(from);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

Error out_of_memory() {
    return {.code = Errc::io, .where = "DEFLATE", .system = ENOMEM};
}

}  // namespace

struct RawInflater::State {
    z_stream stream{};
    bool ready = false;
};

RawInflater::RawInflater(const Limits& limits)
    : limits_(limits), state_(std::make_unique<State>()), out_(new std::uint8_t[k_out]) {
    state_->ready = inflateInit2(&state_->stream, k_raw_window) == Z_OK;
}

RawInflater::~RawInflater() {
    inflateEnd(&state_->stream);
}

void RawInflater::open(ByteSource& input) {
    input_ = &input;
    window_ = {};
    taken_ = consumed_ = produced_ = out_begin_ = out_end_ = 0;
    started_ = ended_ = input_ended_ = false;
}

Error RawInflater::error(Errc code, const char* where) const {
    return {.code = code, .offset = consumed_, .where = where};
}

// More input. False at its end.
Result<bool> RawInflater::fetch() {
    if (input_ended_) return false;
    const std::size_t had = window_.size();
    const Result<Bytes> window = input_->refill(taken_);
    if (!window) return window.error();
    taken_ = 0;
    window_ = *window;
    input_ended_ = window_.size() == had;
    return !input_ended_;
}

// What there is of input into what there is of room.
Result<> RawInflater::step() {
    z_stream& stream = state_->stream;
    if (!started_) {
        if (inflateReset(&stream) != Z_OK) return out_of_memory();
        started_ = true;
    }
    stream.next_in = input(window_.data());
    stream.avail_in = piece(window_.size());
    stream.next_out = out_.get() + out_end_;
    stream.avail_out = piece(k_out - out_end_);
    const uInt given = stream.avail_in;
    const uInt room = stream.avail_out;
    const int status = inflate(&stream, Z_NO_FLUSH);
    const std::size_t read = given - stream.avail_in;
    window_ = window_.subspan(read);
    taken_ += read;
    consumed_ += read;
    out_end_ += room - stream.avail_out;
    produced_ += room - stream.avail_out;
    ended_ = status == Z_STREAM_END;
    if (status == Z_MEM_ERROR) return out_of_memory();
    if (!ended_ && status != Z_OK && status != Z_BUF_ERROR) {
        return error(Errc::malformed, "RFC 1951: not valid DEFLATE data");
    }
    return check_limits();
}

Result<> RawInflater::check_limits() const {
    const std::uint64_t ratio = limits_.max_decompression_ratio;
    const std::size_t allowed = ratio != 0 && consumed_ > SIZE_MAX / ratio
                                    ? SIZE_MAX
                                    : static_cast<std::size_t>(consumed_ * ratio);
    if (produced_ > std::max(allowed, k_free_of_ratio)) {
        return error(Errc::limit_exceeded,
                     "decompressed data exceeds the limit on the decompression ratio");
    }
    if (produced_ > limits_.max_document) {
        return error(Errc::limit_exceeded,
                     "decompressed data exceeds the limit on a document's size");
    }
    return {};
}

// False when the stream has ended, or there is none.
Result<bool> RawInflater::inflate_some() {
    if (!state_->ready) return out_of_memory();
    const std::size_t before = out_end_;
    while (out_end_ == before && !ended_) {
        if (window_.empty()) {
            const Result<bool> more = fetch();
            if (!more) return more.error();
            if (!*more && !started_) return false;
            if (!*more) return error(Errc::truncated, "RFC 1951: compressed data cut short");
        }
        if (auto done = step(); !done) return done.error();
    }
    return out_end_ != before;
}

Result<Bytes> RawInflater::refill(std::size_t consumed) {
    out_begin_ += consumed;
    std::memmove(out_.get(), out_.get() + out_begin_, out_end_ - out_begin_);
    out_end_ -= out_begin_;
    out_begin_ = 0;
    if (const Result<bool> more = inflate_some(); !more) return more.error();
    return Bytes(out_.get(), out_end_);
}

Result<> RawInflater::end_stream(std::size_t unread) {
    if (unread == 0 && started_) {
        out_begin_ = out_end_ = 0;
        // The end of the data may still be in front of the end of the stream.
        const Result<bool> more = inflate_some();
        if (!more) return more.error();
        if (*more) unread = out_end_;
    }
    if (unread != 0) {
        return error(Errc::malformed, "EXI 9.3: a compressed stream holds more than its channels");
    }
    out_begin_ = out_end_ = 0;
    started_ = ended_ = false;
    return {};
}

struct RawDeflater::State {
    z_stream stream{};
    libdeflate_compressor* libdeflate = nullptr;
    bool by_libdeflate = false;
    bool ready = false;
};

RawDeflater::RawDeflater(bool by_libdeflate, int level) : state_(std::make_unique<State>()) {
    state_->by_libdeflate = by_libdeflate;
    if (by_libdeflate) {
        state_->libdeflate = libdeflate_alloc_compressor(level);
        state_->ready = state_->libdeflate != nullptr;
    } else {
        state_->ready = deflateInit2(&state_->stream, level, Z_DEFLATED, k_raw_window,
                                     k_memory_level, Z_DEFAULT_STRATEGY) == Z_OK;
    }
}

RawDeflater::~RawDeflater() {
    if (state_->by_libdeflate) {
        libdeflate_free_compressor(state_->libdeflate);
    } else {
        deflateEnd(&state_->stream);
    }
}

Result<> RawDeflater::run(Bytes in, Buffer& out) {
    if (!state_->ready) return out_of_memory();
    if (state_->by_libdeflate) {
        const std::size_t bound = libdeflate_deflate_compress_bound(state_->libdeflate, in.size());
        const std::size_t made = libdeflate_deflate_compress(state_->libdeflate, in.data(),
                                                             in.size(), out.prepare(bound), bound);
        if (made == 0) return out_of_memory();
        out.commit(made);
        return {};
    }
    z_stream& stream = state_->stream;
    if (deflateReset(&stream) != Z_OK) return out_of_memory();
    int status = Z_OK;
    while (status != Z_STREAM_END) {
        const uInt given = piece(in.size());
        const uInt room = piece(std::max<std::size_t>(deflateBound(&stream, given), 64));
        stream.next_in = input(in.data());
        stream.avail_in = given;
        stream.next_out = out.prepare(room);
        stream.avail_out = room;
        status = deflate(&stream, given == in.size() ? Z_FINISH : Z_NO_FLUSH);
        if (status != Z_OK && status != Z_STREAM_END) return out_of_memory();
        in = in.subspan(given - stream.avail_in);
        out.commit(room - stream.avail_out);
    }
    return {};
}

const char* RawDeflater::library(bool by_libdeflate) {
    return by_libdeflate ? "libdeflate " LIBDEFLATE_VERSION_STRING : "zlib " ZLIB_VERSION;
}

}  // namespace perfrelay::compress
