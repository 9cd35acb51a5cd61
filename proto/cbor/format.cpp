#include "proto/cbor/format.h"

#include <vector>

#include <cbor.h>

namespace perfrelay::cbor {

using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

class TreeWriter {
  public:
    explicit TreeWriter(Buffer& out) : out_(out) {}

    bool value(const Value& value) {
        switch (value.kind) {
            case ValueKind::null: put(cbor_encode_null(room(), k_head)); return true;
            case ValueKind::boolean:
                put(cbor_encode_bool(value.truth(), room(), k_head));
                return true;
            case ValueKind::int32:
            case ValueKind::int64:
                // -1 - n, which is not n in two's complement (RFC 8949 3.1).
                put(value.integer >= 0
                        ? cbor_encode_uint(static_cast<std::uint64_t>(value.integer), room(),
                                           k_head)
                        : cbor_encode_negint(~static_cast<std::uint64_t>(value.integer), room(),
                                             k_head));
                return true;
            case ValueKind::float32:
                put(cbor_encode_single(value.as_float(), room(), k_head));
                return true;
            case ValueKind::float64:
                put(cbor_encode_double(value.as_double(), room(), k_head));
                return true;
            case ValueKind::text: return key(*value.text);
            default: return false;
        }
    }
    bool leaf(const Node& node) {
        if (node.kind != NodeKind::bytes) return false;
        put(cbor_encode_bytestring_start(node.count, room(), k_head));
        out_.append(node.bytes());
        return true;
    }
    bool begin(const Node& node) {
        put(node.kind == NodeKind::map ? cbor_encode_map_start(node.count / 2, room(), k_head)
                                       : cbor_encode_array_start(node.count, room(), k_head));
        return true;
    }
    bool key(const Text& text) {
        put(cbor_encode_string_start(text.size, room(), k_head));
        out_.append(text.view());
        return true;
    }
    bool end(const Node& /*node*/) { return true; }

  private:
    static constexpr std::size_t k_head = 9;  // the longest head
    unsigned char* room() { return out_.prepare(k_head); }
    void put(std::size_t written) { out_.commit(written); }

    Buffer& out_;
};

// What libcbor calls back, one item a call.
class TreeReader {
  public:
    explicit TreeReader(TreeBuilder& builder) : builder_(builder) {}

    Result<> read(Bytes input) {
        for (std::size_t at = 0; !complete_;) {
            left_ = input.size() - at;
            const cbor_decoder_result item =
                cbor_stream_decode(input.data() + at, left_, &callbacks(), this);
            if (item.status == CBOR_DECODER_NEDATA) return error(Errc::truncated, at, k_short);
            if (item.status != CBOR_DECODER_FINISHED) {
                return error(Errc::malformed, at, "RFC 8949 3: no item begins like this");
            }
            if (!good_) return error(builder_.error().code, at, builder_.error().where);
            at += item.read;
            if (complete_ && at != input.size()) {
                return error(Errc::malformed, at, "RFC 8949: more than one item");
            }
        }
        return {};
    }

  private:
    enum class Kind : std::uint8_t { list, map, text, bytes };
    struct Open {
        Kind kind;
        bool counted;            // else until a break
        std::uint64_t left = 0;  // items, of a map keys and values
    };
    static constexpr const char* k_short = "RFC 8949: ends within an item";

    static Error error(Errc code, std::size_t at, const char* where) {
        return {.code = code, .offset = at, .where = where};
    }
    void fail(const char* why) { good_ = builder_.fail(Errc::malformed, why); }

    bool in_chunks() const {
        return !open_.empty() &&
               (open_.back().kind == Kind::text || open_.back().kind == Kind::bytes);
    }
    // Before any item that is no chunk.
    bool may_stand_here() {
        tagged_ = false;
        if (in_chunks()) fail("RFC 8949 3.2.3: a chunk is a string of the same kind");
        return good_;
    }
    // An item is whole; perhaps the list around it as well.
    void item() {
        while (!open_.empty() && open_.back().counted && --open_.back().left == 0)
            close();
        complete_ = open_.empty();
    }
    void close() {
        open_.pop_back();
        good_ = builder_.end();
    }

