// The way back: a listing into a tape. Lines are read one by one; what is open is a stack.

#include <string>
#include <vector>

#include "common/base/utf8.h"
#include "proto/model/event_listing.h"

namespace perfrelay {

namespace {

constexpr std::string_view k_xml_namespace = "http://www.w3.org/XML/1998/namespace";

// What can be no part of a name in a listing.
bool is_word(std::string_view text) {
    return text.find_first_of(" {}\"=|") == std::string_view::npos;
}

bool take(std::string_view& line, std::string_view head) {
    if (!line.starts_with(head)) return false;
    line.remove_prefix(head.size());
    return true;
}

class ListingReader {
  public:
    ListingReader(const Limits& limits, XmlTape& document) : limits_(limits), sink_(document) {}

    Result<> run(std::string_view listing) {
        while (!listing.empty()) {
            ++line_;
            const std::size_t end = listing.find('\n');
            if (end == std::string_view::npos) return fail("listing: the last line has no end");
            if (!read(listing.substr(0, end))) return fail(why_);
            listing.remove_prefix(end + 1);
        }
        if (state_ == State::ended) return {};
        ++line_;
        return Error{.code = Errc::truncated, .where = "listing: no ED", .line = line_};
    }

  private:
    enum class State : std::uint8_t { before, content, tag, attributes, ended };

    struct Declaration {
        std::string_view prefix;  // in the listing
        std::string_view uri;
        std::size_t depth;
    };
    Error fail(const char* why) const {
        return {.code = code_, .offset = 0, .where = why, .line = line_};
    }
    bool refuse(const char* why, Errc code = Errc::malformed) {
        why_ = why;
        code_ = code;
        return false;
    }

    bool read(std::string_view line) {
        if (state_ == State::ended) return refuse("listing: a line behind ED");
        if (!is_utf8(line)) return refuse("listing: not UTF-8");
        if (line == "SD") {
            if (state_ != State::before) return refuse("listing: SD is the first line");
            state_ = State::content;
            sink_.start_document();
            return true;
        }
        if (state_ == State::before) return refuse("listing: the first line is SD");
        if (take(line, "NS ")) return declaration(line);
        if (take(line, "AT ")) return attribute(line);
        state_ = State::content;
        if (line == "EE") return end_element();
        if (line == "ED") return end_document();
        if (take(line, "SE ")) return start_element(line);
        if (take(line, "CH")) return text(line);
        if (take(line, "CM")) return comment(line);
        if (take(line, "PI ")) return instruction(line);
        if (take(line, "ER ")) return reference(line);
        if (take(line, "DT ")) return doctype(line);
        return refuse("listing: no event starts like this");
    }

    const QName* name(std::string_view uri, std::string_view local, std::string_view prefix) {
        const QName* found = names_.intern(uri, local, prefix);
        if (names_.size() <= limits_.max_names) return found;
        refuse("listing: more names than the limit", Errc::limit_exceeded);
        return nullptr;
    }

    // The uri and the local name, which ends before `rest`; the uri may hold anything.
    static bool split_name(std::string_view text, std::string_view& uri, std::string_view& local) {
        if (!text.starts_with('{')) return false;
        const std::size_t close = text.rfind('}');
        if (close == std::string_view::npos) return false;
        uri = text.substr(1, close - 1);
        local = text.substr(close + 1);
        return !local.empty() && is_word(local);
    }

    bool start_element(std::string_view line) {
        std::string_view prefix;
        const std::size_t close = line.rfind('}');
        const std::size_t blank = line.rfind(' ');
        if (close != std::string_view::npos && blank != std::string_view::npos && blank > close) {
            prefix = line.substr(blank + 1);
            line = line.substr(0, blank);
        }
        std::string_view uri;
        std::string_view local;
        if (!split_name(line, uri, local) || !is_word(prefix)) {
            return refuse("listing: SE {uri}local or SE {uri}local prefix");
        }
        if (open_.size() >= limits_.max_depth) {
            return refuse("listing: elements nested deeper than the limit", Errc::limit_exceeded);
        }
        const QName* const element = name(uri, local, prefix);
        if (element == nullptr) return false;
        open_.push_back(element);
        sink_.start_element(element);
        state_ = State::tag;
        return true;
    }

    bool end_element() {
        if (open_.empty()) return refuse("listing: EE without SE");
        while (!scope_.empty() && scope_.back().depth == open_.size())
            scope_.pop_back();
        sink_.end_element(open_.back());
        open_.pop_back();
        return true;
    }

    bool end_document() {
        if (!open_.empty()) return refuse("listing: ED inside an element");
        state_ = State::ended;
        sink_.end_document();
        return true;
    }

    bool declaration(std::string_view line) {
        if (state_ != State::tag) return refuse("listing: NS stands behind SE or NS");
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos || !is_word(line.substr(0, equals))) {
            return refuse("listing: NS prefix=uri");
        }
        const std::string_view prefix = line.substr(0, equals);
        const std::string_view uri = line.substr(equals + 1);
        sink_.namespace_declaration(prefix, uri);
        scope_.push_back({prefix, uri, open_.size()});
        return true;
    }

