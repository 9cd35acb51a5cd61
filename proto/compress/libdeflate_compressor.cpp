#include "proto/compress/libdeflate_compressor.h"

#include <cerrno>

#include <libdeflate.h>

#include "proto/compress/expansion.h"
#include "proto/compress/level.h"

namespace perfrelay::compress {

namespace {

constexpr LevelRange k_levels{.lowest = 0, .highest = 12, .usual = 6};

struct FreeCompressor {
    void operator()(libdeflate_compressor* it) const { libdeflate_free_compressor(it); }
};
struct FreeDecompressor {
    void operator()(libdeflate_decompressor* it) const { libdeflate_free_decompressor(it); }
};

Error out_of_memory() {
    return {.code = Errc::io, .where = "libdeflate", .system = ENOMEM};
}

class LibdeflateCompressor final : public Compressor {
  public:
    LibdeflateCompressor(DeflateWrapper wrapper, int level, const Limits& limits)
        : gzip_(wrapper == DeflateWrapper::gzip),
          limits_(limits),
          compressor_(libdeflate_alloc_compressor(level)),
          decompressor_(libdeflate_alloc_decompressor()) {
        description_ = gzip_ ? "gzip" : "deflate (zlib wrapper)";
        description_ += " by libdeflate " LIBDEFLATE_VERSION_STRING ", level ";
        description_ += std::to_string(level);
    }

    std::string description() const override { return description_; }

    Result<> compress(Bytes in, Buffer& out) override {
        if (compressor_ == nullptr) return out_of_memory();
        const std::size_t bound =
            gzip_ ? libdeflate_gzip_compress_bound(compressor_.get(), in.size())
                  : libdeflate_zlib_compress_bound(compressor_.get(), in.size());
        std::uint8_t* const room = out.prepare(bound);
        const auto run = gzip_ ? libdeflate_gzip_compress : libdeflate_zlib_compress;
        const std::size_t made = run(compressor_.get(), in.data(), in.size(), room, bound);
        if (made == 0) return out_of_memory();  // the bound excludes every other reason
        out.commit(made);
        return {};
    }

    Result<> decompress(Bytes in, Buffer& out) override {
        if (decompressor_ == nullptr) return out_of_memory();
        Expansion expansion(in.size(), limits_, out, known());
        std::size_t offset = 0;
        do {
            if (auto done = member(in, offset, expansion); !done) return done.error();
            // RFC 1952 2.2: members follow one another; with the zlib wrapper nothing follows.
        } while (gzip_ && offset + 1 < in.size() && in[offset] == 0x1F && in[offset + 1] == 0x8B);
        if (offset != in.size()) {
            return Error{.offset = offset,
                         .where = gzip_ ? "RFC 1952 2.2: bytes after the last gzip member"
                                        : "RFC 1950 2.2: bytes after the checksum"};
        }
        return {};
    }

  private:
    Result<> member(Bytes in, std::size_t& offset, Expansion& expansion) {
        const auto run = gzip_ ? libdeflate_gzip_decompress_ex : libdeflate_zlib_decompress_ex;
        std::span<std::uint8_t> room = expansion.room();
        while (!room.empty()) {
            std::size_t read = 0;
            std::size_t made = 0;
            const libdeflate_result result =
                run(decompressor_.get(), in.data() + offset, in.size() - offset, room.data(),
                    room.size(), &read, &made);
            if (result == LIBDEFLATE_SUCCESS) {
                offset += read;
                if (!expansion.commit(made)) break;
                return {};
            }
            if (result != LIBDEFLATE_INSUFFICIENT_SPACE) {
                return Error{.offset = offset,
                             .where = gzip_ ? "RFC 1952: damaged or cut short gzip data"
                                            : "RFC 1950: damaged or cut short zlib data"};
            }
            room = expansion.room_above(room.size());
        }
        return expansion.over_limit(offset);
    }

    bool gzip_;
    Limits limits_;
    std::string description_;
    std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor_;
    std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor_;
};

}  // namespace

std::unique_ptr<Compressor> make_libdeflate(DeflateWrapper wrapper, const SpecPart& part,
                                            const Limits& limits, std::string& why) {
    const std::optional<int> level = level_of(part, k_levels, why);
    if (!level) return nullptr;
    return std::make_unique<LibdeflateCompressor>(wrapper, *level, limits);
}

}  // namespace perfrelay::compress
