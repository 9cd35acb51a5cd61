// EXI streams of every alignment under every fidelity option, by a mutator that knows what they
// are.
//
// Input: three bytes choose the options of a SPEC (out of band), the rest is a stream. The mutator
// works on
//   the options: the stream's document, encoded anew under others, or with them in its header;
//   the events: a document's subtree is left out, doubled, renamed, moved, given another text, an
//               attribute, a declaration, a comment; an xsi:type or xml:space among them;
//   the bits: as libFuzzer does; and of a compressed stream those inside, so that they inflate.
// Held: decoding whole, into a tape and in pieces agrees; what was decoded is encoded, decodes
// again and is the same; memory stays within 16 times the input and 64 MiB.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <zlib.h>

#include "common/base/stream.h"
#include "proto/formats.h"
#include "proto/model/tape_digest.h"
#include "tests/fuzz/require.h"
#include "tests/support/peak_heap.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace perfrelay {
namespace {

constexpr std::size_t k_chosen = 3;
constexpr std::size_t k_free_memory = std::size_t{64} << 20U;
constexpr std::size_t k_times_input = 16;

std::string spec_of(const std::uint8_t* chosen) {
    static constexpr const char* k_alignments[] = {"bit", "byte", "pre", "comp"};
    const bool channels = (chosen[0] & 2U) != 0;
    std::string spec = std::string("exi:align=") + k_alignments[chosen[0] & 3U];
    const auto add = [&](bool wanted, const char* option) {
        if (wanted) spec += std::string(",") + option;
    };
    const bool strict = (chosen[0] & 0xF0U) == 0xF0U;
    add(strict, "strict");
    add((chosen[0] & 4U) != 0, "lexical");
    add((chosen[0] & 8U) != 0, "options");
    add(!strict && (chosen[0] & 16U) != 0, "comments");
    add(!strict && (chosen[0] & 32U) != 0, "pis");
    add(!strict && (chosen[0] & 64U) != 0, "dtds");
    add(!strict && (chosen[0] & 128U) != 0, "prefixes");
    add((chosen[1] & 1U) != 0, "fragment");
    add((chosen[1] & 2U) != 0, "cookie");
    add((chosen[1] & 4U) != 0, "vcap=3");
    add((chosen[1] & 8U) != 0, "vmax=4");
    add((chosen[1] & 16U) != 0 && !strict && !channels, "sc=a;{u}b");
    add((chosen[1] & 32U) != 0, "blockSize=5");
    add((chosen[1] & 64U) != 0, "nolocal");
    add((chosen[1] & 128U) != 0 && channels, "blockSize=130");
    add((chosen[2] & 1U) != 0, "preview");
    add((chosen[2] & 2U) != 0 && (chosen[1] & 2U) == 0, "canonical");
    // The last blockSize stands twice where both bits do.
    const std::size_t first = spec.find(",blockSize=5");
    if (first != std::string::npos && spec.find(",blockSize=130") != std::string::npos)
        spec.erase(first, std::string(",blockSize=5").size());
    return spec;
}

Limits fuzz_limits() {
    Limits limits;
    limits.max_depth = 200;
    limits.max_names = 1000;
    limits.max_attributes = 200;
    return limits;
}

// Two of each SPEC: one holds what the other's bytes are compared with. Null: no such options.
struct Pair {
    std::unique_ptr<Codec> first;
    std::unique_ptr<Codec> second;
};

Pair& codecs(const std::string& spec) {
    static const FormatTable table = FormatTable::built_in();
    static std::map<std::string, Pair> made;
    // There are half a million option sets.
    if (made.size() >= 400 && !made.contains(spec)) made.clear();
    const auto [at, added] = made.try_emplace(spec);
    if (added) {
        std::string why;
        at->second.first = table.make(spec, {.limits = fuzz_limits()}, why);
        at->second.second = table.make(spec, {.limits = fuzz_limits()}, why);
    }
    return at->second;
}

void require(bool holds, const Codec& codec, const std::string& what) {
    if (!holds) perfrelay::require(false, codec.info().spec + ": " + what);
}

void check(Pair& pair, Bytes input) {
    Codec& codec = *pair.first;
    const PeakHeap heap;
    const Result<Digest> digest = codec.decode(input);
    require(heap.bytes() <= k_free_memory + k_times_input * input.size(), codec,
            std::to_string(heap.bytes()) + " bytes of memory");
    Document document;
    const Result<> done = codec.decode(input, document.xml);
    require(digest.has_value() == done.has_value(), codec, "the two decodes disagree");
    MemorySource source(input, 1 + input.size() % 61);
    const Result<Digest> streamed = pair.second->decode(source);
    require(digest.has_value() == streamed.has_value(), codec, "streamed, it is another outcome");
    if (!done) return;
    require(*digest == digest_of(document.xml), codec, "the digest is not the tape's");
    require(*digest == *streamed, codec, "streamed, it is another document");
    if (codec.cannot_represent(document, false)) return;
    Buffer out;
    const Result<> encoded = pair.second->encode(document, out);
    if (!encoded) {
        // What a stream's own options may hold and these may not: text in a fragment.
        require(encoded.error().code == Errc::unsupported, codec, describe(encoded.error()));
        return;
    }
    XmlTape again;
    const Result<> decoded = pair.second->decode(out.view(), again);
    require(decoded.has_value(), codec, decoded ? "" : describe(decoded.error()));
    const auto different = difference(document.xml, again, codec.info().fidelity);
    require(!different, codec, different.value_or(""));
}

// ---- the mutator

class Mutator {
  public:
    explicit Mutator(unsigned seed) : random_(seed) {}

