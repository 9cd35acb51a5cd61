#include "proto/exi/exi_spec.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

#include "proto/exi/canonical.h"
#include "proto/exi/names.h"

namespace perfrelay::exi {

namespace {

class Parser {
  public:
    Parser(int highest_level, std::string& why, EncoderOptions start)
        : highest_level_(highest_level), why_(why), result_(std::move(start)) {}

    bool option(const SpecOption& option) {
        if (std::find(seen_.begin(), seen_.end(), option.key) != seen_.end())
            return fail("option \"" + option.key + "\" stands twice");
        seen_.push_back(option.key);
        if (const auto known = word(option); known) return *known;
        if (const auto known = number_option(option); known) return *known;
        if (option.key == "align") return alignment(option);
        if (option.key == "sc") return self_contained(option);
        if (option.key == "dtrm") return mappings(option);
        if (option.key == "schemaId") return schema_id(option);
        if (option.key == "xsiloc") return keep(option, result_.keep_schema_location);
        if (option.key == "nilinsig") return keep(option, result_.keep_nil_false);
        if (option.key == "er") return keep(option, result_.keep_entity_references);
        return fail("format exi has no option \"" + text(option) + "\"");
    }

    bool finish() {
        Options& stream = result_.stream;
        // Strict has hardly a place for it (EXI 8.5.4.4.2), and every document that names its
        // schema has it.
        if (stream.strict && result_.schema != nullptr && !result_.canonical &&
            std::find(seen_.begin(), seen_.end(), "xsiloc") == seen_.end()) {
            result_.keep_schema_location = false;
        }
        if (result_.omit_options && (!result_.canonical || result_.write_options))
            return fail("omitOptionsDocument goes with canonical, and not with options");
        if (result_.canonical) {
            if (result_.cookie) return fail("canonical excludes the cookie (Canonical EXI 3)");
            make_canonical(result_);
        }
        if (const char* why = stream.unfit()) return fail(why);
        if (result_.write_profile && !result_.write_options)
            return fail("profile goes with options: its parameters are in the options document");
        if (stream.schema_id.kind != SchemaId::Kind::absent && !result_.write_options)
            return fail("schemaId goes with options: it is in the options document");
        return true;
    }

    EncoderOptions& result() { return result_; }

  private:
    static std::string text(const SpecOption& option) {
        return option.key + (option.value ? "=" + *option.value : "");
    }
    bool fail(std::string why) {
        why_ = std::move(why);
        return false;
    }

    // Words without a value; nothing when it is none of them.
    std::optional<bool> word(const SpecOption& option) {
        Options& s = result_.stream;
        struct Word {
            std::string_view key;
            std::vector<bool*> set;
        };
        const Word words[] = {
            {"comments", {&s.preserve.comments}},
            {"pis", {&s.preserve.pis}},
            {"dtds", {&s.preserve.dtd}},
            {"prefixes", {&s.preserve.prefixes}},
            {"lexical", {&s.preserve.lexical_values}},
            {"all",
             {&s.preserve.comments, &s.preserve.pis, &s.preserve.dtd, &s.preserve.prefixes,
              &s.preserve.lexical_values}},
            {"strict", {&s.strict}},
            {"fragment", {&s.fragment}},
            {"cookie", {&result_.cookie}},
            {"options", {&result_.write_options}},
            {"profile", {&result_.write_profile}},
            {"canonical", {&result_.canonical}},
            {"omitOptionsDocument", {&result_.omit_options}},
            {"preview", {&result_.preview}},
            {"utc", {&result_.utc}},
        };
        for (const Word& word : words) {
            if (word.key != option.key) continue;
            if (option.value) return fail("exi: option \"" + option.key + "\" takes no value");
            for (bool* const set : word.set)
                *set = true;
            return true;
        }
        if (option.key != "nolocal") return std::nullopt;
        if (option.value) return fail("exi: option \"nolocal\" takes no value");
        s.profile.local_values = false;
        return true;
    }

    std::optional<bool> number_option(const SpecOption& option) {
        Options& s = result_.stream;
        std::uint64_t value = 0;
        const auto take = [&](std::uint64_t least, std::uint64_t most) {
            const std::string_view text = option.value ? std::string_view(*option.value) : "";
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), value);
            if (!text.empty() && error == std::errc() && end == text.data() + text.size() &&
                value >= least && value <= most) {
                return true;
            }
            return fail("exi: option \"" + option.key + "\" takes a number from " +
                        std::to_string(least) + " to " + std::to_string(most) + ", as in " +
                        option.key + "=" + std::to_string(std::max<std::uint64_t>(least, 6)));
        };
        if (option.key == "blockSize") {
            if (!take(1, UINT32_MAX)) return false;
            s.block_size = value;
        } else if (option.key == "vmax") {
            if (!take(0, UINT32_MAX)) return false;
            s.value_max_length = value;
        } else if (option.key == "vcap") {
            if (!take(0, UINT32_MAX)) return false;
            s.value_capacity = value;
        } else if (option.key == "maxgr") {
            if (!take(0, UINT32_MAX)) return false;
            s.profile.max_grammars = static_cast<std::uint32_t>(value);
        } else if (option.key == "maxprod") {
            if (!take(0, UINT32_MAX)) return false;
            s.profile.max_productions = static_cast<std::uint32_t>(value);
        } else if (option.key == "level") {
            if (!take(0, static_cast<std::uint64_t>(highest_level_))) return false;
            result_.level = static_cast<int>(value);
        } else {
            return std::nullopt;
        }
        return true;
    }

