#include "proto/exi/schema/compiled_schema.h"

#include <algorithm>
#include <string_view>

#include "common/base/crc32c.h"
#include "proto/exi/schema/schema_maker.h"

namespace perfrelay::exi {

namespace {

constexpr std::string_view k_magic = "EXCS";
constexpr std::size_t k_header = 10;

class Writer {
  public:
    explicit Writer(Buffer& out) : out_(out) {}

    void number(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7U)
            out_.u8(static_cast<std::uint8_t>(0x80U | (value & 0x7FU)));
        out_.u8(static_cast<std::uint8_t>(value));
    }
    // One more than a number, 0 for none.
    void optional(std::uint32_t value) { number(std::uint64_t{value + 1}); }
    void text(std::string_view text) {
        number(text.size());
        out_.append(text);
    }
    void texts(const std::vector<std::string>& all) {
        number(all.size());
        for (const std::string& one : all)
            text(one);
    }

  private:
    Buffer& out_;
};

class Body {
  public:
    explicit Body(Bytes bytes) : reader_(bytes) {}

    bool failed() const { return failed_ || reader_.failed(); }
    bool at_end() const { return reader_.remaining() == 0; }
    std::size_t offset() const { return reader_.offset(); }
    void fail() { failed_ = true; }

    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 63; shift += 7) {
            const std::uint8_t group = reader_.u8();
            value |= static_cast<std::uint64_t>(group & 0x7FU) << shift;
            if (group < 0x80) return value;
        }
        fail();
        return 0;
    }
    // Below `limit`.
    std::uint32_t below(std::uint64_t limit) {
        const std::uint64_t value = number();
        if (value < limit) return static_cast<std::uint32_t>(value);
        fail();
        return 0;
    }
    std::uint32_t optional(std::uint64_t limit) {
        const std::uint32_t value = below(limit + 1);
        return value == 0 ? UINT32_MAX : value - 1;
    }
    // Of things that take a byte each at least.
    std::uint32_t count() { return below(std::uint64_t{reader_.remaining()} + 1); }
    std::string text() {
        const Bytes bytes = reader_.bytes(static_cast<std::size_t>(number()));
        return std::string(as_text(bytes));
    }
    std::vector<std::string> texts() {
        std::vector<std::string> all;
        for (std::uint32_t left = count(); left != 0 && !failed(); --left)
            all.push_back(text());
        return all;
    }

  private:
    perfrelay::Reader reader_;
    bool failed_ = false;
};

class SchemaReader {
  public:
    explicit SchemaReader(Bytes body) : in_(body), schema_(std::make_shared<Schema>()) {}

    Result<std::shared_ptr<const Schema>> read() {
        read_uris();
        read_types();
        read_states();
        read_productions();
        for (auto* const starts : {&schema_->documents, &schema_->fragments}) {
            for (std::uint32_t& start : *starts)
                start = state();
        }
        read_index(schema_->elements, states_);
        read_index(schema_->types, states_);
        for (std::uint32_t& number : schema_->elements)
            number = number == Schema::k_none ? number : number | Schema::k_state;
        for (std::uint32_t& number : schema_->types)
            number = number == Schema::k_none ? number : number | Schema::k_state;
        schema_->attributes.resize(names_);
        for (std::uint32_t& type : schema_->attributes)
            type = in_.below(types_);
        if (!in_.at_end()) in_.fail();
        if (!in_.failed()) check();
        if (in_.failed())
            return Error{.code = Errc::malformed,
                         .offset = k_header + in_.offset(),
                         .where = "the compiled schema is damaged; compile it anew"};
        schema_->finish();
        return std::shared_ptr<const Schema>(std::move(schema_));
    }

  private:
    void read_uris() {
        for (std::uint32_t left = in_.count(); left != 0 && !in_.failed(); --left) {
            PresetUri& uri = schema_->uris.emplace_back();
            uri.text = in_.text();
            uri.locals = in_.texts();
            names_ += uri.locals.size();
        }
        constexpr std::string_view k_first[] = {"", k_xml_uri, k_xsi_uri, k_xsd_uri};
        for (std::size_t i = 0; i < std::size(k_first); ++i) {
            if (i >= schema_->uris.size() || schema_->uris[i].text != k_first[i]) return in_.fail();
        }
        const std::vector<std::string>& xsi = schema_->uris[k_xsi_id].locals;
        if (!std::binary_search(xsi.begin(), xsi.end(), "nil") ||
            !std::binary_search(xsi.begin(), xsi.end(), "type")) {
            in_.fail();
        }
    }