    std::size_t run(std::uint8_t* data, std::size_t size, std::size_t max_size) {
        if (size < k_chosen + 1) return size_of_new(data, max_size);
        switch (below(6)) {
            case 0: {
                const std::size_t rest =
                    LLVMFuzzerMutate(data + k_chosen, size - k_chosen, max_size - k_chosen);
                return rest + k_chosen;
            }
            case 1: return inside(data, size, max_size);
            default: return structure(data, size, max_size);
        }
    }

  private:
    using Kind = XmlTape::Kind;

    std::size_t below(std::size_t n) { return random_() % n; }
    bool one_in(std::size_t n) { return below(n) == 0; }

    // Where there is no input to speak of: a document of a few elements.
    std::size_t size_of_new(std::uint8_t* data, std::size_t max_size) {
        if (max_size < k_chosen + 64) return 0;
        for (std::size_t i = 0; i < k_chosen; ++i)
            data[i] = static_cast<std::uint8_t>(random_());
        Document document;
        TapeSink<true> sink(document.xml);
        NameTable names;
        sink.start_document();
        sink.start_element(names.intern("", "a", ""));
        sink.end_element(names.intern("", "a", ""));
        sink.end_document();
        return put(document, data, max_size).value_or(k_chosen);
    }

    std::optional<std::size_t> put(const Document& document, std::uint8_t* data,
                                   std::size_t max_size) {
        Pair& pair = codecs(spec_of(data));
        Buffer out;
        if (pair.first == nullptr || pair.first->cannot_represent(document, false) ||
            !pair.first->encode(document, out) || out.size() > max_size - k_chosen) {
            return std::nullopt;
        }
        std::copy(out.view().begin(), out.view().end(), data + k_chosen);
        return out.size() + k_chosen;
    }

    // Options and events.
    std::size_t structure(std::uint8_t* data, std::size_t size, std::size_t max_size) {
        Pair& pair = codecs(spec_of(data));
        XmlTape tape;
        if (pair.first == nullptr ||
            !pair.first->decode(Bytes(data, size).subspan(k_chosen), tape)) {
            return LLVMFuzzerMutate(data, size, max_size);
        }
        Document document;
        change(tape, document.xml);
        std::uint8_t chosen[k_chosen];
        std::copy_n(data, k_chosen, chosen);
        if (one_in(2)) data[below(k_chosen)] = static_cast<std::uint8_t>(random_());
        if (const auto written = put(document, data, max_size)) return *written;
        std::copy_n(chosen, k_chosen, data);
        return put(document, data, max_size).value_or(size);
    }

    const QName* name() {
        static constexpr const char* k_uris[] = {"", "u", "v",
                                                 "http://www.w3.org/2001/XMLSchema-instance",
                                                 "http://www.w3.org/XML/1998/namespace"};
        static constexpr const char* k_locals[] = {"a",   "b",     "c",       "type",
                                                   "nil", "space", "\xC3\xA9"};
        const std::size_t uri = below(2) == 0 ? 0 : below(std::size(k_uris));
        return names_.intern(k_uris[uri], k_locals[below(std::size(k_locals))], "");
    }
    std::string text() {
        static constexpr const char* k_texts[] = {
            "x",        "",  "a:b", "preserve", "true", "12345", "\xF0\x9D\x84\x9E",
            "\xC3\xA9", " ", "]]>"};
        std::string text = k_texts[below(std::size(k_texts))];
        if (one_in(20)) text.append(below(600), 'y');
        return text;
    }

