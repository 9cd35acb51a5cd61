// Every compression library, through the same cases.
#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "proto/compress/brotli_compressor.h"
#include "proto/compress/libdeflate_compressor.h"
#include "proto/compress/lz4_compressor.h"
#include "proto/compress/zlib_compressor.h"
#include "proto/compress/zstd_compressor.h"

namespace perfrelay::compress {
namespace {

enum class Wire { gzip, zlib, zstd, brotli, lz4 };

struct Library {
    const char* label;
    std::function<std::unique_ptr<Compressor>(const SpecPart&, const Limits&, std::string&)> make;
    const char* lowest;
    const char* highest;
    const char* too_high;
    Wire wire;
    bool checksum = true;

    // NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
    friend void PrintTo(const Library& library, std::ostream* out) { *out << library.label; }
};

auto deflate(decltype(make_zlib)* make, DeflateWrapper wrapper) {
    return [make, wrapper](const SpecPart& part, const Limits& limits, std::string& why) {
        return make(wrapper, part, limits, why);
    };
}

const Library k_libraries[] = {
    {"zlib_gzip", deflate(make_zlib, DeflateWrapper::gzip), "0", "9", "10", Wire::gzip},
    {"zlib_deflate", deflate(make_zlib, DeflateWrapper::zlib), "0", "9", "10", Wire::zlib},
    {"libdeflate_gzip", deflate(make_libdeflate, DeflateWrapper::gzip), "0", "12", "13",
     Wire::gzip},
    {"libdeflate_deflate", deflate(make_libdeflate, DeflateWrapper::zlib), "0", "12", "13",
     Wire::zlib},
    {"zstd", make_zstd, "-7", "22", "23", Wire::zstd},
    {"brotli", make_brotli, "0", "11", "12", Wire::brotli, false},
    {"lz4", make_lz4, "0", "12", "13", Wire::lz4},
};

// Text that packs to about a fifth, of any length, the same on each run.
std::string text_of(std::size_t size) {
    std::string text;
    std::uint64_t state = 1;
    while (text.size() < size) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        text += "<reading at=\"2024-05-" + std::to_string(state >> 59U) + "\" value=\"" +
                std::to_string(state >> 40U) + "\"/>";
    }
    text.resize(size);
    return text;
}

class Compressors : public testing::TestWithParam<Library> {
  protected:
    std::unique_ptr<Compressor> make(const char* level = nullptr, const Limits& limits = {}) const {
        SpecPart part{.name = "it", .options = {}};
        if (level != nullptr) part.options.push_back({.key = level, .value = {}});
        std::string why;
        auto made = GetParam().make(part, limits, why);
        EXPECT_NE(made, nullptr) << why;
        return made;
    }
    static Buffer pack(Compressor& compressor, std::string_view text) {
        Buffer out;
        const Result<> done = compressor.compress(as_bytes(text), out);
        EXPECT_TRUE(done) << describe(done.error());
        return out;
    }
    static void expect_unpacks(Compressor& compressor, Bytes packed, std::string_view text) {
        Buffer out;
        const Result<> done = compressor.decompress(packed, out);
        ASSERT_TRUE(done) << describe(done.error());
        ASSERT_TRUE(as_text(out.view()) == text);
    }
};

TEST_P(Compressors, GivesBackWhatItTook) {
    const auto compressor = make();
    for (const std::size_t size : {0U, 1U, 2U, 100U, 4096U, 65'536U, 300'000U, 2'000'000U}) {
        const std::string text = text_of(size);
        const Buffer packed = pack(*compressor, text);
        expect_unpacks(*compressor, packed.view(), text);
        if (size >= 4096) {
            EXPECT_LT(packed.size(), size / 2);
        }
    }
}

TEST_P(Compressors, EveryLevelOfTheRange) {
    const std::string text = text_of(50'000);
    for (const char* level : {GetParam().lowest, "1", GetParam().highest}) {
        const auto compressor = make(level);
        EXPECT_NE(compressor->description().find("level " + std::string(level)), std::string::npos)
            << compressor->description();
        expect_unpacks(*compressor, pack(*compressor, text).view(), text);
    }
}

TEST_P(Compressors, NoLevelAboveTheRange) {
    std::string why;
    const SpecPart part{.name = "it", .options = {{.key = GetParam().too_high, .value = {}}}};
    EXPECT_EQ(GetParam().make(part, {}, why), nullptr);
    EXPECT_NE(why.find("no level"), std::string::npos) << why;
    EXPECT_NE(why.find(GetParam().highest), std::string::npos) << why;
}

// Whatever came before, and in a new context too: the same bytes.
TEST_P(Compressors, OutputIsReproducible) {
    const std::string first = text_of(80'000);
    const std::string second(70'000, 'y');
    for (const char* level : {GetParam().lowest, "1", "6", GetParam().highest}) {
        const auto compressor = make(level);
        const Buffer once = pack(*compressor, first);
        (void)pack(*compressor, second);
        (void)pack(*compressor, first.substr(17));
        ASSERT_TRUE(as_text(pack(*compressor, first).view()) == as_text(once.view())) << level;
        const auto other = make(level);
        ASSERT_TRUE(as_text(pack(*other, first).view()) == as_text(once.view())) << level;
    }
}

TEST_P(Compressors, AppendsInBothDirections) {
    const auto compressor = make();
    Buffer packed;
    packed.append(std::string_view("head"));
    ASSERT_TRUE(compressor->compress(as_bytes("text text text"), packed));
    ASSERT_EQ(as_text(packed.view()).substr(0, 4), "head");
    Buffer out;
    out.append(std::string_view("tail"));
    ASSERT_TRUE(compressor->decompress(packed.view().subspan(4), out));
    EXPECT_EQ(as_text(out.view()), "tailtext text text");
}

TEST_P(Compressors, EveryTruncationIsRefused) {
    const auto compressor = make();
    const std::string text = text_of(3000);
    const Buffer packed = pack(*compressor, text);
    for (std::size_t size = 0; size < packed.size(); ++size) {
        Buffer out;
        const Result<> done = compressor->decompress(packed.view().first(size), out);
        ASSERT_FALSE(done) << size << " of " << packed.size();
        ASSERT_STRNE(done.error().where, "");
    }
    expect_unpacks(*compressor, packed.view(), text);
}

TEST_P(Compressors, EveryFlippedBitIsRefusedOrHarmless) {
    const auto compressor = make();
    const std::string text = text_of(1000);
    Buffer packed = pack(*compressor, text);
    std::size_t changed = 0;
    for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
        const auto mask = static_cast<std::uint8_t>(1U << (bit % 8));
        packed.data()[bit / 8] ^= mask;
        Buffer out;
        const Result<> done = compressor->decompress(packed.view(), out);
        if (done && as_text(out.view()) != text) ++changed;
        packed.data()[bit / 8] ^= mask;
    }
    if (GetParam().checksum) {
        EXPECT_EQ(changed, 0U);
    }
    expect_unpacks(*compressor, packed.view(), text);
}

TEST_P(Compressors, BytesAfterTheEndAreRefused) {
    const auto compressor = make();
    for (const std::string_view garbage :
         {std::string_view("x"), std::string_view("\x1f"), std::string_view("\x1f\x8b"),
          std::string_view("\0", 1), std::string_view("\0\0\0\0\0\0\0\0", 8),
          std::string_view("garbage ")}) {
        Buffer packed = pack(*compressor, text_of(500));
        packed.append(garbage);
        Buffer out;
        EXPECT_FALSE(compressor->decompress(packed.view(), out)) << garbage;
    }
}

TEST_P(Compressors, SeveralStreamsWhereTheFormatHasThem) {
    const auto compressor = make();
    Buffer packed = pack(*compressor, "one ");
    packed.append(pack(*compressor, "").view());
    packed.append(pack(*compressor, "two").view());
    if (GetParam().wire == Wire::zlib || GetParam().wire == Wire::brotli) {
        Buffer out;
        EXPECT_FALSE(compressor->decompress(packed.view(), out));
        return;
    }
    expect_unpacks(*compressor, packed.view(), "one two");
    for (std::size_t size = 1; size < packed.size(); ++size) {
        Buffer out;
        const Result<> done = compressor->decompress(packed.view().first(size), out);
        ASSERT_TRUE(!done || as_text(out.view()) == "one ") << size;
    }
}

TEST_P(Compressors, DocumentLimitHoldsToTheByte) {
    Limits limits;
    limits.max_document = 100'000;
    const auto compressor = make(nullptr, limits);
    const std::string fits = text_of(100'000);
    expect_unpacks(*compressor, pack(*compressor, fits).view(), fits);
    Buffer out;
    const Result<> done = compressor->decompress(pack(*compressor, fits + "x").view(), out);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::limit_exceeded);
    EXPECT_LT(out.capacity(), 1'000'000U);
}

TEST_P(Compressors, BombIsRefusedByItsRatio) {
    Limits limits;
    limits.max_decompression_ratio = 10;
    const auto compressor = make(nullptr, limits);
    const Buffer bomb = pack(*compressor, std::string(40U << 20U, '\0'));
    ASSERT_LT(bomb.size(), std::size_t{1} << 20U);
    Buffer out;
    const Result<> done = compressor->decompress(bomb.view(), out);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::limit_exceeded);
    EXPECT_LE(out.capacity(), 64U << 20U);
    expect_unpacks(*compressor, pack(*compressor, "after it").view(), "after it");
}

TEST_P(Compressors, WarmBuffersDoNotGrow) {
    const auto compressor = make();
    const std::string text = text_of(200'000);
    Buffer packed;
    Buffer out;
    std::size_t packed_capacity = 0;
    std::size_t out_capacity = 0;
    for (int run = 0; run < 10; ++run) {
        packed.clear();
        out.clear();
        ASSERT_TRUE(compressor->compress(as_bytes(text), packed));
        ASSERT_TRUE(compressor->decompress(packed.view(), out));
        ASSERT_TRUE(as_text(out.view()) == text);
        if (run == 1) {
            packed_capacity = packed.capacity();
            out_capacity = out.capacity();
        }
    }
    EXPECT_EQ(packed.capacity(), packed_capacity);
    EXPECT_EQ(out.capacity(), out_capacity);
}

TEST_P(Compressors, GarbageIsRefused) {
    const auto compressor = make();
    std::uint64_t state = 7;
    for (int run = 0; run < 2000; ++run) {
        std::string garbage;
        for (int i = 0; i < run % 64; ++i) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            garbage += static_cast<char>(state >> 56U);
        }
        Buffer out;
        const Result<> done = compressor->decompress(as_bytes(garbage), out);
        // Brotli has neither magic number nor checksum: some garbage is valid.
        ASSERT_TRUE(!done || GetParam().wire == Wire::brotli) << run;
    }
}

INSTANTIATE_TEST_SUITE_P(Libraries, Compressors, testing::ValuesIn(k_libraries),
                         [](const auto& tested) { return std::string(tested.param.label); });

const SpecPart k_plain{.name = "it", .options = {}};

TEST(Deflate, BothLibrariesReadEachOther) {
    const std::string text = text_of(100'000);
    for (const DeflateWrapper wrapper : {DeflateWrapper::gzip, DeflateWrapper::zlib}) {
        std::string why;
        const auto zlib = make_zlib(wrapper, k_plain, {}, why);
        const auto libdeflate = make_libdeflate(wrapper, k_plain, {}, why);
        for (Compressor* from : {zlib.get(), libdeflate.get()}) {
            Buffer packed;
            ASSERT_TRUE(from->compress(as_bytes(text), packed));
            for (Compressor* to : {zlib.get(), libdeflate.get()}) {
                Buffer out;
                ASSERT_TRUE(to->decompress(packed.view(), out));
                ASSERT_TRUE(as_text(out.view()) == text);
            }
        }
    }
}

// RFC 1952 2.3: magic, method, no flags, no time; the system unknown (255).
TEST(Deflate, GzipHeaderSaysNothingOfTheMachine) {
    for (const auto make : {make_zlib, make_libdeflate}) {
        std::string why;
        const auto compressor = make(DeflateWrapper::gzip, k_plain, {}, why);
        Buffer packed;
        ASSERT_TRUE(compressor->compress(as_bytes("x"), packed));
        ASSERT_GE(packed.size(), 18U);
        const std::string_view header = as_text(packed.view().first(10));
        EXPECT_EQ(header.substr(0, 8), std::string_view("\x1f\x8b\x08\0\0\0\0\0", 8));
        EXPECT_EQ(header[9], '\xff');
    }
}

TEST(Deflate, WrappersAreNotMixedUp) {
    for (const auto make : {make_zlib, make_libdeflate}) {
        std::string why;
        const auto gzip = make(DeflateWrapper::gzip, k_plain, {}, why);
        const auto zlib = make(DeflateWrapper::zlib, k_plain, {}, why);
        Buffer packed;
        ASSERT_TRUE(gzip->compress(as_bytes("some text"), packed));
        Buffer out;
        EXPECT_FALSE(zlib->decompress(packed.view(), out));
    }
}

TEST(Deflate, ErrorsNameTheRule) {
    std::string why;
    const auto gzip = make_zlib(DeflateWrapper::gzip, k_plain, {}, why);
    Buffer packed;
    ASSERT_TRUE(gzip->compress(as_bytes("some text"), packed));
    packed.data()[packed.size() - 5] ^= 1U;  // the CRC's last byte
    Buffer out;
    const Result<> done = gzip->decompress(packed.view(), out);
    ASSERT_FALSE(done);
    EXPECT_STREQ(done.error().where, "RFC 1952 2.3.1: checksum or length does not match the data");
    const Result<> text = gzip->decompress(as_bytes("<xml/>"), out);
    ASSERT_FALSE(text);
    EXPECT_STREQ(text.error().where, "RFC 1952 2.3: not a gzip header");
}

// A frame that promises 2^60 bytes, by RFC 8878 3.1.1.1: the promise costs no memory.
TEST(Zstd, SizesInHeadersAreNotBelieved) {
    constexpr std::string_view k_frame("\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\0\0\x10\x01\0\0", 16);
    std::string why;
    const auto zstd = make_zstd(k_plain, {}, why);
    Buffer out;
    EXPECT_FALSE(zstd->decompress(as_bytes(k_frame), out));
    EXPECT_LT(out.capacity(), 1U << 20U);
}

TEST(Zstd, LevelNoughtIsNoLevel) {
    std::string why;
    const SpecPart part{.name = "zstd", .options = {{.key = "0", .value = {}}}};
    EXPECT_EQ(make_zstd(part, {}, why), nullptr);
    EXPECT_EQ(why,
              "zstd: no level 0; zstd takes 1 to 22, or negative ones to be faster, as in "
              "zstd:3");
}

}  // namespace
}  // namespace perfrelay::compress