    void read_types() {
        types_ = in_.count();
        const std::vector<SimpleType> built_in = Components().simple_types;
        for (std::uint32_t i = 0; i < types_ && !in_.failed(); ++i) {
            SimpleType& type = schema_->simple_types.emplace_back();
            type.name.uri = in_.text();
            type.name.local = in_.text();
            type.base = in_.optional(types_);
            type.variety = static_cast<SimpleType::Variety>(in_.below(4));
            type.item = in_.optional(types_);
            const std::uint32_t space = in_.below(4);
            if (space != 0) type.white_space = static_cast<WhiteSpace>(space - 1);
            type.enumeration = in_.texts();
            type.patterns = in_.texts();
            for (std::string* const bound : {&type.min_inclusive, &type.min_exclusive,
                                             &type.max_inclusive, &type.max_exclusive}) {
                *bound = in_.text();
            }
            type.built_in = in_.below(2) != 0;
            if (i < built_in.size() && !(type.name == built_in[i].name && type.built_in))
                in_.fail();
            const bool ur = type.variety == SimpleType::Variety::ur_type;
            if (ur != (type.base == k_no_component) || (i == 0) != ur) in_.fail();
            if (type.variety == SimpleType::Variety::list && type.item == k_no_component)
                in_.fail();
        }
        if (types_ < built_in.size() || (!in_.failed() && !sound_types(schema_->simple_types)))
            in_.fail();
    }

    std::uint32_t state() { return in_.below(states_) | Schema::k_state; }

    void read_states() {
        states_ = in_.count();
        for (std::uint32_t i = 0; i < states_ && !in_.failed(); ++i) {
            Schema::State& to = schema_->states.emplace_back();
            to.first = in_.below(UINT32_MAX);
            to.count = in_.below(UINT32_MAX);
            to.attributes = in_.below(std::uint64_t{to.count} + 1);
            to.content = state();
            to.empty = state();
            for (StateKind& kind : to.kinds)
                kind = static_cast<StateKind>(in_.below(k_state_kinds));
        }
    }

    void read_productions() {
        const std::uint32_t count = in_.count();
        for (std::uint32_t i = 0; i < count && !in_.failed(); ++i) {
            Production& to = schema_->productions.emplace_back();
            to.event = static_cast<Event>(in_.below(k_events));
            const std::uint64_t next = in_.number();
            // The end of the document, or a state of ours.
            if (next > states_) return in_.fail();
            to.next = next == 0 ? Grammars::k_document_end
                                : static_cast<std::uint32_t>(next - 1) | Schema::k_state;
            switch (to.event) {
                case Event::start_element:
                    to.name = in_.below(names_);
                    to.target = state();
                    break;
                case Event::attribute:
                    to.name = in_.below(names_);
                    to.target = in_.below(types_);
                    break;
                case Event::characters: to.target = in_.below(types_); break;
                case Event::any_element_of:
                case Event::any_attribute_of: to.name = in_.below(schema_->uris.size()); break;
                case Event::any_element:
                case Event::any_attribute:
                case Event::end_element:
                case Event::end_document: break;
                default: in_.fail();
            }
        }
    }

    void read_index(std::vector<std::uint32_t>& index, std::uint64_t limit) {
        index.resize(names_);
        for (std::uint32_t& number : index) {
            number = in_.optional(limit);
            if (in_.failed()) return;
        }
    }

    // What holds between parts: ranges, and which event belongs to which kind of state.
    void check() {
        const std::vector<Production>& productions = schema_->productions;
        std::vector<bool> is_start(states_);
        for (const auto* const starts : {&schema_->documents, &schema_->fragments}) {
            for (const std::uint32_t start : *starts)
                is_start[start & ~Schema::k_state] = true;
        }
        for (std::uint32_t i = 0; i < states_; ++i) {
            const Schema::State& state = schema_->states[i];
            const bool built_in_kind = state.kinds[0] == StateKind::start_tag ||
                                       state.kinds[0] == StateKind::content ||
                                       state.kinds[0] == StateKind::document_end;
            if (std::uint64_t{state.first} + state.count > productions.size() || built_in_kind)
                return in_.fail();
            for (std::uint32_t at = 0; at < state.count; ++at) {
                const Production& p = productions[state.first + at];
                const bool outside =
                    p.event == Event::end_document ||
                    (p.next == Grammars::k_document_end && p.event != Event::end_element);
                if ((outside && !is_start[i]) ||
                    (is_start[i] && p.event != Event::start_element &&
                     p.event != Event::any_element && p.event != Event::end_document) ||
                    (at < state.attributes) != (p.event == Event::attribute)) {
                    return in_.fail();
                }
            }
        }
        const auto is_element = [&](std::uint32_t start) {
            return start == Schema::k_none || !is_start[start & ~Schema::k_state];
        };
        for (const Production& p : productions) {
            if (p.event == Event::start_element && !is_element(p.target)) return in_.fail();
        }
        if (!std::all_of(schema_->elements.begin(), schema_->elements.end(), is_element) ||
            !std::all_of(schema_->types.begin(), schema_->types.end(), is_element)) {
            in_.fail();
        }
    }