    bool alignment(const SpecOption& option) {
        struct Named {
            std::string_view name;
            Alignment alignment;
        };
        constexpr Named k_named[] = {{"bit", Alignment::bit_packed},
                                     {"byte", Alignment::byte_aligned},
                                     {"pre", Alignment::pre_compression},
                                     {"comp", Alignment::compression}};
        for (const Named& named : k_named) {
            if (!option.value || *option.value != named.name) continue;
            result_.stream.alignment = named.alignment;
            return true;
        }
        return fail("exi: option \"align\" takes bit, byte, pre or comp");
    }

    bool keep(const SpecOption& option, bool& keeps) {
        if (option.value && *option.value != "keep" && *option.value != "drop")
            return fail("exi: option \"" + option.key + "\" takes keep or drop");
        keeps = !option.value || *option.value == "keep";
        return true;
    }

    // {uri}local, or local.
    bool name(std::string_view text, ExpandedName& out) {
        std::string_view local = text;
        if (!text.empty() && text[0] == '{') {
            const std::size_t close = text.find('}');
            out.uri = text.substr(1, close - 1);
            local = text.substr(close + 1);
        }
        out.local = local;
        if (!local.empty()) return true;
        return fail("exi: \"" + std::string(text) + "\" is no name; one is {uri}local, or local");
    }

    // Parts of a list, outside of braces.
    static std::vector<std::string_view> parts(std::string_view text, char separator) {
        std::vector<std::string_view> parts;
        std::size_t start = 0;
        bool braced = false;
        for (std::size_t i = 0; i <= text.size(); ++i) {
            if (i < text.size() && text[i] == '{') braced = true;
            if (i < text.size() && text[i] == '}') braced = false;
            if (i != text.size() && (braced || text[i] != separator)) continue;
            parts.push_back(text.substr(start, i - start));
            start = i + 1;
        }
        return parts;
    }

    bool self_contained(const SpecOption& option) {
        result_.stream.self_contained = true;
        if (!option.value) return true;
        for (const std::string_view one : parts(*option.value, ';')) {
            if (!name(one, result_.self_contained.emplace_back())) return false;
        }
        return true;
    }

    bool mappings(const SpecOption& option) {
        if (!option.value) return fail("exi: option \"dtrm\" takes type>representation;..");
        for (const std::string_view one : parts(*option.value, ';')) {
            const std::vector<std::string_view> both = parts(one, '>');
            if (both.size() != 2) return fail("exi: option \"dtrm\" takes type>representation;..");
            DatatypeMapping& map = result_.stream.datatype_map.emplace_back();
            if (!mapped(both[0], "xsd", k_xsd_uri, map.type) ||
                !mapped(both[1], "exi", k_exi_uri, map.representation)) {
                return false;
            }
        }
        return true;
    }
    // Also with the prefixes of EXI 7.4's examples.
    bool mapped(std::string_view text, std::string_view prefix, std::string_view uri,
                ExpandedName& out) {
        const std::size_t colon = text[0] == '{' ? std::string_view::npos : text.find(':');
        if (colon == std::string_view::npos) return name(text, out);
        const std::string_view given = text.substr(0, colon);
        if (given == prefix || (given == "xs" && uri == k_xsd_uri)) {
            out.uri = uri;
        } else if (given == "exi") {
            out.uri = k_exi_uri;
        } else if (given == "xsd" || given == "xs") {
            out.uri = k_xsd_uri;
        } else {
            return fail("exi: no prefix \"" + std::string(given) + "\"; a name is {uri}local");
        }
        out.local = text.substr(colon + 1);
        return !out.local.empty() || fail("exi: \"" + std::string(text) + "\" is no name");
    }

    bool schema_id(const SpecOption& option) {
        SchemaId& id = result_.stream.schema_id;
        if (result_.schema == nullptr) {
            id.kind = SchemaId::Kind::no_schema;
            if (!option.value) return true;
            return fail("exi: a schemaId with a value needs a schema, as in -schema FILE.xsd");
        }
        id.name = option.value.value_or(result_.schema_name);
        id.kind = id.name.empty() ? SchemaId::Kind::built_in_types : SchemaId::Kind::named;
        return true;
    }

    int highest_level_;
    std::string& why_;
    EncoderOptions result_;
    std::vector<std::string> seen_;
};

}  // namespace

std::optional<EncoderOptions> parse_options(const SpecPart& format, int highest_level,
                                            std::string& why, EncoderOptions start) {
    Parser parser(highest_level, why, std::move(start));
    for (const SpecOption& option : format.options) {
        if (!parser.option(option)) return std::nullopt;
    }
    if (!parser.finish()) return std::nullopt;
    return std::move(parser.result());
}

}  // namespace perfrelay::exi
