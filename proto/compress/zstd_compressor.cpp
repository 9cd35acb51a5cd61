#include "proto/compress/zstd_compressor.h"

#include <cerrno>

#include <zstd.h>
#include <zstd_errors.h>

#include "proto/compress/expansion.h"
#include "proto/compress/level.h"
#include "proto/compress/zstd_dictionary.h"

namespace perfrelay::compress {

namespace {

struct FreeContext {
    void operator()(ZSTD_CCtx* it) const { ZSTD_freeCCtx(it); }
    void operator()(ZSTD_DCtx* it) const { ZSTD_freeDCtx(it); }
    void operator()(ZSTD_CDict* it) const { ZSTD_freeCDict(it); }
    void operator()(ZSTD_DDict* it) const { ZSTD_freeDDict(it); }
};

Error out_of_memory() {
    return {.code = Errc::io, .where = "zstd", .system = ENOMEM};
}

Error refusal(std::size_t result) {
    switch (ZSTD_getErrorCode(result)) {
        case ZSTD_error_srcSize_wrong:
            return {.code = Errc::truncated,
                    .where = "RFC 8878: the compressed data is cut short, or bytes follow it"};
        case ZSTD_error_checksum_wrong:
            return {.where = "RFC 8878 3.1.1: checksum does not match the data"};
        case ZSTD_error_prefix_unknown:
            return {.where = "RFC 8878 3.1: not a zstd frame, or bytes follow it"};
        case ZSTD_error_dictionary_wrong:
        case ZSTD_error_dictionary_corrupted:
            return {.code = Errc::unsupported,
                    .where =
                        "RFC 8878 5: packed with a dictionary, and this is not it; it is "
                        "named as in xml+zstd:dict=FILE"};
        case ZSTD_error_memory_allocation: return out_of_memory();
        default: return {.where = "RFC 8878: not valid zstd data"};  // the library's list is open
    }
}

// What both directions are set up with.
struct Settings {
    int level = 0;
    Buffer dictionary;  // empty: none, and neither of these
    std::unique_ptr<ZSTD_CDict, FreeContext> packing;
    std::unique_ptr<ZSTD_DDict, FreeContext> unpacking;

    // "" or why not.
    std::string take_dictionary(const std::string& file) {
        std::string why;
        auto read = read_dictionary(file, why);
        if (!read) return why;
        dictionary = std::move(*read);
        packing.reset(ZSTD_createCDict(dictionary.data(), dictionary.size(), level));
        unpacking.reset(ZSTD_createDDict(dictionary.data(), dictionary.size()));
        if (packing != nullptr && unpacking != nullptr) return "";
        return file + ": the dictionary is damaged, or there is no memory for it";
    }
};

// The contexts are those of the calls for whole documents; each call starts them anew.
class ZstdPacker final : public StreamCoder {
  public:
    explicit ZstdPacker(ZSTD_CCtx* context) : context_(context) {}

    Result<> restart() override {
        if (context_ == nullptr) return out_of_memory();
        ZSTD_CCtx_reset(context_, ZSTD_reset_session_only);
        return {};
    }
    Result<Step> step(Bytes in, bool last, std::span<std::uint8_t> out) override {
        ZSTD_inBuffer from{in.data(), in.size(), 0};
        ZSTD_outBuffer to{out.data(), out.size(), 0};
        const std::size_t left =
            ZSTD_compressStream2(context_, &to, &from, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left) != 0) return refusal(left);
        return Step{from.pos, to.pos, last && left == 0};
    }
    const char* cut_short() const override { return ""; }
    const char* bytes_after() const override { return ""; }

  private:
    ZSTD_CCtx* context_;
};

class ZstdUnpacker final : public StreamCoder {
  public:
    explicit ZstdUnpacker(ZSTD_DCtx* context) : context_(context) {}

    Result<> restart() override {
        if (context_ == nullptr) return out_of_memory();
        ZSTD_DCtx_reset(context_, ZSTD_reset_session_only);
        return {};
    }
    Result<Step> step(Bytes in, bool /*last*/, std::span<std::uint8_t> out) override {
        ZSTD_inBuffer from{in.data(), in.size(), 0};
        ZSTD_outBuffer to{out.data(), out.size(), 0};
        const std::size_t left = ZSTD_decompressStream(context_, &to, &from);
        if (ZSTD_isError(left) != 0) return refusal(left);
        return Step{from.pos, to.pos, left == 0};
    }
    // RFC 8878 3.1: frames, and skippable ones, follow one another; the next call judges.
    bool continues(Bytes) const override { return true; }
    const char* cut_short() const override { return "RFC 8878: the compressed data is cut short"; }
    const char* bytes_after() const override { return "RFC 8878 3.1: bytes after the frame"; }