    bool attribute(std::string_view line) {
        if (state_ != State::tag && state_ != State::attributes) {
            return refuse("listing: AT stands behind SE, NS or AT");
        }
        state_ = State::attributes;
        constexpr std::string_view k_between = " = \"";
        // The first place where what stands before is a name: uri and value may hold anything.
        std::string_view uri;
        std::string_view local;
        std::size_t at = line.find(k_between);
        while (at != std::string_view::npos && !split_name(line.substr(0, at), uri, local))
            at = line.find(k_between, at + 1);
        if (at == std::string_view::npos) return refuse("listing: AT {uri}local = \"value\"");
        if (!quoted(line.substr(at + k_between.size() - 2), value_)) return false;
        const QName* const found = name(uri, local, prefix_of(uri));
        if (found == nullptr) return false;
        sink_.attribute(found, value_);
        return true;
    }

    std::string_view prefix_of(std::string_view uri) const {
        if (uri.empty()) return {};
        if (uri == k_xml_namespace) return "xml";
        const Declaration* found = nullptr;
        for (auto it = scope_.rbegin(); it != scope_.rend(); ++it) {
            if (found != nullptr && it->depth != found->depth) break;
            if (it->uri == uri && !it->prefix.empty() && !hidden(*it)) found = &*it;
        }
        return found != nullptr ? found->prefix : std::string_view();
    }

    // Whether its prefix means something else by now.
    bool hidden(const Declaration& declaration) const {
        for (auto it = scope_.rbegin(); &*it != &declaration; ++it) {
            if (it->prefix == declaration.prefix) return true;
        }
        return false;
    }

    bool text(std::string_view line) {
        if (!quoted(line, value_)) return false;
        if (open_.empty()) return refuse("listing: CH outside of elements");
        sink_.characters(value_);
        return true;
    }
    bool comment(std::string_view line) {
        if (!quoted(line, value_)) return false;
        sink_.comment(value_);
        return true;
    }
    bool instruction(std::string_view line) {
        const std::size_t end = line.find(' ');
        if (end == std::string_view::npos || end == 0) return refuse("listing: PI target \"data\"");
        if (!quoted(line.substr(end), value_)) return false;
        sink_.processing_instruction(line.substr(0, end), value_);
        return true;
    }
    bool reference(std::string_view line) {
        if (line.empty() || !is_word(line)) return refuse("listing: ER name");
        if (open_.empty()) return refuse("listing: ER outside of elements");
        sink_.entity_reference(line);
        return true;
    }
    bool doctype(std::string_view line) {
        const std::size_t first = line.find('|');
        const std::size_t second = line.find('|', first + 1);
        if (first == std::string_view::npos || second == std::string_view::npos || first == 0) {
            return refuse("listing: DT name|public|system");
        }
        Doctype found;
        found.name = line.substr(0, first);
        found.public_id = line.substr(first + 1, second - first - 1);
        found.system_id = line.substr(second + 1);
        found.has_system_id = !found.system_id.empty() || !found.public_id.empty();
        sink_.doctype(found);
        return true;
    }

    // ` "value"` to the end of the line.
    bool quoted(std::string_view text, std::string& out) {
        out.clear();
        if (text.size() < 3 || !text.starts_with(" \"") || !text.ends_with('"')) {
            return refuse("listing: a value in quotes is missing");
        }
        text = text.substr(2, text.size() - 3);
        if (text.size() > limits_.max_text) {
            return refuse("listing: a text longer than the limit", Errc::limit_exceeded);
        }
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '"') return refuse("listing: an unescaped quote in a value");
            if (static_cast<unsigned char>(text[i]) < 0x20) {
                return refuse("listing: an unescaped control character in a value");
            }
            if (text[i] != '\\') {
                out += text[i];
                continue;
            }
            if (++i == text.size() || !escape(text, i, out)) {
                return refuse("listing: an unknown escape in a value");
            }
        }
        return true;
    }

    // `i` is at the character behind the backslash, then at the escape's last one.
    static bool escape(std::string_view text, std::size_t& i, std::string& out) {
        switch (text[i]) {
            case '"':
            case '\\': out += text[i]; return true;
            case 'n': out += '\n'; return true;
            case 't': out += '\t'; return true;
            case 'r': out += '\r'; return true;
            case 'u': break;
            default: return false;
        }
        // Only controls are written like this, and NUL is no character of a document.
        constexpr std::string_view k_digits = "0123456789abcdef";
        if (text.substr(i + 1, 2) != "00" || i + 4 >= text.size()) return false;
        const std::size_t high = k_digits.find(text[i + 3]);
        const std::size_t low = k_digits.find(text[i + 4]);
        if (high > 1 || low == std::string_view::npos || (high == 0 && low == 0)) return false;
        out += static_cast<char>(high * 16 + low);
        i += 4;
        return true;
    }

    const Limits& limits_;
    NameTable names_;
    TapeSink<true> sink_;
    std::vector<const QName*> open_;
    std::vector<Declaration> scope_;  // outermost first
    State state_ = State::before;
    std::uint32_t line_ = 0;
    const char* why_ = "";
    Errc code_ = Errc::malformed;
    std::string value_;
};

}  // namespace

Result<> read_event_listing(std::string_view listing, const Limits& limits, XmlTape& document) {
    return ListingReader(limits, document).run(listing);
}

}  // namespace perfrelay
