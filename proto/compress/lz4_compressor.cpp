#include "proto/compress/lz4_compressor.h"

#include <cerrno>
#include <string_view>

#include <lz4.h>
#include <lz4frame.h>

#include "proto/compress/expansion.h"
#include "proto/compress/level.h"

namespace perfrelay::compress {

namespace {

// Blocks of this size are decompressed in place when the output has room for a whole one.
constexpr LZ4F_blockSizeID_t k_block_size = LZ4F_max256KB;
constexpr std::size_t k_block_bytes = std::size_t{256} << 10U;

struct FreeContext {
    void operator()(LZ4F_dctx* it) const { LZ4F_freeDecompressionContext(it); }
};

Error out_of_memory() {
    return {.code = Errc::io, .where = "lz4", .system = ENOMEM};
}

Error refusal(std::size_t result, std::size_t offset, bool first_frame) {
    const std::string_view name = LZ4F_getErrorName(result);
    if (name == "ERROR_allocation_failed") return out_of_memory();
    if (name == "ERROR_frameType_unknown") {
        return {.offset = offset,
                .where = first_frame ? "LZ4 frame: not an lz4 frame"
                                     : "LZ4 frame: bytes after the last frame"};
    }
    if (name == "ERROR_contentChecksum_invalid" || name == "ERROR_blockChecksum_invalid") {
        return {.offset = offset, .where = "LZ4 frame: checksum does not match the data"};
    }
    if (name == "ERROR_headerChecksum_invalid") {
        return {.offset = offset, .where = "LZ4 frame: checksum does not match the header"};
    }
    return {.offset = offset, .where = "LZ4 frame: not valid lz4 data"};
}

LZ4F_preferences_t preferences(int level) {
    LZ4F_preferences_t wanted{};
    wanted.frameInfo.blockSizeID = k_block_size;
    wanted.frameInfo.blockMode = LZ4F_blockIndependent;
    wanted.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    wanted.compressionLevel = level;
    return wanted;
}

class Lz4Compressor final : public Compressor {
  public:
    Lz4Compressor(int level, const Limits& limits)
        : level_(level), preferences_(preferences(level)), limits_(limits) {
        LZ4F_dctx* context = nullptr;
        LZ4F_createDecompressionContext(&context, LZ4F_VERSION);
        decompressor_.reset(context);  // null when out of memory: said by the first call
    }

    std::string description() const override {
        return "lz4 frame by liblz4 " + std::string(LZ4_versionString()) + ", level " +
               std::to_string(level_) + ", with checksum";
    }

    // The one-shot call: its state is on the stack and always new. A kept one would hold traces of
    // the previous document, and equal documents could come out different.
    Result<> compress(Bytes in, Buffer& out) override {
        const std::size_t bound = LZ4F_compressFrameBound(in.size(), &preferences_);
        std::uint8_t* const room = out.prepare(bound);
        const std::size_t made =
            LZ4F_compressFrame(room, bound, in.data(), in.size(), &preferences_);
        if (LZ4F_isError(made) != 0) return out_of_memory();  // the bound excludes other reasons
        out.commit(made);
        return {};
    }

    Result<> decompress(Bytes in, Buffer& out) override {
        if (decompressor_ == nullptr) return out_of_memory();
        if (in.empty()) return Error{.code = Errc::truncated, .where = "LZ4 frame: no frame"};
        LZ4F_resetDecompressionContext(decompressor_.get());
        Expansion expansion(in.size(), limits_, out, known());
        std::size_t offset = 0;
        bool first_frame = true;
        do {
            if (auto done = frame(in, offset, first_frame, expansion, out); !done) {
                return done.error();
            }
            first_frame = false;
        } while (offset != in.size());
        return {};
    }

  private:
    Result<> frame(Bytes in, std::size_t& offset, bool first_frame, Expansion& expansion,
                   Buffer& out) {
        for (;;) {
            (void)out.prepare(k_block_bytes);
            const std::span<std::uint8_t> room = expansion.room();
            std::size_t made = room.size();
            std::size_t read = in.size() - offset;
            const std::size_t hint = LZ4F_decompress(decompressor_.get(), room.data(), &made,
                                                     in.data() + offset, &read, nullptr);
            if (LZ4F_isError(hint) != 0) return refusal(hint, offset, first_frame);
            offset += read;
            if (!expansion.commit(made)) return expansion.over_limit(offset);
            if (hint == 0) return {};
            if (offset == in.size() && made < room.size()) {
                return Error{.code = Errc::truncated,
                             .offset = offset,
                             .where = "LZ4 frame: the compressed data is cut short"};
            }
        }
    }

    int level_;
    LZ4F_preferences_t preferences_;
    Limits limits_;
    std::unique_ptr<LZ4F_dctx, FreeContext> decompressor_;
};

}  // namespace

std::unique_ptr<Compressor> make_lz4(const SpecPart& part, const Limits& limits, std::string& why) {
    const LevelRange levels{.lowest = 0, .highest = LZ4F_compressionLevel_max(), .usual = 0};
    const std::optional<int> level = level_of(part, levels, why);
    if (!level) return nullptr;
    return std::make_unique<Lz4Compressor>(*level, limits);
}

}  // namespace perfrelay::compress
