#include "proto/xml/source_scan.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "proto/model/xml_chars.h"
#include "proto/xml/doctype.h"

namespace perfrelay::xml {

namespace {

class Scan {
  public:
    explicit Scan(std::string_view text) : text_(text) {}

    SourceTraits run() {
        while (at_ < text_.size()) {
            const std::size_t tag = std::min(text_.find('<', at_), text_.size());
            character_data(text_.substr(at_, tag - at_), at_);
            at_ = tag;
            if (at_ < text_.size()) markup();
        }
        return std::move(traits_);
    }

  private:
    void character_data(std::string_view data, std::size_t offset) {
        if (data.empty() || depth_ == 0) return;
        if (is_blank(data)) traits_.blank_run = true;
        line_ends(data);
        references(data, offset, false);
    }

    void markup() {
        const std::string_view rest = text_.substr(at_);
        if (rest.starts_with("<!--")) {
            opaque("-->");
        } else if (rest.starts_with("<![CDATA[")) {
            opaque("]]>");
        } else if (rest.starts_with("<!")) {
            at_ += PrologScan().doctype(rest).value_or(rest.size());
        } else if (rest.starts_with("<?")) {
            const std::string_view whole = opaque("?>");
            const bool declaration =
                whole.starts_with("<?xml") && whole.size() > 5 && is_space(whole[5]);
            if (!declaration && whole.find('\r') != std::string_view::npos) {
                traits_.return_in_instruction = true;
            }
        } else if (rest.starts_with("</")) {
            at_ = std::min(text_.find('>', at_), text_.size() - 1) + 1;
            if (depth_ > 0) --depth_;
        } else {
            start_tag();
        }
    }

    std::string_view opaque(std::string_view end) {
        const std::size_t start = at_;
        const std::size_t found = text_.find(end, at_ + 2);
        at_ = found == std::string_view::npos ? text_.size() : found + end.size();
        const std::string_view whole = text_.substr(start, at_ - start);
        line_ends(whole);
        return whole;
    }

    void start_tag() {
        char before = ' ';
        std::size_t attributes = 0;
        for (++at_; at_ < text_.size() && text_[at_] != '>'; ++at_) {
            before = text_[at_];
            if (before == '"' || before == '\'') {
                const std::size_t end = std::min(text_.find(before, at_ + 1), text_.size() - 1);
                value(text_.substr(at_ + 1, end - at_ - 1), at_ + 1);
                at_ = end;
                ++attributes;
            }
        }
        ++at_;
        traits_.most_attributes = std::max(traits_.most_attributes, attributes);
        if (before == '/') return;
        ++depth_;
        traits_.deepest_open = std::max(traits_.deepest_open, depth_);
    }

    void value(std::string_view value, std::size_t offset) {
        if (value.find_first_of("\t\n\r") != std::string_view::npos) {
            traits_.raw_blank_in_attribute = true;
        }
        references(value, offset, true);
        if (!traits_.collapsible_attribute) traits_.collapsible_attribute = collapsible(value);
    }

    // XML 1.0 3.3.3: blanks at the ends or in a row, as such or as references.
    static bool collapsible(std::string_view value) {
        bool after_blank = true;
        for (std::size_t i = 0; i < value.size(); ++i) {
            bool blank = is_space(value[i]);
            for (const std::string_view reference : {"&#32;", "&#x20;"}) {
                if (!value.substr(i).starts_with(reference)) continue;
                blank = true;
                i += reference.size() - 1;
            }
            if (blank && after_blank) return true;
            after_blank = blank;
        }
        return after_blank && !value.empty();
    }

    void line_ends(std::string_view data) {
        if (data.find("\n\r") != std::string_view::npos) traits_.line_feed_then_return = true;
    }

    void references(std::string_view data, std::size_t offset, bool in_attribute) {
        for (std::size_t at = data.find('&'); at != std::string_view::npos;
             at = data.find('&', at + 1)) {
            const std::size_t end = data.find(';', at);
            if (end == std::string_view::npos) return;
            const std::string_view name = data.substr(at + 1, end - at - 1);
            if (name.starts_with('#') || is_predefined(name)) continue;
            traits_.references.insert(name);
            if (in_attribute) traits_.attribute_references.emplace(name, offset + at);
        }
    }

    static bool is_predefined(std::string_view name) {
        return name == "lt" || name == "gt" || name == "amp" || name == "quot" || name == "apos";
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t depth_ = 0;
    SourceTraits traits_;
};

}  // namespace

SourceTraits scan_source(std::string_view text) {
    return Scan(text).run();
}

bool has_flooded_tag(std::string_view text, std::size_t limit) {
    // A tag of many attributes is a long stretch without "<" and with many "=".
    constexpr std::size_t k_block = 16384;
    std::size_t equals = 0;
    for (std::size_t at = 0; at < text.size(); at += k_block) {
        const std::string_view block = text.substr(at, k_block);
        if (std::memchr(block.data(), '<', block.size()) != nullptr) {
            equals = 0;
            continue;
        }
        equals += static_cast<std::size_t>(std::count(block.begin(), block.end(), '='));
        if (equals > limit) return scan_source(text).most_attributes > limit;
    }
    return false;
}

}  // namespace perfrelay::xml
