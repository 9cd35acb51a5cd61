// Damaged EXI streams: every truncation and every single-bit flip of vectors is an error or a valid
// document, and costs no more memory than 16 times its size and 64 MiB.
//
//   exi_mutations DIRECTORY [VECTORS]     of vectors/exi or tests/data/exi; 200 schema-less vectors
//                                         without a number, spread over the manifest
//
// A document is valid when it is the same by both decodes and streamed in small pieces, is
// balanced, has texts of UTF-8 without NUL, and comes back equal from its own encoding under the
// same options. Exit 0 when all hold, 1 when not, 77 when the directory is not there.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "common/base/stream.h"
#include "proto/formats.h"
#include "tests/conformance/exi/vector_files.h"
#include "tests/support/peak_heap.h"

namespace perfrelay::vectors {
namespace {

constexpr std::size_t k_free_memory = std::size_t{64} << 20U;
constexpr std::size_t k_times_input = 16;

// UTF-8 of RFC 3629, without NUL.
bool is_text(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        if (lead == 0) return false;
        const std::size_t size = lead < 0x80   ? 1
                                 : lead < 0xC2 ? 0
                                 : lead < 0xE0 ? 2
                                 : lead < 0xF0 ? 3
                                 : lead < 0xF5 ? 4
                                               : 0;
        if (size == 0 || i + size > text.size()) return false;
        std::uint32_t code = size == 1 ? lead : lead & (0xFFU >> (size + 1));
        for (std::size_t k = 1; k < size; ++k) {
            const auto tail = static_cast<unsigned char>(text[i + k]);
            if (tail >> 6U != 2) return false;
            code = (code << 6U) | (tail & 0x3FU);
        }
        if ((size == 3 && code < 0x800) || (size == 4 && code < 0x10000)) return false;
        if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
        i += size;
    }
    return true;
}

// What is wrong with a document that no reader should have made, or "".
std::string fault_of(const XmlTape& tape) {
    std::vector<const QName*> open;
    for (const XmlTape::Event& event : tape.events()) {
        if (!is_text(event.text_view())) return "a text that is none";
        switch (event.kind()) {
            case XmlTape::Kind::start_element: open.push_back(event.name); break;
            case XmlTape::Kind::end_element:
                if (open.empty() || !open.back()->same_expanded(*event.name)) return "no balance";
                open.pop_back();
                break;
            default: break;
        }
    }
    return open.empty() ? "" : "elements that do not end";
}

class Checker {
  public:
    explicit Checker(std::string spec) : codec_(make(spec)), second_(make(spec)) {}

    bool made() const { return codec_ != nullptr && second_ != nullptr; }
    std::size_t accepted() const { return accepted_; }
    std::size_t most_memory() const { return most_memory_; }

    // "" or what is wrong.
    std::string check(Bytes input) {
        const PeakHeap heap;
        const Result<Digest> digest = codec_->decode(input);
        const std::size_t memory = heap.bytes();
        most_memory_ = std::max(most_memory_, memory);
        if (memory > k_free_memory + k_times_input * input.size())
            return std::to_string(memory) + " bytes of memory";
        MemorySource source(input, 1 + input.size() % 7);
        const Result<Digest> streamed = second_->decode(source);
        if (digest.has_value() != streamed.has_value()) return "streamed, it is another outcome";
        if (!digest) return "";
        ++accepted_;
        if (*digest != *streamed) return "streamed, it is another document";
        Document document;
        if (auto done = codec_->decode(input, document.xml); !done) return describe(done.error());
        if (std::string fault = fault_of(document.xml); !fault.empty()) return fault;
        if (codec_->cannot_represent(document, false)) return "";
        Buffer out;
        if (auto done = second_->encode(document, out); !done) return describe(done.error());
        XmlTape again;
        if (auto done = second_->decode(out.view(), again); !done) return describe(done.error());
        return difference(document.xml, again, second_->info().fidelity).value_or("");
    }

  private:
    static std::unique_ptr<Codec> make(const std::string& spec) {
        std::string why;
        return FormatTable::built_in().make(spec, {}, why);
    }

    std::unique_ptr<Codec> codec_;
    std::unique_ptr<Codec> second_;
    std::size_t accepted_ = 0;
    std::size_t most_memory_ = 0;
};

int run(const std::string& directory, std::size_t wanted) {
    const auto manifest = read_manifest(directory + "/manifest.tsv");
    if (!manifest) {
        std::printf("SKIP: %s is not there\n", directory.c_str());
        return 77;
    }
    std::vector<const Row*> rows;
    for (const Row& row : *manifest) {
        // The longest are a hundred times the others' work.
        if (row.at("xsd") == "-" && std::stoul(row.at("bytes")) <= 1000) rows.push_back(&row);
    }
    const std::size_t count = std::min(wanted, rows.size());
    std::size_t tried = 0;
    std::size_t accepted = 0;
    std::size_t failed = 0;
    std::size_t memory = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Row& row = *rows[i * rows.size() / count];
        const std::string& options = row.at("options");
        Checker checker(options == "-" ? "exi" : "exi:" + options);
        const auto stream = file_text(directory + "/" + row.at("exi"));
        if (!checker.made() || !stream) {
            std::printf("%s: cannot be read\n", row.at("exi").c_str());
            ++failed;
            continue;
        }
        const auto judge = [&](const std::string& damage, Bytes bytes) {
            ++tried;
            const std::string fault = checker.check(bytes);
            if (fault.empty()) return;
            if (++failed <= 20) {
                std::printf("%s (%s), %s: %s\n", row.at("exi").c_str(), options.c_str(),
                            damage.c_str(), fault.c_str());
            }
        };
        for (std::size_t cut = 0; cut < stream->size(); ++cut)
            judge("cut to " + std::to_string(cut), as_bytes(*stream).first(cut));
        for (std::size_t bit = 0; bit < stream->size() * 8; ++bit) {
            std::string damaged = *stream;
            damaged[bit / 8] = static_cast<char>(static_cast<unsigned char>(damaged[bit / 8]) ^
                                                 (0x80U >> (bit % 8)));
            judge("bit " + std::to_string(bit), as_bytes(damaged));
        }
        accepted += checker.accepted();
        memory = std::max(memory, checker.most_memory());
    }
    std::printf(
        "%zu vectors, %zu damaged streams: %zu refused, %zu valid documents, %zu wrong; at "
        "most %zu bytes of memory\n",
        count, tried, tried - accepted, accepted, failed, memory);
    return failed == 0 && tried != 0 ? 0 : 1;
}

}  // namespace
}  // namespace perfrelay::vectors

int main(int argc, char** argv) {
    std::size_t vectors = 200;
    const std::string_view number = argc > 2 ? argv[2] : "200";
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), vectors);
    if (argc < 2 || error != std::errc() || *end != '\0' || vectors == 0) {
        std::printf("usage: exi_mutations DIRECTORY [VECTORS]\n");
        return 2;
    }
    return perfrelay::vectors::run(argv[1], vectors);
}
