#include "tests/unit/proto/xml/generator.h"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace perfrelay::xml {

namespace {

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}

    // 0 .. below - 1
    std::size_t operator()(std::size_t below) {
        state_ ^= state_ << 13U;
        state_ ^= state_ >> 7U;
        state_ ^= state_ << 17U;
        return static_cast<std::size_t>((state_ >> 11U) % below);
    }
    bool one_in(std::size_t count) { return (*this)(count) == 0; }
    template <std::size_t count>
    std::string pick(const std::string_view (&from)[count]) {
        return std::string(from[(*this)(count)]);
    }

  private:
    std::uint64_t state_;
};

constexpr std::string_view k_locals[] = {
    "a", "b", "item", "long-name_with.parts-of-it", "\xC3\xA9t\xC3\xA9", "x1"};
constexpr std::string_view k_prefixes[] = {"p", "q", "ns1", "pre-fix"};
constexpr std::string_view k_uris[] = {"urn:a",    "urn:b", "http://example.com/a/rather/long/name",
                                       "${stuff}", "a b}c", "q|#x"};
constexpr std::string_view k_words[] = {"word",
                                        "12.5",
                                        "true",
                                        "2024-01-31T12:00:00Z",
                                        "a",
                                        "]]",
                                        "]",
                                        "-",
                                        "--",
                                        "?",
                                        "'",
                                        ">",
                                        "\xE2\x82\xAC",
                                        "\xF0\x9F\x98\x80",
                                        "\xEF\xBF\xBD",
                                        "\xC2\x85",
                                        "\xE2\x80\xA8",
                                        "=",
                                        "%x;"};
constexpr std::string_view k_latin_words[] = {"word", "12.5", "\xC3\xA9", "\xC3\xBC", "\xC2\xA3"};
constexpr std::string_view k_references[] = {"&lt;",   "&gt;",  "&amp;",     "&quot;",
                                             "&apos;", "&#65;", "&#x1F600;", "&#13;",
                                             "&#10;",  "&#9;",  "&#32;",     "&#x20;"};
constexpr std::string_view k_blanks[] = {" ", "\n", "\t", "  ", "\n  ", " \n", "\n\n"};

class Generator {
  public:
    explicit Generator(std::uint64_t seed) : random_(seed) {
        // Few documents have everything, or engines that lack one thing would be tried on none.
        pretty_ = random_.one_in(4);
        plain_ = random_.one_in(3);
        has_doctype_ = !plain_ && random_.one_in(3);
        latin_ = random_.one_in(8);
    }

    std::string run() {
        encoding_ = latin_ ? "ISO-8859-1" : "UTF-8";
        const bool wide = !latin_ && random_.one_in(10);
        if (wide) encoding_ = "UTF-16";
        if (latin_ || wide || random_.one_in(2)) {
            out_ += "<?xml version=\"1.0\" encoding='" + encoding_ + "'?>\n";
        }
        misc();
        if (has_doctype_) doctype();
        misc();
        const std::size_t deep = plain_ || !random_.one_in(12) ? 5 : random_.one_in(2) ? 110 : 400;
        element(0, deep);
        misc();
        line_ends();
        if (latin_) return to_latin();
        if (wide) return to_utf16();
        if (random_.one_in(12)) return "\xEF\xBB\xBF" + out_;
        return out_;
    }

  private:
    struct Binding {
        std::string prefix;
        std::string uri;
    };

    std::string word() { return latin_ ? random_.pick(k_latin_words) : random_.pick(k_words); }

    // The name in `from` that is well-formed in this document's encoding.
    std::string local() {
        std::string name = random_.pick(k_locals);
        return name;
    }

    void misc() {
        while (random_.one_in(4)) {
            if (random_.one_in(2)) {
                comment();
            } else if (!plain_) {
                instruction();
            }
            if (random_.one_in(2)) out_ += "\n";
        }
    }

    void comment() {
        static constexpr std::string_view k_texts[] = {"",     "c",     " a < b & c ]]> ",
                                                       "x\ny", " - - ", "&e;"};
        out_ += "<!--" + random_.pick(k_texts) + "-->";
    }

    void instruction() {
        static constexpr std::string_view k_all[] = {
            "<?t?>", "<?t d?>", "<?target  some \"data\" ?>", "<?x a\nb?>", "<?xmlish a?>"};
        out_ += random_.pick(k_all);
    }

    void doctype() {
        out_ += "<!DOCTYPE root";
        external_ = random_.one_in(3);
        if (external_)
            out_ += random_.one_in(2) ? " SYSTEM 'a.dtd'" : " PUBLIC \"-//X//Y\"\n \"b's.dtd\"";
        if (!external_ || random_.one_in(2)) {
            out_ += " [";
            subset();
            out_ += "]";
        }
        out_ += ">";
    }

