// The way out of options_document.h.

#include <optional>
#include <string>

#include "proto/exi/encoder.h"
#include "proto/exi/options_document.h"
#include "proto/exi/options_schema.h"

namespace perfrelay::exi {

namespace {

// As an encoder's body does for elements that a wildcard lets in: the same names, the same
// grammars that learn.
class Writing {
  public:
    Writing(BitWriter<Packing::bits>& writer, const EncoderOptions& options)
        : writer_(writer), o_(options.stream), profile_(options.write_profile) {
        const Options own = options_of_header();
        levels_ = SecondLevels(own);
        tables_.reset(own, levels_);
        tables_.names.reset(true, tables_.qnames.table);
        know_names(tables_);
    }

    void run() {
        const Preserve& keep = o_.preserve;
        const bool preserve =
            keep.dtd || keep.prefixes || keep.lexical_values || keep.comments || keep.pis;
        const bool block_size = o_.block_size != Options{}.block_size;
        const bool compressed = o_.alignment == Alignment::compression;
        const bool has_id = o_.schema_id.kind != SchemaId::Kind::absent;

        writer_.bits(1, 0);
        unsigned next = 0;
        if (has_uncommon() || preserve || block_size) {
            child(next, 3, k_lesscommon);
            unsigned inside = 0;
            if (has_uncommon()) {
                child(inside, 3, k_uncommon);
                uncommon();
            }
            if (preserve) {
                child(inside, 3, k_preserve);
                write_preserve();
            }
            if (block_size) {
                child(inside, 3, k_block_size);
                writer_.unsigned_integer(o_.block_size);
            }
            end(inside, 3);
        }
        if (compressed || o_.fragment || has_id) {
            child(next, 3, k_common);
            unsigned inside = 0;
            if (compressed) child(inside, 3, k_compression);
            if (o_.fragment) child(inside, 3, k_fragment);
            if (has_id) {
                child(inside, 3, k_schema_id);
                schema_id();
            }
            end(inside, 3);
        }
        if (o_.strict) child(next, 3, k_strict);
        end(next, 3);
    }

  private:
    bool has_alignment() const {
        return o_.alignment == Alignment::byte_aligned ||
               o_.alignment == Alignment::pre_compression;
    }
    bool has_uncommon() const {
        return profile_ || has_alignment() || o_.self_contained || !o_.datatype_map.empty() ||
               o_.value_max_length != Options::k_unbounded ||
               o_.value_capacity != Options::k_unbounded;
    }

    void child(unsigned& next, unsigned children, unsigned which, unsigned extra = 0) {
        writer_.bits(width_of(children - next + extra + 1), which - next);
        next = which + 1;
    }
    void end(unsigned next, unsigned children, unsigned extra = 0) {
        writer_.bits(width_of(children - next + extra + 1), children - next + extra);
    }

    void uncommon() {
        unsigned next = 0;
        unsigned extra = 1;
        const auto write = [&](unsigned which) {
            child(next, 5, which, extra);
            extra = 0;
        };
        if (profile_) {
            writer_.bits(3, 5);
            write_profile();
        }
        if (has_alignment()) {
            write(k_alignment);
            writer_.boolean(o_.alignment == Alignment::pre_compression);
        }
        if (o_.self_contained) write(k_self_contained);
        if (o_.value_max_length != Options::k_unbounded) {
            write(k_max_length);
            writer_.unsigned_integer(o_.value_max_length);
        }
        if (o_.value_capacity != Options::k_unbounded) {
            write(k_capacity);
            writer_.unsigned_integer(o_.value_capacity);
        }
        for (const DatatypeMapping& map : o_.datatype_map) {
            write(k_map);
            next = k_map;
            empty_element(map.type);
            empty_element(map.representation);
        }
        end(next, 5, extra);
    }

    void write_preserve() {
        unsigned next = 0;
        const Preserve& keep = o_.preserve;
        if (keep.dtd) child(next, 5, k_dtd);
        if (keep.prefixes) child(next, 5, k_prefixes);
        if (keep.lexical_values) child(next, 5, k_lexical);
        if (keep.comments) child(next, 5, k_comments);
        if (keep.pis) child(next, 5, k_pis);
        end(next, 5);
    }

    void schema_id() {
        const bool nil = o_.schema_id.kind == SchemaId::Kind::no_schema;
        writer_.boolean(nil);
        if (nil) {
            writer_.boolean(true);
            return;
        }
        // EXI 7.3.3: the first value of all is a miss.
        writer_.unsigned_integer(count_characters(o_.schema_id.name) + 2);
        writer_.characters(o_.schema_id.name);
    }

    std::uint32_t qname(const ExpandedName& name) {
        Names& names = tables_.names;
        std::uint32_t uri = names.find_uri(name.uri);
        const unsigned width = width_of(names.uris() + std::uint64_t{1});
        writer_.bits(width, uri == Names::k_none ? 0 : uri + 1);
        if (uri == Names::k_none) {
            writer_.string(name.uri);
            uri = names.add_uri(name.uri);
        }
        const std::uint32_t number = names.number(uri, name.local);
        const std::uint32_t id = names[number].local;
        if (id != Names::k_none) {
            writer_.unsigned_integer(0);
            writer_.bits(width_of(names.uri(uri).names.size()), id);
        } else {
            writer_.unsigned_integer(count_characters(name.local) + 1);
            writer_.characters(name.local);
            names.add_local(number);
        }
        return number;
    }

    void second(const State& from, Event event) {
        const SecondLevel& level = levels_[from.kind];
        writer_.bits(from.width, static_cast<std::uint32_t>(from.productions.size()));
        writer_.bits(level.width, level.second_of[static_cast<std::size_t>(event)]);
    }

    // EXI 8.4.3: its end is learned.
    void empty_element(const ExpandedName& name) {
        const std::uint32_t start = tables_.grammars.element(qname(name));
        State& from = tables_.grammars[start];
        if (from.learned_end) {
            writer_.bits(from.width,
                         static_cast<std::uint32_t>(from.productions.size()) - 1 - from.end_at);
        } else {
            second(from, Event::end_element);
            tables_.grammars.learn_end(start);
        }
    }

    void write_profile() {
        const std::uint32_t start = tables_.grammars.element(qname({std::string(k_exi_uri), "p"}));
        second(tables_.grammars[start], Event::any_attribute);
        (void)qname({std::string(k_xsi_uri), "type"});
        (void)qname({std::string(k_xsd_uri), "decimal"});
        const auto plus_one = [](const std::optional<std::uint32_t>& limit) {
            return limit ? std::uint64_t{*limit} + 1 : 0;
        };
        writer_.boolean(o_.profile.local_values);
        writer_.unsigned_integer(plus_one(o_.profile.max_grammars));
        writer_.unsigned_integer(plus_one(o_.profile.max_productions));
    }

    BitWriter<Packing::bits>& writer_;
    const Options& o_;
    bool profile_;
    SecondLevels levels_;
    WrittenTables tables_;
};

}  // namespace

void write_options_document(BitWriter<Packing::bits>& writer, const EncoderOptions& options) {
    Writing(writer, options).run();
}

}  // namespace perfrelay::exi
