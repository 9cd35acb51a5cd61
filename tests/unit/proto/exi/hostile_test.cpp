// Streams that a careless decoder would pay for.
#include <zlib.h>

#include "proto/exi/bit_writer.h"
#include "tests/unit/proto/exi/support.h"

namespace perfrelay::exi {
namespace {

Errc refusal(const std::string& spec, Bytes bytes, const Limits& limits = {}) {
    const Result<Digest> done = codec_of(spec, limits)->decode(bytes);
    EXPECT_FALSE(done) << spec;
    return done ? Errc::io : done.error().code;
}

// The start of a byte-aligned body: <a>, then one attribute at a time.
class Start {
  public:
    Start() : writer(out) {
        out.u8(0x80);
        name("a");
    }
    void name(std::string_view local) {
        writer.bits(2, 1);  // URI ""
        writer.unsigned_integer(local.size() + 1);
        writer.characters(local);
    }
    Buffer out;
    BitWriter<Packing::bytes> writer;
};

TEST(Hostile, AnAttributeTwice) {
    Start start;
    for (int i = 0; i < 2; ++i) {
        if (i != 0) start.writer.bits(1, 0);  // learned: AT(b)
        if (i == 0) {
            start.writer.bits(2, 1);  // 0.1: AT(*)
            start.name("b");
        }
        start.writer.unsigned_integer(3);
        start.writer.characters("v");
    }
    EXPECT_EQ(refusal("exi:align=byte", start.out.view()), Errc::malformed);
}

TEST(Hostile, HitsOfALongValueAreALimit) {
    Start start;
    start.writer.bits(2, 3);  // 0.3: CH
    const std::string text(1000, 'x');
    start.writer.unsigned_integer(text.size() + 2);
    start.writer.characters(text);
    for (int i = 0; i < 200; ++i) {
        // In the content: escape (EE is learned), CH; then CH is 0.
        if (i == 0) {
            start.writer.bits(1, 1);
            start.writer.bits(1, 1);
        } else {
            start.writer.bits(2, 0);
        }
        start.writer.unsigned_integer(0);
    }
    Limits limits;
    limits.max_document = 100'000;
    EXPECT_EQ(refusal("exi:align=byte", start.out.view(), limits), Errc::limit_exceeded);
}

TEST(Hostile, LengthsWithoutBytes) {
    Start start;
    start.writer.bits(2, 3);
    start.writer.unsigned_integer(std::uint64_t{1} << 27U);
    EXPECT_EQ(refusal("exi:align=byte", start.out.view()), Errc::truncated);
    start.writer.unsigned_integer(UINT64_MAX);
    Start longer;
    longer.writer.bits(2, 3);
    longer.writer.unsigned_integer(UINT64_MAX);
    EXPECT_EQ(refusal("exi:align=byte", longer.out.view()), Errc::limit_exceeded);
}

TEST(Hostile, IdentifiersThatNothingHas) {
    for (const std::uint64_t kind : {0U, 1U}) {
        Start start;
        start.writer.bits(2, 3);
        start.writer.unsigned_integer(kind);
        start.writer.characters("padding padding");
        EXPECT_EQ(refusal("exi:align=byte", start.out.view()), Errc::malformed);
    }
}

TEST(Hostile, ADeflateBomb) {
    // <a> and then text: a hundred million of one letter.
    std::string bomb;
    {
        Start start;
        start.writer.bits(2, 3);
        start.writer.bits(1, 0);  // EE; its value comes behind the structure
        start.writer.unsigned_integer(100'000'002);
        bomb = std::string(as_text(start.out.view())).substr(1) + std::string(100'000'000, 'x');
    }
    std::string packed(bomb.size() / 500, '\0');
    z_stream stream{};
    ASSERT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(bomb.data());
    stream.avail_in = static_cast<uInt>(bomb.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    Limits limits;
    limits.max_document = 50'000'000;
    EXPECT_EQ(refusal("exi:align=comp", as_bytes("\x80" + packed), limits), Errc::limit_exceeded);
    limits = {};
    limits.max_decompression_ratio = 100;
    EXPECT_EQ(refusal("exi:align=comp", as_bytes("\x80" + packed), limits), Errc::limit_exceeded);
}

TEST(Hostile, BytesBehindTheEnd) {
    const auto document = document_of("<a>x</a>");
    for (const char* spec : {"exi", "exi:align=byte", "exi:align=pre", "exi:align=comp"}) {
        Buffer bytes = encoded(spec, *document);
        bytes.u8(0);
        EXPECT_FALSE(codec_of(spec)->decode(bytes.view())) << spec;
    }
}

TEST(Hostile, StreamsThatNeedASchemaAreUnsupported) {
    // Options with schemaId "urn:x" (EXI 5.4, C): lesscommon not there, common, schemaId, CH.
    Buffer out;
    BitWriter<Packing::bits> writer(out);
    writer.bits(8, 0xA0);
    writer.bits(1, 0);
    writer.bits(2, 1);
    writer.bits(2, 2);
    writer.bits(1, 0);
    writer.string("urn:x..");
    writer.align();
    const Result<Digest> done = codec_of("exi")->decode(out.view());
    ASSERT_FALSE(done);
}

}  // namespace
}  // namespace perfrelay::exi