    void subset() {
        static constexpr std::string_view k_declarations[] = {
            "<!-- it's a > comment -->",
            "<?pi in 'it?>",
            "<!ELEMENT a ANY>",
            "<!NOTATION n SYSTEM 'n'>",
            "<!ATTLIST a def CDATA 'de&#38;fault' fix CDATA #FIXED \"f\">",
            "<!ATTLIST item tok NMTOKENS #IMPLIED id ID #IMPLIED>",
            "<!ATTLIST b xmlns:d CDATA 'urn:default'>",
            "<!ENTITY % pe \"<!ENTITY frompe 'x'>\">%pe;",
            "<!ENTITY % two '<!--c--><?p q?>'> %two;",
            "<!ENTITY % nested '&#37;inner; <!---->'><!ENTITY % inner '<!---->'>%nested;",
            "\n",
        };
        while (!random_.one_in(4))
            out_ += random_.pick(k_declarations);
        if (!random_.one_in(3)) {
            out_ +=
                "<!ENTITY e 'ent'><!ENTITY f \"&e; and <b>more</b>\"><!ENTITY g "
                "'&#60;![CDATA[&e;]]>'>"
                "<!ENTITY blank ' '><!ENTITY tab '&#9;'>";
            content_entities_ = {"&e;", "&f;", "&g;", "&blank;", "&tab;"};
            value_entities_ = {"&e;", "&blank;", "&tab;"};
        }
        if (random_.one_in(4)) {
            out_ += "<!ENTITY out SYSTEM \"out.xml\">";
            content_entities_.push_back("&out;");
        }
        if (random_.one_in(10))
            out_ += "<!ENTITY % far SYSTEM \"far.ent\">%far;<!ATTLIST a far CDATA 'x'>";
        if (external_ && random_.one_in(2)) content_entities_.push_back("&nowhere;");
    }

    std::string value() {
        std::string value;
        for (std::size_t parts = random_(4); parts > 0; --parts) {
            const std::size_t kind = random_(plain_ ? 6 : 10);
            std::string part = word();
            if (kind == 6) part = random_.pick(k_blanks);
            if (kind == 7) part = random_.pick(k_references);
            if (kind == 8 && !value_entities_.empty())
                part = value_entities_[random_(value_entities_.size())];
            if (kind == 9) part = " ";
            value += part;
        }
        const char quote = random_.one_in(3) ? '\'' : '"';
        std::string escaped;
        for (const char c : value) {
            if (c == quote) {
                escaped += quote == '"' ? "&quot;" : "&apos;";
            } else {
                escaped += c;
            }
        }
        return quote + escaped + quote;
    }

    // A prefix in scope (with its colon), or nothing.
    std::string prefix_in_scope(bool attribute) {
        if (!random_.one_in(3)) return "";
        if (attribute && random_.one_in(6)) return "xml:";
        if (scope_.empty()) return "";
        const std::string& prefix = scope_[random_(scope_.size())].prefix;
        return prefix.empty() ? "" : prefix + ":";
    }

    std::string uri_of(const std::string& prefix) const {
        for (auto at = scope_.rbegin(); at != scope_.rend(); ++at) {
            if (at->prefix + ":" == prefix) return at->uri;
        }
        return prefix;
    }

    // Keeps `key` and says whether it is new.
    static bool is_new(std::vector<std::string>& seen, const std::string& key) {
        for (const std::string& other : seen) {
            if (other == key) return false;
        }
        seen.push_back(key);
        return true;
    }

    std::string declarations() {
        std::string text;
        std::vector<std::string> seen;
        while (random_.one_in(3)) {
            const bool is_default = random_.one_in(3);
            const std::string prefix = is_default ? "" : random_.pick(k_prefixes);
            if (!is_new(seen, prefix)) continue;
            const std::string uri = is_default && random_.one_in(3) ? "" : random_.pick(k_uris);
            text.append(space()).append("xmlns");
            if (!is_default) text.append(":").append(prefix);
            text.append("=\"").append(uri).append("\"");
            scope_.push_back({prefix, uri});
        }
        return text;
    }

    std::string attributes() {
        std::string text;
        std::vector<std::string> seen;
        while (random_.one_in(2)) {
            const std::string prefix = prefix_in_scope(true);
            const std::string local_name = local();
            if (!is_new(seen, (prefix.empty() ? "" : uri_of(prefix)) + "}" + local_name)) continue;
            text.append(space()).append(prefix).append(local_name);
            text.append(random_.one_in(8) ? " = " : "=").append(value());
        }
        if (has_doctype_ && random_.one_in(3)) text.append(space()).append("tok=\"  x   y \"");
        return text;
    }