    Body in_;
    std::shared_ptr<Schema> schema_;
    std::uint64_t names_ = 0;
    std::uint32_t types_ = 0;
    std::uint32_t states_ = 0;
};

void write_body(const Schema& schema, Writer& out) {
    out.number(schema.uris.size());
    for (const PresetUri& uri : schema.uris) {
        out.text(uri.text);
        out.texts(uri.locals);
    }
    out.number(schema.simple_types.size());
    for (const SimpleType& type : schema.simple_types) {
        out.text(type.name.uri);
        out.text(type.name.local);
        out.optional(type.base);
        out.number(static_cast<std::uint64_t>(type.variety));
        out.optional(type.item);
        out.number(type.white_space ? static_cast<std::uint64_t>(*type.white_space) + 1 : 0);
        out.texts(type.enumeration);
        out.texts(type.patterns);
        for (const std::string* const bound :
             {&type.min_inclusive, &type.min_exclusive, &type.max_inclusive, &type.max_exclusive}) {
            out.text(*bound);
        }
        out.number(type.built_in ? 1 : 0);
    }
    const auto state = [&](std::uint32_t number) { out.number(number & ~Schema::k_state); };
    out.number(schema.states.size());
    for (const Schema::State& from : schema.states) {
        out.number(from.first);
        out.number(from.count);
        out.number(from.attributes);
        state(from.content);
        state(from.empty);
        for (const StateKind kind : from.kinds)
            out.number(static_cast<std::uint64_t>(kind));
    }
    out.number(schema.productions.size());
    for (const Production& p : schema.productions) {
        out.number(static_cast<std::uint64_t>(p.event));
        out.number(Schema::is_state(p.next) ? std::uint64_t{p.next & ~Schema::k_state} + 1 : 0);
        switch (p.event) {
            case Event::start_element:
                out.number(p.name);
                state(p.target);
                break;
            case Event::attribute:
                out.number(p.name);
                out.number(p.target);
                break;
            case Event::characters: out.number(p.target); break;
            case Event::any_element_of:
            case Event::any_attribute_of: out.number(p.name); break;
            default: break;
        }
    }
    for (const auto* const starts : {&schema.documents, &schema.fragments}) {
        for (const std::uint32_t start : *starts)
            state(start);
    }
    for (const auto* const index : {&schema.elements, &schema.types}) {
        for (const std::uint32_t number : *index)
            out.optional(number == Schema::k_none ? number : number & ~Schema::k_state);
    }
    for (const std::uint32_t type : schema.attributes)
        out.number(type);
}

}  // namespace

bool is_compiled_schema(Bytes bytes) {
    return as_text(bytes).substr(0, k_magic.size()) == k_magic;
}

void write_compiled_schema(const Schema& schema, Buffer& out) {
    Buffer body;
    Writer writer(body);
    write_body(schema, writer);
    out.append(k_magic);
    out.u16(k_compiled_version);
    out.u32(crc32c(body.view()));
    out.append(body.view());
}

Result<std::shared_ptr<const Schema>> read_compiled_schema(Bytes bytes) {
    if (!is_compiled_schema(bytes))
        return Error{.code = Errc::malformed, .where = "no compiled schema"};
    perfrelay::Reader header(bytes);
    header.skip(k_magic.size());
    const std::uint16_t version = header.u16();
    const std::uint32_t sum = header.u32();
    if (header.failed())
        return Error{.code = Errc::truncated, .where = "the compiled schema ends in its header"};
    if (version != k_compiled_version)
        return Error{.code = Errc::unsupported,
                     .offset = k_magic.size(),
                     .where = "the schema was compiled by another version; compile it anew"};
    const Bytes body = bytes.subspan(k_header);
    if (crc32c(body) != sum)
        return Error{.code = Errc::malformed,
                     .offset = k_header,
                     .where = "the compiled schema is damaged; compile it anew"};
    return SchemaReader(body).read();
}

}  // namespace perfrelay::exi