    // `from` with one change, or one here and there.
    void change(const XmlTape& from, XmlTape& to) {
        TapeSink<true> sink(to);
        const std::vector<XmlTape::Event>& events = from.events();
        const std::size_t target = below(events.size() + 1);
        const std::size_t what = below(8);
        const bool often = one_in(8);
        std::size_t skip_depth = 0;
        std::vector<const QName*> open;
        sink.start_document();
        for (std::size_t i = 0; i < events.size(); ++i) {
            const XmlTape::Event& event = events[i];
            const bool here = i == target || (often && one_in(6));
            if (skip_depth != 0) {
                if (event.kind() == Kind::start_element) ++skip_depth;
                if (event.kind() == Kind::end_element) --skip_depth;
                continue;
            }
            switch (event.kind()) {
                case Kind::start_element:
                    if (here && what == 0 && !open.empty()) {
                        skip_depth = 1;
                        break;
                    }
                    if (here && what == 1) twice(sink, events, i);
                    open.push_back(here && what == 2 ? name() : event.name);
                    sink.start_element(open.back());
                    if (here && what == 3) sink.attribute(name(), text());
                    break;
                case Kind::end_element:
                    if (here && what == 4) sink.characters(text());
                    if (here && what == 5) sink.comment("c");
                    if (here && what == 6) sink.processing_instruction("p", text());
                    if (here && what == 7) many(sink);
                    sink.end_element(open.back());
                    open.pop_back();
                    break;
                case Kind::characters:
                    sink.characters(here ? text() : std::string(event.text_view()));
                    break;
                case Kind::attribute:
                    if (here && what == 0) break;
                    sink.attribute(event.name, here ? text() : std::string(event.text_view()));
                    break;
                default: other(sink, event); break;
            }
        }
        sink.end_document();
    }

    // A copy of the element in front of it, without attributes.
    void twice(TapeSink<true>& sink, const std::vector<XmlTape::Event>& events, std::size_t i) {
        if (i == 0) return;
        std::size_t depth = 0;
        for (; i < events.size(); ++i) {
            if (events[i].kind() == Kind::start_element) {
                ++depth;
                sink.start_element(events[i].name);
            } else if (events[i].kind() == Kind::end_element) {
                sink.end_element(events[i].name);
                if (--depth == 0) return;
            } else if (events[i].kind() == Kind::characters) {
                sink.characters(events[i].text_view());
            }
        }
    }
    // Channels of more than a hundred values.
    void many(TapeSink<true>& sink) {
        const QName* const element = names_.intern("u", "b", "");
        const std::size_t count = 90 + below(30);
        for (std::size_t i = 0; i < count; ++i) {
            sink.start_element(element);
            sink.characters(std::to_string(below(50)));
            sink.end_element(element);
        }
    }
    static void other(TapeSink<true>& sink, const XmlTape::Event& event) {
        switch (event.kind()) {
            case Kind::doctype: sink.doctype(*event.doctype); break;
            case Kind::namespace_declaration:
                sink.namespace_declaration(event.first_view(), event.text_view());
                break;
            case Kind::comment: sink.comment(event.text_view()); break;
            case Kind::processing_instruction:
                sink.processing_instruction(event.first_view(), event.text_view());
                break;
            case Kind::entity_reference: sink.entity_reference(event.text_view()); break;
            default: break;
        }
    }

    // A compressed stream whose DEFLATE is right and what is in it is not: of the options in the
    // header, which is a byte then, and of one stream a block.
    std::size_t inside(std::uint8_t* data, std::size_t size, std::size_t max_size) {
        Pair& pair = codecs(spec_of(data));
        XmlTape tape;
        if (pair.first == nullptr ||
            !pair.first->decode(Bytes(data, size).subspan(k_chosen), tape)) {
            return LLVMFuzzerMutate(data, size, max_size);
        }
        Document document;
        TapeSink<true> keep(document.xml);
        tape.play(keep);
        data[0] = static_cast<std::uint8_t>((data[0] & ~0x0BU) | 2U);  // pre, no options document
        data[1] &= 0x4DU;                                              // no cookie, one block
        data[2] = 0;
        const auto written = put(document, data, max_size);
        if (!written || *written < k_chosen + 2) return size;
        const std::size_t body = k_chosen + 1;
        const std::size_t changed = LLVMFuzzerMutate(data + body, *written - body, max_size - body);
        if (one_in(4)) return body + changed;
        data[0] |= 3U;
        std::vector<std::uint8_t> packed(changed + 64);
        z_stream stream{};
        deflateInit2(&stream, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
        stream.next_in = data + body;
        stream.avail_in = static_cast<uInt>(changed);
        stream.next_out = packed.data();
        stream.avail_out = static_cast<uInt>(packed.size());
        const bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
        const std::size_t length = stream.total_out;
        deflateEnd(&stream);
        if (!whole || body + length > max_size) return body + changed;
        std::copy_n(packed.begin(), length, data + body);
        return body + length;
    }

    std::minstd_rand random_;
    NameTable names_;
};

}  // namespace
}  // namespace perfrelay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < perfrelay::k_chosen) return 0;
    perfrelay::Pair& pair = perfrelay::codecs(perfrelay::spec_of(data));
    if (pair.first == nullptr) return 0;
    perfrelay::check(pair, perfrelay::Bytes(data, size).subspan(perfrelay::k_chosen));
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    return perfrelay::Mutator(seed).run(data, size, max_size);
}
