#include "client/generate.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <iterator>
#include <memory>
#include <vector>

#include "client/option_values.h"
#include "common/cli/units.h"
#include "proto/codec/document.h"
#include "proto/model/sample_objects.h"
#include "proto/object_formats.h"

namespace perfrelay::client {
namespace {

constexpr std::uint64_t k_large = 900'000;
constexpr auto k_objects_seed_bits = static_cast<std::uint64_t>(k_objects_seed);
constexpr GeneratedKindLine k_kinds[] = {
    {"records", GeneratedKind::records, k_large, "xml"},
    {"mixed", GeneratedKind::mixed, k_large, "xml"},
    {"messages", GeneratedKind::messages, 1'000, "xml"},
    {"deep", GeneratedKind::deep, k_large, "xml"},
    {"company", GeneratedKind::company, 1'000, "javaser", k_company_seed, 80},
    {"objects", GeneratedKind::objects, 50, "javaser", k_objects_seed_bits, 10'000},
    {"strings", GeneratedKind::strings, 10'000, "javaser", k_objects_seed_bits, 80},
};

constexpr std::array<std::string_view, 64> k_words{
    "the",     "of",        "and",     "a",        "to",       "in",       "is",      "that",
    "for",     "with",      "on",      "by",       "from",     "this",     "are",     "be",
    "at",      "as",        "not",     "which",    "when",     "each",     "time",    "water",
    "bridge",  "harbour",   "signal",  "cargo",    "measure",  "river",    "engine",  "letter",
    "morning", "window",    "Straße",  "café",     "naïve",    "Zürich",   "smörgås", "déjà",
    "relay",   "timetable", "between", "carriage", "platform", "northern", "weather", "station",
    "forward", "several",   "without", "further",  "machine",  "gravel",   "copper",  "winter",
    "evening", "through",   "against", "quarter",  "length",   "broken",   "little",  "journey"};

// splitmix64 (Steele, Lea, Flood 2014): every seed is a good one.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }
    // 0 to `count` - 1.
    std::uint32_t below(std::uint32_t count) {
        return static_cast<std::uint32_t>(((next() >> 32U) * count) >> 32U);
    }
    std::uint32_t between(std::uint32_t least, std::uint32_t most) {
        return least + below(most - least + 1);
    }
    bool one_in(std::uint32_t count) { return below(count) == 0; }

  private:
    std::uint64_t state_;
};

class Writer {
  public:
    Writer(Buffer& out, const Generator& what, std::uint64_t seed)
        : out_(out), end_(out.size() + what.size), random_(seed) {
        text("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    }

    void records() {
        text("<orders xmlns=\"urn:perfrelay:orders\" xmlns:g=\"urn:perfrelay:geo\">");
        for (std::uint64_t id = 100'001; wants_more(id == 100'001, "</orders>"); ++id)
            order(id);
        text("</orders>");
    }

    void mixed() {
        text("<article xml:lang=\"en\"><title>");
        words(5);
        text("</title>");
        for (std::uint64_t id = 1; wants_more(id == 1, "</article>"); ++id)
            section(id);
        text("</article>");
    }

    void messages() {
        text(
            "<env:Envelope xmlns:env=\"http://www.w3.org/2003/05/soap-envelope\""
            " xmlns:wsa=\"http://www.w3.org/2005/08/addressing\" xmlns:t=\"urn:perfrelay:trade\">"
            "<env:Header><wsa:Action>urn:perfrelay:trade/place</"
            "wsa:Action><wsa:MessageID>urn:uuid:");
        uuid();
        text(
            "</wsa:MessageID><wsa:To>https://trade.example.org/orders</wsa:To></env:Header>"
            "<env:Body><t:Order t:account=\"");
        number(random_.between(10'000, 99'999));
        text("\">");
        for (std::uint64_t line = 1; wants_more(line == 1, "</t:Order></env:Body></env:Envelope>");
             ++line)
            order_line(line);
        text("</t:Order></env:Body></env:Envelope>");
    }

    void deep() {
        text("<tree>");
        for (bool one = true; wants_more(one, "</tree>"); one = false)
            branch();
        text("</tree>");
    }

  private:
    // Whether another record is wanted: always a first one, then until the size is reached.
    bool wants_more(bool first, std::string_view tail) const {
        return first || out_.size() + tail.size() < end_;
    }

    void text(std::string_view piece) { out_.append(piece); }
    void number(std::uint64_t value, std::size_t digits = 1) {
        std::array<char, 20> buffer{};
        const char* const end =
            std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
        for (auto have = static_cast<std::size_t>(end - buffer.data()); have < digits; ++have)
            text("0");
        text({buffer.data(), end});
    }
    // "12.05": `value` hundredths.
    void hundredths(std::uint64_t value) {
        number(value / 100);
        text(".");
        number(value % 100, 2);
    }
    std::string_view word() {
        // Half of all words are among the commonest.
        return k_words[random_.below(random_.one_in(2) ? 16 : k_words.size())];
    }
    void words(std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            if (i != 0) text(" ");
            text(word());
        }
    }
    void letters(std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i)
            out_.u8(static_cast<std::uint8_t>('A' + random_.below(26)));
    }
    void moment() {
        number(random_.between(2019, 2025));
        text("-");
        number(random_.between(1, 12), 2);
        text("-");
        number(random_.between(1, 28), 2);
        text("T");
        number(random_.below(24), 2);
        text(":");
        number(random_.below(60), 2);
        text(":");
        number(random_.below(60), 2);
        text("Z");
    }
    void uuid() {
        constexpr std::string_view k_hex = "0123456789abcdef";
        for (const std::uint32_t digits : {8U, 4U, 4U, 4U, 12U}) {
            if (digits != 8) text("-");
            for (std::uint32_t i = 0; i < digits; ++i)
                text(k_hex.substr(random_.below(16), 1));
        }
    }

    void order(std::uint64_t id) {
        text("<order id=\"");
        number(id);
        text("\" placed=\"");
        moment();
        text(random_.one_in(4) ? "\" express=\"true\">" : "\">");
        text("<customer>C-");
        number(random_.between(10'000, 60'000));
        text("</customer><g:place lat=\"");
        hundredths(random_.below(9'000));
        text("\" lon=\"");
        if (random_.one_in(2)) text("-");
        hundredths(random_.below(18'000));
        text("\"/>");
        for (std::uint32_t items = random_.between(1, 5); items > 0; --items) {
            text("<item sku=\"");
            letters(2);
            text("-");
            number(random_.below(500), 4);
            text("\"><quantity>");
            number(random_.between(1, 40));
            text("</quantity><price currency=\"");
            text(random_.one_in(3) ? "CHF" : "EUR");
            text("\">");
            hundredths(random_.between(50, 250'000));
            text("</price></item>");
        }
        if (random_.one_in(3)) {
            text("<note>");
            words(random_.between(2, 9));
            text("</note>");
        }
        text("</order>");
    }

    void section(std::uint64_t id) {
        text("<section id=\"s");
        number(id);
        text("\"><title>");
        words(random_.between(2, 6));
        text("</title>");
        for (std::uint32_t paragraphs = random_.between(1, 4); paragraphs > 0; --paragraphs) {
            text("<p>");
            for (std::uint32_t parts = random_.between(1, 6); parts > 0; --parts) {
                words(random_.between(8, 40));
                text(parts > 1 ? " " : ".");
                if (parts > 1) inline_markup(id);
            }
            text("</p>");
        }
        text("</section>");
    }

    void inline_markup(std::uint64_t section) {
        switch (random_.below(4)) {
            case 0:
                text("<em>");
                words(random_.between(1, 3));
                text("</em>, ");
                return;
            case 1: text("<code>a &lt; b &amp;&amp; c</code> "); return;
            case 2:
                text("<ref to=\"s");
                number(random_.between(
                    1, static_cast<std::uint32_t>(std::min<std::uint64_t>(section, 1'000'000))));
                text("\"/> ");
                return;
            default:
                text("<term n=\"");
                number(random_.below(100));
                text("\">");
                text(word());
                text("</term> ");
        }
    }

    void order_line(std::uint64_t line) {
        text("<t:Line n=\"");
        number(line);
        text("\"><t:Isin>DE");
        number(random_.below(1'000'000'000), 10);
        text("</t:Isin><t:Side>");
        text(random_.one_in(2) ? "buy" : "sell");
        text("</t:Side><t:Quantity>");
        number(random_.between(1, 5'000));
        text("</t:Quantity><t:Limit t:currency=\"EUR\">");
        hundredths(random_.between(100, 90'000));
        text("</t:Limit><t:ValidUntil>");
        moment();
        text("</t:ValidUntil></t:Line>");
    }

    // One way down, with a leaf at some levels, and up again.
    void branch() {
        constexpr std::array<std::string_view, 8> k_names{"node", "left",  "right", "group",
                                                          "part", "chain", "inner", "wrap"};
        std::vector<std::string_view> open;
        for (std::uint32_t depth = random_.between(40, 78); depth > 0; --depth) {
            open.push_back(k_names[random_.below(k_names.size())]);
            text("<");
            text(open.back());
            if (random_.one_in(4)) {
                text(" k=\"");
                number(random_.below(1'000));
                text("\"");
            }
            text(">");
            if (random_.one_in(3)) {
                text("<leaf>");
                text(word());
                text("</leaf>");
            }
        }
        words(2);
        for (; !open.empty(); open.pop_back()) {
            text("</");
            text(open.back());
            text(">");
        }
    }

    Buffer& out_;
    std::uint64_t end_;
    Random random_;
};

// As Java would have written them.
void write_objects(const Generator& what, std::uint64_t seed, Buffer& out) {
    Document document;
    document.objects = std::make_unique<ObjectGraph>();
    const auto as_java = static_cast<std::int64_t>(seed);
    const auto count = static_cast<std::uint32_t>(what.size);
    if (what.kind == GeneratedKind::company) generate_company(as_java, count, *document.objects);
    if (what.kind == GeneratedKind::objects) generate_objects(as_java, count, *document.objects);
    if (what.kind == GeneratedKind::strings) generate_strings(as_java, count, *document.objects);
    std::string why;
    const auto codec = make_object_codec(SpecPart{"javaser", {}}, Limits(), why);
    [[maybe_unused]] const auto done = codec->encode(document, out);
    assert(done);
}

}  // namespace

std::span<const GeneratedKindLine> generated_kinds() {
    return k_kinds;
}

const GeneratedKindLine& line_of(GeneratedKind kind) {
    return k_kinds[static_cast<std::size_t>(kind)];
}

bool Generator::exceeds(std::uint64_t bytes) const {
    const std::uint64_t item = line_of(kind).item_size;
    if (item == 0) return size > bytes;
    // Counts of a graph have 32 bits.
    return size > std::min<std::uint64_t>(bytes / item, 0xFFFFFFFFU);
}

std::optional<Generator> parse_generator(std::string_view text, std::string& why) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    for (const GeneratedKindLine& line : k_kinds) {
        if (line.name != text.substr(0, colon)) continue;
        if (colon == text.size()) return Generator{line.kind, line.size};
        const std::string_view amount = text.substr(colon + 1);
        const auto size = line.item_size == 0 ? parse_bytes(amount, why) : parse_count(amount, why);
        if (!size) return std::nullopt;
        return Generator{line.kind, *size};
    }
    why = "'" + std::string(text) + "': KIND[:SIZE] or KIND[:COUNT], where KIND is ";
    for (const GeneratedKindLine& line : k_kinds) {
        if (&line != &k_kinds[0]) why += &line == std::end(k_kinds) - 1 ? " or " : ", ";
        why += line.name;
    }
    return std::nullopt;
}

void generate(const Generator& what, std::uint64_t seed, Buffer& out) {
    if (line_of(what.kind).item_size != 0) {
        write_objects(what, seed, out);
        return;
    }
    Writer writer(out, what, seed);
    switch (what.kind) {
        case GeneratedKind::records: writer.records(); return;
        case GeneratedKind::mixed: writer.mixed(); return;
        case GeneratedKind::messages: writer.messages(); return;
        case GeneratedKind::deep: writer.deep(); return;
        default: return;
    }
}

}  // namespace perfrelay::client
