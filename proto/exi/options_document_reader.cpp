// The way in of options_document.h.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/exi/item_reader.h"
#include "proto/exi/options_document.h"
#include "proto/exi/options_schema.h"

namespace perfrelay::exi {

namespace {

// EXI Profile 1.0: the parameters as parts of a decimal: negative with local values; the integral
// part and the fraction, reversed as it is written, are a limit plus one, or 0 without.
Profile profile_of(bool negative, std::uint64_t integral, std::uint64_t fraction) {
    const auto limit = [](std::uint64_t value) -> std::optional<std::uint32_t> {
        if (value == 0 || value > UINT32_MAX) return std::nullopt;
        return static_cast<std::uint32_t>(value - 1);
    };
    return {negative, limit(integral), limit(fraction)};
}

class Reading {
  public:
    Reading(BitReader<Packing::bits>& reader, const Limits& limits)
        : reader_(reader), items_(reader, text_, limits), own_(options_of_header()) {
        levels_ = SecondLevels(own_);
        tables_.reset(own_, levels_, qnames_, text_);
        tables_.names.reset(true, qnames_);
        know_names(tables_);
        tables_.make_room();
        schema_id_ = tables_.names.number(tables_.names.find_uri(k_exi_uri), "schemaId");
        tables_.make_room();
    }

    Options run() {
        // C: the schema's one global element, and SE(*).
        if (reader_.bits(1) != 0) {
            reader_.fail(Errc::malformed, "EXI 5.4: the options document's root is not exi:header");
            return {};
        }
        for (unsigned next = 0; child(next, 3);) {
            switch (next++) {
                case k_lesscommon: less_common(); break;
                case k_common: common(); break;
                default: options_.strict = true; break;
            }
        }
        return std::move(options_);
    }

  private:
    // Which child follows, of those from `next` on; false at the end of the element. `extra`
    // productions come between the last child and the end.
    bool child(unsigned& next, unsigned children, unsigned extra = 0) {
        if (reader_.failed()) return false;
        const unsigned left = children - next + extra;
        const std::uint32_t code = reader_.bits(width_of(left + 1));
        if (code > left) reader_.fail(Errc::malformed, "EXI 6.2: no event has this code here");
        if (code >= left || reader_.failed()) return false;
        next += code;
        return true;
    }

    void less_common() {
        for (unsigned next = 0; child(next, 3);) {
            switch (next++) {
                case k_uncommon: uncommon(); break;
                case k_preserve: preserve(); break;
                default:
                    options_.block_size = reader_.unsigned_integer();
                    if (options_.block_size == 0)
                        reader_.fail(Errc::malformed, "EXI C: a blockSize of 0");
                    break;
            }
        }
    }

    void uncommon() {
        // User-defined meta-data comes first; its production stands behind those of the children.
        bool first = true;
        for (unsigned next = 0; child(next, 5, first ? 1 : 0);) {
            if (first && next == 5) {
                meta_data();
                next = 0;
                continue;
            }
            first = false;
            switch (next) {
                case k_alignment:
                    options_.alignment =
                        reader_.boolean() ? Alignment::pre_compression : Alignment::byte_aligned;
                    aligned_ = true;
                    break;
                case k_self_contained: options_.self_contained = true; break;
                case k_max_length: options_.value_max_length = reader_.unsigned_integer(); break;
                case k_capacity: options_.value_capacity = reader_.unsigned_integer(); break;
                default: {
                    DatatypeMapping map;
                    map.type = skip_element();
                    map.representation = skip_element();
                    if (options_.datatype_map.size() >= k_most_mappings)
                        reader_.fail(Errc::limit_exceeded, "EXI 7.4: more mappings than the limit");
                    options_.datatype_map.push_back(std::move(map));
                    continue;  // more of them may follow
                }
            }
            ++next;
        }
    }

    void preserve() {
        Preserve& keep = options_.preserve;
        for (unsigned next = 0; child(next, 5);) {
            switch (next++) {
                case k_dtd: keep.dtd = true; break;
                case k_prefixes: keep.prefixes = true; break;
                case k_lexical: keep.lexical_values = true; break;
                case k_comments: keep.comments = true; break;
                default: keep.pis = true; break;
            }
        }
    }

    void common() {
        for (unsigned next = 0; child(next, 3);) {
            switch (next++) {
                case k_compression:
                    // EXI 5.4
                    if (aligned_)
                        reader_.fail(Errc::malformed, "EXI 5.4: compression excludes alignment");
                    options_.alignment = Alignment::compression;
                    break;
                case k_fragment: options_.fragment = true; break;
                default: schema_id(); break;
            }
        }
    }

