// Packing and unpacking step by step; what whole codecs make of it is in tests/contract.
#include "proto/compress/streams.h"

#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "proto/compress/zlib_compressor.h"
#include "proto/compress/zstd_compressor.h"

namespace perfrelay::compress {
namespace {

struct Library {
    const char* name;
    std::function<std::unique_ptr<Compressor>(const Limits&)> make;
};

std::vector<Library> libraries() {
    static std::string why;
    return {{"gzip", [](const Limits& l) { return make_zlib(DeflateWrapper::gzip, {}, l, why); }},
            {"zlib", [](const Limits& l) { return make_zlib(DeflateWrapper::zlib, {}, l, why); }},
            {"zstd", [](const Limits& l) { return make_zstd({}, l, why); }}};
}

std::string text_of(std::size_t size) {
    std::string text;
    for (std::size_t i = 0; text.size() < size; ++i)
        text += std::to_string(i * 7919) + ",";
    return text;
}

std::string packed(Compressor& compressor, std::string_view text, std::size_t piece) {
    Buffer out;
    BufferDrain end(out);
    PackingDrain drain(*compressor.packer());
    EXPECT_TRUE(drain.start(end));
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
        EXPECT_TRUE(drain.write(as_bytes(text.substr(0, piece))));
    EXPECT_TRUE(drain.finish());
    return std::string(as_text(out.view()));
}

Result<std::string> unpacked(Compressor& compressor, std::string_view bytes, std::size_t piece,
                             const Limits& limits = {}, std::size_t known = 0) {
    MemorySource input(as_bytes(bytes), piece);
    UnpackingSource source(*compressor.unpacker(), limits);
    source.expect(known);
    if (auto ready = source.start(input); !ready) return ready.error();
    std::string all;
    std::size_t window = 0;
    while (true) {
        const auto more = source.refill(window);
        if (!more) return more.error();
        if (more->empty()) break;
        window = more->size();
        all += as_text(*more);
    }
    if (auto done = source.finish(); !done) return done.error();
    return all;
}

TEST(Streams, WhatWasPackedComesBack) {
    for (const Library& library : libraries()) {
        const auto compressor = library.make({});
        for (const std::size_t size : {0U, 1U, 1000U, 300'000U}) {
            const std::string text = size == 0 ? "" : text_of(size);
            for (const std::size_t piece : {1000U, 100'000U}) {
                const std::string bytes = packed(*compressor, text, piece);
                const auto back = unpacked(*compressor, bytes, 777);
                ASSERT_TRUE(back) << library.name << describe(back.error());
                EXPECT_EQ(*back, text) << library.name;
                // And by the call for whole documents.
                Buffer whole;
                ASSERT_TRUE(compressor->decompress(as_bytes(bytes), whole)) << library.name;
                EXPECT_EQ(as_text(whole.view()), text);
            }
        }
    }
}

// RFC 1952 2.2 and RFC 8878 3.1: members and frames follow one another; nothing follows with zlib.
TEST(Streams, StreamsThatFollowOneAnother) {
    for (const Library& library : libraries()) {
        const auto compressor = library.make({});
        const std::string two = packed(*compressor, "one ", 9) + packed(*compressor, "two", 9);
        for (std::size_t piece = 1; piece < two.size(); ++piece) {
            const auto back = unpacked(*compressor, two, piece);
            if (std::string_view(library.name) == "zlib") {
                ASSERT_FALSE(back);
                EXPECT_STREQ(back.error().where, "RFC 1950 2.2: bytes after the checksum");
            } else {
                ASSERT_TRUE(back) << library.name << piece << describe(back.error());
                EXPECT_EQ(*back, "one two");
            }
        }
    }
}

TEST(Streams, EveryTruncationAndWhatFollowsIsAnError) {
    for (const Library& library : libraries()) {
        const auto compressor = library.make({});
        const std::string bytes = packed(*compressor, text_of(500), 100);
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            const auto back = unpacked(*compressor, std::string_view(bytes).substr(0, size), 50);
            ASSERT_FALSE(back) << library.name << size;
            EXPECT_EQ(back.error().code, Errc::truncated) << library.name << size;
        }
        for (const char* after : {"x", "xy", "\x1F"}) {
            EXPECT_FALSE(unpacked(*compressor, bytes + after, 50)) << library.name;
        }
        EXPECT_TRUE(unpacked(*compressor, bytes, 50)) << library.name;
    }
}

TEST(Streams, ABombIsStoppedEarly) {
    for (const Library& library : libraries()) {
        const auto compressor = library.make({});
        const std::string bytes = packed(*compressor, std::string(40U << 20U, 'a'), 1U << 20U);
        const auto back = unpacked(*compressor, bytes, 4096, {.max_decompression_ratio = 100});
        ASSERT_FALSE(back) << library.name;
        EXPECT_EQ(back.error().code, Errc::limit_exceeded) << library.name;
        EXPECT_TRUE(
            unpacked(*compressor, bytes, 4096, {.max_decompression_ratio = 100}, 40U << 20U))
            << library.name << ": what was packed here is no bomb";
    }
}

// Room is used up to the last byte before it is handed over.
TEST(Streams, HandsOverFullPieces) {
    class Sizes final : public ByteDrain {
      public:
        Result<> write(Bytes bytes) override {
            sizes.push_back(bytes.size());
            return {};
        }
        std::vector<std::size_t> sizes;
    };
    const auto compressor = libraries()[0].make({});
    Sizes sizes;
    PackingDrain drain(*compressor->packer());
    ASSERT_TRUE(drain.start(sizes));
    ASSERT_TRUE(drain.write(as_bytes(text_of(1'000'000))));
    ASSERT_TRUE(drain.finish());
    ASSERT_GT(sizes.sizes.size(), 2U);
    for (std::size_t i = 0; i + 1 < sizes.sizes.size(); ++i)
        EXPECT_EQ(sizes.sizes[i], std::size_t{32} << 10U);
}

}  // namespace
}  // namespace perfrelay::compress