    void value(Value value) {
        if (!may_stand_here()) return;
        good_ = builder_.value(value);
        item();
    }
    void integer(std::uint64_t value) {
        if (!may_stand_here()) return;
        good_ = builder_.unsigned_integer(value);
        item();
    }
    void negative(std::uint64_t value) {
        if (!may_stand_here()) return;
        good_ = value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()}
                    ? builder_.integer(-1 - static_cast<std::int64_t>(value))
                    : builder_.fail(Errc::unsupported, "an integer of more than 64 bits");
        item();
    }
    void string(Kind kind, Bytes bytes) {
        if (in_chunks()) {
            if (open_.back().kind != kind || tagged_) return void(may_stand_here());
            chunks_.insert(chunks_.end(), bytes.begin(), bytes.end());
            return;
        }
        tagged_ = false;
        good_ = kind == Kind::text ? builder_.text(bytes) : builder_.bytes(bytes);
        item();
    }
    void begin_chunks(Kind kind) {
        if (!may_stand_here()) return;
        chunks_.clear();
        open_.push_back({.kind = kind, .counted = false});
    }
    void begin(Kind kind, bool counted, std::uint64_t items) {
        if (!may_stand_here()) return;
        // Each item has a byte at least.
        if (counted && items > left_) {
            good_ = builder_.fail(Errc::truncated, k_short);
            return;
        }
        good_ = builder_.begin(kind == Kind::map ? NodeKind::map : NodeKind::list);
        if (!good_) return;
        open_.push_back(
            {.kind = kind, .counted = counted, .left = kind == Kind::map ? 2 * items : items});
        if (!counted || items != 0) return;
        close();
        item();
    }
    void break_off() {
        if (open_.empty() || open_.back().counted || tagged_) {
            return fail("RFC 8949 3.2.1: a break where nothing ends");
        }
        const Kind kind = open_.back().kind;
        if (in_chunks()) {
            open_.pop_back();
            string(kind, chunks_);
            return;
        }
        close();
        if (good_) item();
    }
    void tag(std::uint64_t number) {
        if (!may_stand_here()) return;
        tagged_ = true;
        if (number == 25 || number == 256 || number == 28 || number == 29) {
            good_ = builder_.fail(Errc::unsupported, "CBOR: tags 25, 28, 29 and 256 refer back");
        }
    }

    static TreeReader& of(void* context) { return *static_cast<TreeReader*>(context); }
    static const cbor_callbacks& callbacks();

    TreeBuilder& builder_;
    std::vector<Open> open_;
    std::vector<std::uint8_t> chunks_;
    std::size_t left_ = 0;  // bytes of the input, with the item
    bool good_ = true;
    bool tagged_ = false;
    bool complete_ = false;
};

const cbor_callbacks& TreeReader::callbacks() {
    static const cbor_callbacks k_callbacks = [] {
        cbor_callbacks to{};
        to.uint8 = [](void* reader, std::uint8_t value) { of(reader).integer(value); };
        to.uint16 = [](void* reader, std::uint16_t value) { of(reader).integer(value); };
        to.uint32 = [](void* reader, std::uint32_t value) { of(reader).integer(value); };
        to.uint64 = [](void* reader, std::uint64_t value) { of(reader).integer(value); };
        to.negint8 = [](void* reader, std::uint8_t value) { of(reader).negative(value); };
        to.negint16 = [](void* reader, std::uint16_t value) { of(reader).negative(value); };
        to.negint32 = [](void* reader, std::uint32_t value) { of(reader).negative(value); };
        to.negint64 = [](void* reader, std::uint64_t value) { of(reader).negative(value); };
        to.byte_string_start = [](void* reader) { of(reader).begin_chunks(Kind::bytes); };
        to.byte_string = [](void* reader, cbor_data data, std::size_t size) {
            of(reader).string(Kind::bytes, {data, size});
        };
        to.string_start = [](void* reader) { of(reader).begin_chunks(Kind::text); };
        to.string = [](void* reader, cbor_data data, std::size_t size) {
            of(reader).string(Kind::text, {data, size});
        };
        to.indef_array_start = [](void* reader) { of(reader).begin(Kind::list, false, 0); };
        to.array_start = [](void* reader, std::size_t items) {
            of(reader).begin(Kind::list, true, items);
        };
        to.indef_map_start = [](void* reader) { of(reader).begin(Kind::map, false, 0); };
        to.map_start = [](void* reader, std::size_t pairs) {
            of(reader).begin(Kind::map, true, pairs);
        };
        to.tag = [](void* reader, std::uint64_t number) { of(reader).tag(number); };
        to.float2 = [](void* reader, float value) { of(reader).value(Value::float32(value)); };
        to.float4 = to.float2;
        to.float8 = [](void* reader, double value) { of(reader).value(Value::float64(value)); };
        to.undefined = [](void* reader) { of(reader).value(Value::undefined()); };
        to.null = [](void* reader) { of(reader).value(Value::null()); };
        to.boolean = [](void* reader, bool value) { of(reader).value(Value::boolean(value)); };
        to.indef_break = [](void* reader) { of(reader).break_off(); };
        return to;
    }();
    return k_callbacks;
}

}  // namespace

std::string CborFormat::engine() {
    return "libcbor " + std::to_string(CBOR_MAJOR_VERSION) + "." +
           std::to_string(CBOR_MINOR_VERSION) + "." + std::to_string(CBOR_PATCH_VERSION);
}

Result<> CborFormat::encode(const ObjectGraph& own, Buffer& out) {
    return write(own, TreeWriter(out));
}

Result<> CborFormat::decode(Bytes input, ObjectGraph& graph) {
    return build(graph, [input](TreeBuilder& builder) { return TreeReader(builder).read(input); });
}

}  // namespace perfrelay::cbor