    void element(std::size_t depth, std::size_t deepest) {
        const std::size_t outer = scope_.size();
        const std::string declared = declarations();
        const std::string name = prefix_in_scope(false) + local();
        const std::string given = attributes();
        out_ += "<" + name + (random_.one_in(2) ? declared + given : given + declared);
        if (random_.one_in(6)) out_ += space();
        if (depth >= deepest || (deepest < 20 && random_.one_in(5))) {
            out_ += random_.one_in(3) ? "></" + name + ">" : "/>";
        } else {
            out_ += ">";
            content(depth, deepest);
            out_ += "</" + name + (random_.one_in(8) ? " >" : ">");
        }
        scope_.resize(outer);
    }

    std::string space() {
        static constexpr std::string_view k_spaces[] = {" ", " ", " ", "\n", "\t", "  "};
        return random_.pick(k_spaces);
    }

    void content(std::size_t depth, std::size_t deepest) {
        const std::size_t parts = deepest > 20 ? 1 : random_(5);
        for (std::size_t i = 0; i <= parts; ++i) {
            if (pretty_) out_ += "\n";
            piece(depth, deepest, i);
        }
        if (pretty_) out_ += "\n";
    }

    void piece(std::size_t depth, std::size_t deepest, std::size_t index) {
        if (deepest > 20 && index == 0) return element(depth + 1, deepest);
        switch (random_(plain_ ? 6 : 12)) {
            case 0:
            case 1:
            case 2:
                if (out_.size() < 20000) element(depth + 1, deepest);
                break;
            case 3:
            case 4: text(); break;
            case 5: comment(); break;
            case 6: out_ += random_.pick(k_references); break;
            case 7: out_ += random_.pick(k_blanks); break;
            case 8: cdata(); break;
            case 9: instruction(); break;
            case 10:
                if (!content_entities_.empty())
                    out_ += content_entities_[random_(content_entities_.size())];
                break;
            default: text(); break;
        }
    }

    void text() {
        for (std::size_t words = random_(5) + 1; words > 0; --words) {
            std::string next = word();
            // "]]>" must not come about.
            const std::size_t size = out_.size();
            if (next == ">" && size > 1 && out_[size - 1] == ']') next = "&gt;";
            out_ += next + (random_.one_in(2) ? " " : "");
        }
    }

    void cdata() {
        static constexpr std::string_view k_sections[] = {"",   "x",  " ",   "<&>",
                                                          "]]", "\n", "&e;", "a]]b"};
        out_ += "<![CDATA[" + random_.pick(k_sections) + "]]>";
    }

    // LF as it is, or as CR LF, or CR.
    void line_ends() {
        const std::size_t style = random_(8);
        if (style > 1) return;
        std::string with;
        for (const char c : out_) {
            if (c != '\n') {
                with += c;
            } else {
                with += style == 0 ? "\r\n" : "\r";
            }
        }
        out_ = with;
    }

    static std::uint32_t next_character(const std::string& text, std::size_t& at) {
        const auto byte = [&](std::size_t i) {
            return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
        };
        const std::uint32_t lead = byte(at);
        const std::size_t more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
        std::uint32_t value = more == 0 ? lead : lead & (0x3FU >> more);
        for (std::size_t i = 1; i <= more; ++i)
            value = (value << 6U) | (byte(at + i) & 0x3FU);
        at += more + 1;
        return value;
    }

    std::string to_latin() const {
        std::string bytes;
        for (std::size_t at = 0; at < out_.size();)
            bytes += static_cast<char>(next_character(out_, at) & 0xFFU);
        return bytes;
    }

    std::string to_utf16() {
        const bool little = random_.one_in(2);
        std::string bytes;
        const auto unit = [&](std::uint32_t value) {
            const char low = static_cast<char>(value & 0xFFU);
            const char high = static_cast<char>((value >> 8U) & 0xFFU);
            bytes += little ? low : high;
            bytes += little ? high : low;
        };
        unit(0xFEFF);
        for (std::size_t at = 0; at < out_.size();) {
            const std::uint32_t c = next_character(out_, at);
            if (c < 0x10000) {
                unit(c);
            } else {
                unit(0xD800 + ((c - 0x10000) >> 10U));
                unit(0xDC00 + ((c - 0x10000) & 0x3FFU));
            }
        }
        return bytes;
    }

    Random random_;
    std::string out_;
    std::string encoding_;
    std::vector<Binding> scope_;
    std::vector<std::string> content_entities_;
    std::vector<std::string> value_entities_;
    bool pretty_ = false;
    bool plain_ = false;
    bool has_doctype_ = false;
    bool external_ = false;
    bool latin_ = false;
};

}  // namespace

std::string random_document(std::uint64_t seed) {
    return Generator(seed).run();
}

}  // namespace perfrelay::xml
