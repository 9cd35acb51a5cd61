#include "proto/compress/zlib_compressor.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <string_view>

#include <zlib.h>

#include "proto/compress/expansion.h"
#include "proto/compress/level.h"

namespace perfrelay::compress {

namespace {

constexpr LevelRange k_levels{.lowest = 0, .highest = 9, .usual = 6};
constexpr int k_window_bits = 15;
constexpr int k_memory_level = 8;   // zlib's default
constexpr int k_gzip_wrapper = 16;  // added to the window bits
constexpr int k_unknown_system = 255;

Error out_of_memory() {
    return {.code = Errc::io, .where = "zlib", .system = ENOMEM};
}

int window_bits(DeflateWrapper wrapper) {
    return k_window_bits + (wrapper == DeflateWrapper::gzip ? k_gzip_wrapper : 0);
}

// zlib counts in 32 bits; a document may be longer.
uInt piece(std::size_t size) {
    return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

// zlib takes a pointer to non-const, and only reads from it.
Bytef* input(const std::uint8_t* from) {
    return const_cast<Bytef*>(from);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

class Deflater final : public StreamCoder {
  public:
    Deflater(DeflateWrapper wrapper, int level)
        : wrapper_(wrapper),
          ready_(deflateInit2(&stream_, level, Z_DEFLATED, window_bits(wrapper), k_memory_level,
                              Z_DEFAULT_STRATEGY) == Z_OK) {
        header_.os = k_unknown_system;
    }
    Deflater(const Deflater&) = delete;
    Deflater& operator=(const Deflater&) = delete;
    ~Deflater() override { deflateEnd(&stream_); }

    Result<> restart() override {
        if (!ready_ || deflateReset(&stream_) != Z_OK) return out_of_memory();
        if (wrapper_ == DeflateWrapper::gzip) deflateSetHeader(&stream_, &header_);
        return {};
    }
    Result<Step> step(Bytes in, bool last, std::span<std::uint8_t> out) override {
        const uInt given = piece(in.size());
        const uInt room = piece(out.size());
        stream_.next_in = input(in.data());
        stream_.avail_in = given;
        stream_.next_out = out.data();
        stream_.avail_out = room;
        const int status = deflate(&stream_, last && given == in.size() ? Z_FINISH : Z_NO_FLUSH);
        // Z_BUF_ERROR: nothing to do with what there is.
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
            return out_of_memory();
        }
        return Step{given - stream_.avail_in, room - stream_.avail_out, status == Z_STREAM_END};
    }
    const char* cut_short() const override { return ""; }
    const char* bytes_after() const override { return ""; }

    Result<> run(Bytes in, Buffer& out) {
        if (auto ready = restart(); !ready) return ready;
        (void)out.prepare(deflateBound(&stream_, in.size()));
        int status = Z_OK;
        while (status != Z_STREAM_END) {
            const uInt given = piece(in.size());
            stream_.next_in = input(in.data());
            stream_.avail_in = given;
            stream_.next_out = out.prepare(1);
            const uInt room = piece(out.capacity() - out.size());
            stream_.avail_out = room;
            status = deflate(&stream_, given == in.size() ? Z_FINISH : Z_NO_FLUSH);
            if (status != Z_OK && status != Z_STREAM_END) return out_of_memory();
            in = in.subspan(given - stream_.avail_in);
            out.commit(room - stream_.avail_out);
        }
        return {};
    }

  private:
    z_stream stream_{};
    gz_header header_{};
    DeflateWrapper wrapper_;
    bool ready_;
};

class Inflater final : public StreamCoder {
  public:
    Inflater(DeflateWrapper wrapper, const Limits& limits)
        : wrapper_(wrapper),
          limits_(limits),
          ready_(inflateInit2(&stream_, window_bits(wrapper)) == Z_OK) {}
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater() override { inflateEnd(&stream_); }

    Result<> restart() override {
        if (!ready_ || inflateReset(&stream_) != Z_OK) return out_of_memory();
        return {};
    }
    Result<Step> step(Bytes in, bool /*last*/, std::span<std::uint8_t> out) override {
        const uInt given = piece(in.size());
        const uInt room = piece(out.size());
        stream_.next_in = input(in.data());
        stream_.avail_in = given;
        stream_.next_out = out.data();
        stream_.avail_out = room;
        const int status = inflate(&stream_, Z_NO_FLUSH);
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
            return refusal(status, 0);
        }
        return Step{given - stream_.avail_in, room - stream_.avail_out, status == Z_STREAM_END};
    }
    // RFC 1952 2.2: members follow one another; with the zlib wrapper nothing follows.
    bool continues(Bytes rest) const override {
        return wrapper_ == DeflateWrapper::gzip && rest.size() > 1 && rest[0] == 0x1F &&
               rest[1] == 0x8B;
    }
    const char* cut_short() const override { return "RFC 1951: the compressed data is cut short"; }
    const char* bytes_after() const override {
        return wrapper_ == DeflateWrapper::gzip ? "RFC 1952 2.2: bytes after the last gzip member"
                                                : "RFC 1950 2.2: bytes after the checksum";
    }

    Result<> run(Bytes in, Buffer& out, std::size_t known) {
        if (!ready_) return out_of_memory();
        Expansion expansion(in.size(), limits_, out, known);
        std::size_t offset = 0;
        do {
            if (auto done = member(in, offset, expansion); !done) return done.error();
        } while (continues(in.subspan(offset)));
        if (offset != in.size()) return Error{.offset = offset, .where = bytes_after()};
        return {};
    }

  private:
    Result<> member(Bytes in, std::size_t& offset, Expansion& expansion) {
        if (inflateReset(&stream_) != Z_OK) return out_of_memory();
        for (;;) {
            const uInt given = piece(in.size() - offset);
            const std::span<std::uint8_t> room = expansion.room();
            const uInt free = piece(room.size());
            stream_.next_in = input(in.data()) + offset;
            stream_.avail_in = given;
            stream_.next_out = room.data();
            stream_.avail_out = free;
            const int status = inflate(&stream_, Z_NO_FLUSH);
            offset += given - stream_.avail_in;
            if (!expansion.commit(free - stream_.avail_out)) return expansion.over_limit(offset);
            if (status == Z_STREAM_END) return {};
            const bool starved = offset == in.size() && stream_.avail_out != 0;
            if (starved && (status == Z_OK || status == Z_BUF_ERROR)) {
                return Error{.code = Errc::truncated, .offset = offset, .where = cut_short()};
            }
            if (status != Z_OK && status != Z_BUF_ERROR) return refusal(status, offset);
        }
    }

    Error refusal(int status, std::size_t offset) const {
        const bool gzip = wrapper_ == DeflateWrapper::gzip;
        if (status == Z_MEM_ERROR) return out_of_memory();
        if (status == Z_NEED_DICT) {
            return {.code = Errc::unsupported,
                    .offset = offset,
                    .where = "RFC 1950 2.2: a preset dictionary is needed"};
        }
        const std::string_view said = stream_.msg == nullptr ? "" : stream_.msg;
        if (said == "incorrect data check" || said == "incorrect length check") {
            return {.offset = offset,
                    .where = gzip ? "RFC 1952 2.3.1: checksum or length does not match the data"
                                  : "RFC 1950 2.2: checksum does not match the data"};
        }
        if (said == "incorrect header check" || said == "unknown compression method" ||
            said == "unknown header flags set" || said == "header crc mismatch" ||
            said == "invalid window size") {
            return {.offset = offset,
                    .where = gzip ? "RFC 1952 2.3: not a gzip header"
                                  : "RFC 1950 2.2: not a zlib header"};
        }
        return {.offset = offset, .where = "RFC 1951: not valid DEFLATE data"};
    }

    z_stream stream_{};
    DeflateWrapper wrapper_;
    Limits limits_;
    bool ready_;
};

class ZlibCompressor final : public Compressor {
  public:
    ZlibCompressor(DeflateWrapper wrapper, int level, const Limits& limits)
        : deflater_(wrapper, level), inflater_(wrapper, limits) {
        description_ = wrapper == DeflateWrapper::gzip ? "gzip" : "deflate (zlib wrapper)";
        description_ +=
            " by zlib " + std::string(zlibVersion()) + ", level " + std::to_string(level);
    }

    std::string description() const override { return description_; }
    Result<> compress(Bytes in, Buffer& out) override { return deflater_.run(in, out); }
    Result<> decompress(Bytes in, Buffer& out) override { return inflater_.run(in, out, known()); }
    StreamCoder* packer() override { return &deflater_; }
    StreamCoder* unpacker() override { return &inflater_; }

  private:
    std::string description_;
    Deflater deflater_;
    Inflater inflater_;
};

}  // namespace

std::unique_ptr<Compressor> make_zlib(DeflateWrapper wrapper, const SpecPart& part,
                                      const Limits& limits, std::string& why) {
    const std::optional<int> level = level_of(part, k_levels, why);
    if (!level) return nullptr;
    return std::make_unique<ZlibCompressor>(wrapper, *level, limits);
}

}  // namespace perfrelay::compress