    // EXI 5.4: three states. CH has code 0, xsi:nil 1.0 (EXI 8.5.4.4.2).
    void schema_id() {
        SchemaId& id = options_.schema_id;
        if (reader_.boolean() && reader_.boolean()) {
            id.kind = SchemaId::Kind::no_schema;
            return;
        }
        const std::string_view text = items_.value(tables_, schema_id_);
        id.kind = text.empty() ? SchemaId::Kind::built_in_types : SchemaId::Kind::named;
        id.name = text;
    }

    void meta_data() {
        if (++meta_data_ > k_most_mappings) {
            reader_.fail(Errc::limit_exceeded,
                         "EXI 5.4: more user-defined meta-data than the limit");
            return;
        }
        (void)skip_element();
    }

    // An element that a wildcard lets in, read by the built-in grammar. Its name.
    ExpandedName skip_element() {
        const std::uint32_t root = items_.qname(tables_);
        if (reader_.failed()) return {};
        std::vector<Open> open{{root, 0}};
        std::uint32_t state = tables_.grammars.element(root);
        while (!open.empty() && !reader_.failed())
            state = one_event(open, state);
        const QName& name = *tables_.names[root].qname;
        return {std::string(name.uri), std::string(name.local)};
    }

    struct Open {
        std::uint32_t name;
        std::uint32_t next;
    };

    std::uint32_t one_event(std::vector<Open>& open, std::uint32_t state) {
        Grammars& grammars = tables_.grammars;
        Production taken = event_code(grammars[state]);
        const std::uint32_t content = grammars.content_of(state);
        if (reader_.failed()) return state;
        switch (taken.event) {
            case Event::any_attribute:
                taken.name = items_.qname(tables_);
                if (reader_.failed()) return state;
                grammars.learn_attribute(state, taken.name, taken.name == tables_.names.xsi_type());
                [[fallthrough]];
            case Event::attribute:
                if (taken.name == tables_.names.xsi_type()) return typed(open, state);
                (void)items_.value(tables_, taken.name);
                return state;
            case Event::any_element:
                taken.name = items_.qname(tables_);
                if (reader_.failed()) return state;
                taken.target = grammars.element(taken.name);
                grammars.learn_element(state, taken.name, taken.target);
                [[fallthrough]];
            case Event::start_element:
                if (open.size() >= k_most_mappings)
                    reader_.fail(Errc::limit_exceeded, "EXI 5.4: meta-data nested too deep");
                open.push_back({taken.name, content});
                return taken.target;
            case Event::characters:
                grammars.learn_characters(state);
                (void)items_.value(tables_, open.back().name);
                return content;
            default: {
                grammars.learn_end(state);
                const std::uint32_t next = open.back().next;
                open.pop_back();
                return next;
            }
        }
    }

    Production event_code(const State& from) {
        const std::uint32_t first = reader_.bits(from.width);
        const std::size_t count = from.productions.size();
        if (first < count) return from.productions[count - 1 - first];
        const SecondLevel& level = levels_[from.kind];
        const std::uint32_t second = reader_.bits(level.width);
        if (first == count && second < level.count) return {.event = level.events[second]};
        reader_.fail(Errc::malformed, "EXI 6.2: no event has this code here");
        return {};
    }

    // EXI 8.4.3: a type that is known has its own grammar: one value, then the end.
    std::uint32_t typed(std::vector<Open>& open, std::uint32_t state) {
        const std::uint32_t type = items_.qname(tables_);
        if (reader_.failed()) return state;
        const QName& name = *tables_.names[type].qname;
        const bool known = name.uri == k_xsd_uri || name.uri == k_exi_uri;
        if (!known) return state;
        if (name.local != "decimal") {
            reader_.fail(Errc::unsupported, "EXI 5.4: meta-data of a type other than xs:decimal");
            return state;
        }
        // EXI 7.1.3
        const bool negative = reader_.boolean();
        const std::uint64_t integral = reader_.unsigned_integer();
        const std::uint64_t fraction = reader_.unsigned_integer();
        const QName& element = *tables_.names[open.back().name].qname;
        if (element.uri == k_exi_uri && element.local == "p")
            options_.profile = profile_of(negative, integral, fraction);
        const std::uint32_t next = open.back().next;
        open.pop_back();
        return next;
    }

    // Of meta-data, mappings, and levels.
    static constexpr std::size_t k_most_mappings = 1000;

    BitReader<Packing::bits>& reader_;
    Arena text_;
    NameTable qnames_;
    ItemReader<Packing::bits> items_;
    Options own_;
    SecondLevels levels_;
    LearnedTables tables_;
    std::uint32_t schema_id_ = 0;
    Options options_;
    bool aligned_ = false;
    std::size_t meta_data_ = 0;
};

}  // namespace

Options read_options_document(BitReader<Packing::bits>& reader, const Limits& limits) {
    return Reading(reader, limits).run();
}

}  // namespace perfrelay::exi
