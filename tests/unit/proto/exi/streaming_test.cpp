// The same bytes and the same events, in one piece or in many; and a trace that accounts for every
// bit.
#include <algorithm>
#include <memory>
#include <vector>

#include "common/base/stream.h"
#include "tests/unit/proto/exi/support.h"

namespace perfrelay::exi {
namespace {

const char* const k_specs[] = {"exi",
                               "exi:align=byte,all,cookie,options",
                               "exi:align=pre,blockSize=50",
                               "exi:align=comp",
                               "exi:align=comp,all,options,blockSize=9",
                               "exi:prefixes,sc={urn:example:orders}order",
                               "exi:sc={urn:example:orders}order",
                               "exi:fragment,vcap=3,vmax=6"};

// Each window in memory of its own, of the very size: what is in front of it or behind is not ours.
class StrictSource final : public ByteSource {
  public:
    StrictSource(Bytes bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}
    Result<Bytes> refill(std::size_t consumed) override {
        EXPECT_LE(consumed, window_ == nullptr ? 0 : window_->size());
        begin_ += consumed;
        end_ = std::min(end_ + piece_, bytes_.size());
        const Bytes now = bytes_.subspan(begin_, end_ - begin_);
        window_ = std::make_unique<std::vector<std::uint8_t>>(now.begin(), now.end());
        return Bytes(*window_);
    }

  private:
    Bytes bytes_;
    std::size_t piece_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::unique_ptr<std::vector<std::uint8_t>> window_;
};

TEST(Streaming, DecodesOutOfPieces) {
    for (const char* file : {"contract/records.xml", "contract/unicode.xml", "contract/misc.xml"}) {
        const auto document = document_of(data_file(file));
        for (const char* spec : k_specs) {
            const Buffer whole = encoded(spec, *document);
            const auto codec = codec_of(spec);
            const Result<Digest> expected = codec->decode(whole.view());
            ASSERT_TRUE(expected) << spec << ": " << describe(expected.error());
            for (const std::size_t piece : {1U, 2U, 7U, 64U, 100'000U}) {
                StrictSource source(whole.view(), piece);
                const Result<Digest> digest = codec->decode(source);
                ASSERT_TRUE(digest) << spec << ' ' << piece << ": " << describe(digest.error());
                EXPECT_EQ(*digest, *expected) << spec << ' ' << piece;
                for (std::size_t size = 0; size < whole.size(); size += 1 + size / 8) {
                    StrictSource part(whole.view().first(size), piece);
                    EXPECT_FALSE(codec->decode(part)) << spec << ' ' << piece << ' ' << size;
                }
            }
        }
    }
}

TEST(Streaming, EncodesIntoADrain) {
    const auto document = document_of(data_file("test.xml"));
    for (const char* spec : k_specs) {
        const Buffer whole = encoded(spec, *document);
        Buffer collected;
        BufferDrain drain(collected);
        ASSERT_TRUE(codec_of(spec)->encode(*document, drain));
        EXPECT_EQ(as_text(collected.view()), as_text(whole.view())) << spec;
    }
}

}  // namespace
}  // namespace perfrelay::exi
