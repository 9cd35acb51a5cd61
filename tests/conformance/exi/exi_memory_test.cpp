// What decoding EXI holds: 64 MiB beyond a document of 20 MB, and never more than 16 times a
// hostile stream and 64 MiB. Counted are the program's own allocations; zlib's windows are 64 KiB.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "client/generate.h"
#include "proto/exi/bit_writer.h"
#include "proto/formats.h"
#include "proto/xml/loader.h"
#include "tests/support/codecs.h"
#include "tests/support/peak_heap.h"

namespace perfrelay::exi {
namespace {

constexpr std::size_t k_free = std::size_t{64} << 20U;

// The peak of decoding `input` by a codec that has decoded nothing before.
std::size_t peak_of(const std::string& spec, Bytes input, bool may_fail = false) {
    const auto codec = codec_of(spec);
    const PeakHeap heap;
    const Result<Digest> done = codec->decode(input);
    const std::size_t peak = heap.bytes();
    EXPECT_TRUE(done || may_fail) << spec << ": " << describe(done.error());
    return peak;
}

Buffer encoded(const std::string& spec, const XmlTape& tape) {
    Document document;
    TapeSink<true> sink(document.xml);
    tape.play(sink);
    Buffer out;
    const Result<> done = codec_of(spec)->encode(document, out);
    EXPECT_TRUE(done) << spec << ": " << describe(done.error());
    return out;
}

TEST(ExiMemory, ALargeDocument) {
    // Each kind: bench_exi --memory.
    for (const char* kind : {"records:20MB"}) {
        std::string why;
        Document document;
        client::generate(*client::parse_generator(kind, why), 1, document.source);
        ASSERT_TRUE(xml::load(document, {}));
        for (const std::string spec : {"exi", "exi:align=comp"}) {
            Buffer out;
            ASSERT_TRUE(codec_of(spec)->encode(document, out));
            const std::size_t peak = peak_of(spec, out.view());
            EXPECT_LE(peak, k_free) << kind << ", " << spec;
        }
    }
}

// A document, pushed.
class Made {
  public:
    Made() { sink_.start_document(); }
    void start(const std::string& uri, const std::string& local, const std::string& prefix = "") {
        open_.push_back(names_.intern(uri, local, prefix));
        sink_.start_element(open_.back());
    }
    void end() {
        sink_.end_element(open_.back());
        open_.pop_back();
    }
    TapeSink<true>& sink() { return sink_; }
    const XmlTape& finish() {
        while (!open_.empty())
            end();
        sink_.end_document();
        return tape_;
    }

