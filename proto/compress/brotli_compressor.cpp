#include "proto/compress/brotli_compressor.h"

#include <cerrno>

#include <brotli/decode.h>
#include <brotli/encode.h>

#include "proto/compress/expansion.h"
#include "proto/compress/level.h"

namespace perfrelay::compress {

namespace {

constexpr LevelRange k_levels{
    .lowest = BROTLI_MIN_QUALITY, .highest = BROTLI_MAX_QUALITY, .usual = 5};
constexpr int k_window_bits = BROTLI_DEFAULT_WINDOW;

struct DestroyDecoder {
    void operator()(BrotliDecoderState* it) const { BrotliDecoderDestroyInstance(it); }
};

Error out_of_memory() {
    return {.code = Errc::io, .where = "brotli", .system = ENOMEM};
}

class BrotliCompressor final : public Compressor {
  public:
    BrotliCompressor(int level, const Limits& limits) : level_(level), limits_(limits) {}

    std::string description() const override {
        const std::uint32_t version = BrotliEncoderVersion();  // 8, 12 and 12 bits
        return "brotli by libbrotli " + std::to_string(version >> 24U) + "." +
               std::to_string((version >> 12U) & 0xFFFU) + "." + std::to_string(version & 0xFFFU) +
               ", level " + std::to_string(level_) + ", without checksum";
    }

    Result<> compress(Bytes in, Buffer& out) override {
        std::size_t made = BrotliEncoderMaxCompressedSize(in.size());
        std::uint8_t* const room = out.prepare(made);
        if (BrotliEncoderCompress(level_, k_window_bits, BROTLI_MODE_GENERIC, in.size(), in.data(),
                                  &made, room) == BROTLI_FALSE) {
            return out_of_memory();  // the size given excludes every other reason
        }
        out.commit(made);
        return {};
    }

    Result<> decompress(Bytes in, Buffer& out) override {
        const std::unique_ptr<BrotliDecoderState, DestroyDecoder> decoder(
            BrotliDecoderCreateInstance(nullptr, nullptr, nullptr));
        if (decoder == nullptr) return out_of_memory();
        Expansion expansion(in.size(), limits_, out, known());
        std::size_t left = in.size();
        const std::uint8_t* next = in.data();
        for (;;) {
            const std::span<std::uint8_t> room = expansion.room();
            std::size_t free = room.size();
            std::uint8_t* to = room.data();
            const BrotliDecoderResult result =
                BrotliDecoderDecompressStream(decoder.get(), &left, &next, &free, &to, nullptr);
            const std::size_t offset = in.size() - left;
            if (!expansion.commit(room.size() - free)) return expansion.over_limit(offset);
            switch (result) {
                case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break;
                case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
                    return Error{.code = Errc::truncated,
                                 .offset = offset,
                                 .where = "RFC 7932: the compressed data is cut short"};
                case BROTLI_DECODER_RESULT_ERROR: return refusal(*decoder, offset);
                case BROTLI_DECODER_RESULT_SUCCESS:
                    if (left == 0) return {};
                    return Error{.offset = offset,
                                 .where = "RFC 7932 9.3: bytes after the last meta-block"};
            }
        }
    }

  private:
    static Error refusal(const BrotliDecoderState& decoder, std::size_t offset) {
        const BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(&decoder);
        if (code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
            code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES) {
            return out_of_memory();
        }
        return {.offset = offset, .where = "RFC 7932: not valid brotli data"};
    }

    int level_;
    Limits limits_;
};

}  // namespace

std::unique_ptr<Compressor> make_brotli(const SpecPart& part, const Limits& limits,
                                        std::string& why) {
    const std::optional<int> level = level_of(part, k_levels, why);
    if (!level) return nullptr;
    return std::make_unique<BrotliCompressor>(*level, limits);
}

}  // namespace perfrelay::compress