  private:
    ZSTD_DCtx* context_;
};

class ZstdCompressor final : public Compressor {
  public:
    ZstdCompressor(Settings settings, const Limits& limits)
        : settings_(std::move(settings)),
          limits_(limits),
          compressor_(ZSTD_createCCtx()),
          decompressor_(ZSTD_createDCtx()) {
        if (compressor_ == nullptr || decompressor_ == nullptr) return;  // said by the first call
        // Parameters stay with the context from document to document.
        ZSTD_CCtx* const context = compressor_.get();
        const std::size_t level =
            ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, settings_.level);
        const std::size_t checksum = ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
        assert(!ZSTD_isError(level) && !ZSTD_isError(checksum));  // in range, by level_of
        (void)level;
        (void)checksum;
        if (settings_.dictionary.empty()) return;
        ZSTD_CCtx_refCDict(context, settings_.packing.get());
        ZSTD_DCtx_refDDict(decompressor_.get(), settings_.unpacking.get());
    }

    std::string description() const override {
        return "zstd by libzstd " + std::string(ZSTD_versionString()) + ", level " +
               std::to_string(settings_.level) + ", with checksum" + about_dictionary();
    }
    std::uint64_t shared() const override { return settings_.dictionary.size(); }

    Result<> compress(Bytes in, Buffer& out) override {
        if (compressor_ == nullptr) return out_of_memory();
        const std::size_t bound = ZSTD_compressBound(in.size());
        std::uint8_t* const room = out.prepare(bound);
        const std::size_t made =
            ZSTD_compress2(compressor_.get(), room, bound, in.data(), in.size());
        if (ZSTD_isError(made) != 0) return refusal(made);
        out.commit(made);
        return {};
    }

    Result<> decompress(Bytes in, Buffer& out) override {
        if (decompressor_ == nullptr) return out_of_memory();
        // The library takes no input for no frames; a document always has one.
        if (in.empty()) return Error{.code = Errc::truncated, .where = "RFC 8878 3.1: no frame"};
        Expansion expansion(in.size(), limits_, out, known());
        std::span<std::uint8_t> room = expansion.room();
        while (!room.empty()) {
            const std::size_t made = ZSTD_decompressDCtx(decompressor_.get(), room.data(),
                                                         room.size(), in.data(), in.size());
            if (ZSTD_isError(made) == 0) {
                if (!expansion.commit(made)) break;
                return {};
            }
            if (ZSTD_getErrorCode(made) != ZSTD_error_dstSize_tooSmall) return refusal(made);
            room = expansion.room_above(room.size());
        }
        return expansion.over_limit(0);
    }

    StreamCoder* packer() override { return &packer_; }
    StreamCoder* unpacker() override { return &unpacker_; }

  private:
    std::string about_dictionary() const {
        if (settings_.dictionary.empty()) return "";
        return ", dictionary " + std::to_string(dictionary_id(settings_.dictionary.view())) +
               " of " + std::to_string(settings_.dictionary.size()) +
               " bytes, which both sides hold beforehand";
    }

    Settings settings_;
    Limits limits_;
    std::unique_ptr<ZSTD_CCtx, FreeContext> compressor_;
    std::unique_ptr<ZSTD_DCtx, FreeContext> decompressor_;
    ZstdPacker packer_{compressor_.get()};
    ZstdUnpacker unpacker_{decompressor_.get()};
};

}  // namespace

std::unique_ptr<Compressor> make_zstd(const SpecPart& part, const Limits& limits,
                                      std::string& why) {
    const LevelRange levels{.lowest = ZSTD_minCLevel(), .highest = ZSTD_maxCLevel(), .usual = 3};
    SpecPart rest = part;
    std::optional<std::string> file;
    for (auto option = rest.options.begin(); option != rest.options.end();) {
        if (option->key != "dict") {
            ++option;
            continue;
        }
        if (file || !option->value || option->value->empty()) {
            why = "zstd: one dictionary, as in zstd:dict=FILE";
            return nullptr;
        }
        file = dictionary_file(*option->value);
        option = rest.options.erase(option);
    }
    const std::optional<int> level = level_of(rest, levels, why);
    if (!level) return nullptr;
    if (*level == 0) {
        // To the library 0 is another word for its default; a title "zstd:0" would mislead.
        why = "zstd: no level 0; zstd takes 1 to " + std::to_string(levels.highest) +
              ", or negative ones to be faster, as in zstd:3";
        return nullptr;
    }
    Settings settings;
    settings.level = *level;
    if (file && !(why = settings.take_dictionary(*file)).empty()) return nullptr;
    return std::make_unique<ZstdCompressor>(std::move(settings), limits);
}

}  // namespace perfrelay::compress