  private:
    XmlTape tape_;
    NameTable names_;
    TapeSink<true> sink_{tape_};
    std::vector<const QName*> open_;
};

std::string short_text(std::size_t i) {
    std::string text;
    for (; text.empty() || i != 0; i /= 90)
        text += static_cast<char>(33 + i % 90);
    return text;
}

void expect_bounded(const std::string& spec, const Buffer& stream) {
    const std::size_t peak = peak_of(spec, stream.view(), true);
    EXPECT_LE(peak, k_free + 16 * stream.size())
        << spec << ", " << stream.size() << " bytes: " << (peak >> 20U) << " MiB";
    std::printf("%-40s %9zu bytes, %4zu MiB\n", spec.c_str(), stream.size(), peak >> 20U);
}

TEST(ExiMemory, ManyNames) {
    Made elements;
    elements.start("", "r");
    for (std::size_t i = 0; i < 130'000; ++i) {
        elements.start("", "n" + short_text(i));
        elements.end();
    }
    const XmlTape& tape = elements.finish();
    for (const char* spec : {"exi", "exi:align=comp"})
        expect_bounded(spec, encoded(spec, tape));
}

TEST(ExiMemory, ManyNamespaces) {
    Made made;
    made.start("", "r");
    for (std::size_t i = 0; i < 65'000; ++i) {
        made.start(short_text(i), "n");
        made.end();
    }
    const XmlTape& tape = made.finish();
    for (const char* spec : {"exi", "exi:align=comp"})
        expect_bounded(spec, encoded(spec, tape));
}

// Each name had a copy of its URI.
TEST(ExiMemory, ALongUriOfManyNames) {
    const std::string uri(8000, 'u');
    Made made;
    made.start(uri, "r");
    for (std::size_t i = 0; i < 20'000; ++i) {
        made.start(uri, "n" + short_text(i));
        made.end();
    }
    const XmlTape& tape = made.finish();
    for (const char* spec : {"exi", "exi:align=comp"})
        expect_bounded(spec, encoded(spec, tape));
}

TEST(ExiMemory, ManyPrefixes) {
    Made made;
    made.start("u", "r", "p");
    made.sink().namespace_declaration("p", "u");
    for (std::size_t i = 0; i < 10'000; ++i) {
        const std::string prefix = "q" + short_text(i);
        made.start("u", "n", prefix);
        made.sink().namespace_declaration(prefix, "u");
        made.end();
    }
    const XmlTape& tape = made.finish();
    for (const char* spec : {"exi:prefixes", "exi:prefixes,align=comp"})
        expect_bounded(spec, encoded(spec, tape));
}

TEST(ExiMemory, ManyValues) {
    Made made;
    made.start("", "r");
    for (std::size_t i = 0; i < 600'000; ++i) {
        made.start("", "v");
        made.sink().characters(short_text(i));
        made.end();
    }
    const XmlTape& tape = made.finish();
    for (const char* spec : {"exi", "exi:align=comp"})
        expect_bounded(spec, encoded(spec, tape));
}

// What packs well: a block of nothing but the same element, and values that are hits.
TEST(ExiMemory, LargeBlocks) {
    for (const bool text : {false, true}) {
        Made made;
        made.start("", "r");
        for (std::size_t i = 0; i < 1'500'000; ++i) {
            made.start("", "v");
            if (text) made.sink().characters("x");
            made.end();
        }
        const XmlTape& tape = made.finish();
        for (const char* spec :
             {"exi:align=pre", "exi:align=comp", "exi:align=comp,options,blockSize=4000000000"})
            expect_bounded(spec, encoded(spec, tape));
    }
}

TEST(ExiMemory, Depth) {
    Made made;
    for (std::size_t i = 0; i < 500'000; ++i)
        made.start("", "d");
    const XmlTape& tape = made.finish();
    for (const char* spec : {"exi", "exi:align=comp"})
        expect_bounded(spec, encoded(spec, tape));
}

// EXI 8.4.3: SE(*) teaches each time, though the name is known; an encoder of ours never does so.
TEST(ExiMemory, ManyProductions) {
    Buffer out;
    BitWriter<Packing::bits> writer(out);
    const auto name = [&](char local, bool known, unsigned names) {
        writer.bits(2, 1);  // URI ""
        if (known) {
            writer.unsigned_integer(0);
            writer.bits(width_of(names), names - 1);
        } else {
            writer.unsigned_integer(2);
            writer.characters(std::string_view(&local, 1));
        }
    };
    writer.bits(8, 0x80);
    name('a', false, 0);
    std::uint32_t productions = 1;  // of the content: EE
    for (std::size_t i = 0; i < 1'000'000; ++i) {
        if (i == 0) {
            writer.bits(2, 2);  // start tag: 0.2 is SE(*) (EE, AT(*), SE(*), CH)
        } else {
            writer.bits(width_of(productions + 1), productions);
            writer.bits(1, 0);  // SE(*), CH
            ++productions;
        }
        name('b', i != 0, 2);
        if (i == 0) {
            writer.bits(2, 0);  // 0.0: EE, learned
        } else {
            writer.bits(1, 0);
        }
    }
    writer.align();
    expect_bounded("exi", out);
}

}  // namespace
}  // namespace perfrelay::exi
