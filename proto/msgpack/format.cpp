#include "proto/msgpack/format.h"

#include <array>

#include <msgpack.hpp>

namespace perfrelay::msgpack {

using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

constexpr std::int8_t k_timestamp = -1;
constexpr std::int64_t k_nanos_a_milli = 1'000'000;

// What the packer writes to.
class BufferStream {
  public:
    explicit BufferStream(Buffer& out) : out_(out) {}
    void write(const char* data, std::size_t size) { out_.append(std::string_view(data, size)); }

  private:
    Buffer& out_;
};

class TreeWriter {
  public:
    explicit TreeWriter(Buffer& out) : stream_(out), packer_(stream_) {}

    bool value(const Value& value) {
        switch (value.kind) {
            case ValueKind::null: packer_.pack_nil(); return true;
            case ValueKind::boolean:
                value.truth() ? packer_.pack_true() : packer_.pack_false();
                return true;
            case ValueKind::int32:
            case ValueKind::int64: packer_.pack_int64(value.integer); return true;
            case ValueKind::float32: real(0xCA, value.bits, 4); return true;
            case ValueKind::float64: real(0xCB, value.bits, 8); return true;
            case ValueKind::text: return key(*value.text);
            default: return false;
        }
    }
    bool leaf(const Node& node) {
        if (node.kind == NodeKind::date) {
            date(node.millis);
            return true;
        }
        if (node.kind != NodeKind::bytes) return false;
        packer_.pack_bin(node.count);
        packer_.pack_bin_body(reinterpret_cast<const char*>(node.data), node.count);
        return true;
    }
    bool begin(const Node& node) {
        if (node.kind == NodeKind::map) {
            packer_.pack_map(node.count / 2);
        } else {
            packer_.pack_array(node.count);
        }
        return true;
    }
    bool key(const Text& text) {
        packer_.pack_str(text.size);
        packer_.pack_str_body(text.data(), text.size);
        return true;
    }
    bool end(const Node& /*node*/) { return true; }

  private:
    // The packer makes an integer of a whole number, also of -0.0: not the document any more.
    void real(std::uint8_t head, std::uint64_t bits, unsigned size) {
        const auto byte = static_cast<char>(head);
        stream_.write(&byte, 1);
        body(bits, size);
    }
    // The shortest of the three forms of the timestamp extension.
    void date(std::int64_t millis) {
        std::int64_t seconds = millis / 1000;
        std::int64_t rest = millis % 1000;
        if (rest < 0) {
            rest += 1000;
            --seconds;
        }
        const auto nanos = static_cast<std::uint64_t>(rest * k_nanos_a_milli);
        const auto whole = static_cast<std::uint64_t>(seconds);
        if (whole >> 34U != 0) {
            packer_.pack_ext(12, k_timestamp);
            body(nanos, 4);
            body(whole, 8);
        } else if (nanos != 0 || whole >> 32U != 0) {
            packer_.pack_ext(8, k_timestamp);
            body(nanos << 34U | whole, 8);
        } else {
            packer_.pack_ext(4, k_timestamp);
            body(whole, 4);
        }
    }
    void body(std::uint64_t value, unsigned size) {
        std::array<char, 8> bytes{};
        for (unsigned i = 0; i < size; ++i)
            bytes[i] = static_cast<char>(value >> (8U * (size - 1 - i)));
        stream_.write(bytes.data(), size);
    }

    BufferStream stream_;
    ::msgpack::packer<BufferStream> packer_;
};

class TreeReader : public ::msgpack::null_visitor {
  public:
    TreeReader(TreeBuilder& builder, std::size_t size) : builder_(builder), size_(size) {}

    bool visit_nil() { return builder_.value(Value::null()); }
    bool visit_boolean(bool value) { return builder_.value(Value::boolean(value)); }
    bool visit_positive_integer(std::uint64_t value) { return builder_.unsigned_integer(value); }
    bool visit_negative_integer(std::int64_t value) { return builder_.integer(value); }
    bool visit_float32(float value) { return builder_.value(Value::float32(value)); }
    bool visit_float64(double value) { return builder_.value(Value::float64(value)); }
    bool visit_str(const char* text, std::uint32_t size) {
        return builder_.text(as_bytes({text, size}));
    }
    bool visit_bin(const char* bytes, std::uint32_t size) {
        return builder_.bytes(as_bytes({bytes, size}));
    }
    // The first byte is the type.
    bool visit_ext(const char* data, std::uint32_t size) {
        if (size == 0 || data[0] != static_cast<char>(k_timestamp)) {
            return builder_.fail(Errc::unsupported, "MessagePack: an extension of unknown type");
        }
        Reader body(as_bytes({data + 1, size - 1}));
        switch (size - 1) {
            case 4: return date(body.u32(), 0);
            case 8: {
                const std::uint64_t both = body.u64();
                return date(static_cast<std::int64_t>(both & 0x3FFFFFFFFU), both >> 34U);
            }
            case 12: {
                const std::uint32_t nanos = body.u32();
                return date(static_cast<std::int64_t>(body.u64()), nanos);
            }
            default: return builder_.fail(Errc::malformed, "MessagePack: a timestamp's size");
        }
    }
    bool start_array(std::uint32_t items) { return begin(NodeKind::list, items); }
    bool end_array() { return builder_.end(); }
    bool start_map(std::uint32_t pairs) { return begin(NodeKind::map, pairs); }
    bool end_map() { return builder_.end(); }
    void parse_error(std::size_t /*parsed*/, std::size_t offset) {
        offset_ = offset;
        (void)builder_.fail(Errc::malformed, "MessagePack: no value begins like this");
    }
    void insufficient_bytes(std::size_t /*parsed*/, std::size_t offset) {
        offset_ = offset;
        (void)builder_.fail(Errc::truncated, k_short);
    }
    std::size_t offset() const { return offset_; }

  private:
    static constexpr const char* k_short = "MessagePack: ends within a value";

    // Each item has a byte at least.
    bool begin(NodeKind kind, std::uint32_t items) {
        return items <= size_ ? builder_.begin(kind) : builder_.fail(Errc::truncated, k_short);
    }
    bool date(std::int64_t seconds, std::uint64_t nanos) {
        if (nanos >= 1000 * std::uint64_t{k_nanos_a_milli}) {
            return builder_.fail(Errc::malformed, "MessagePack: a timestamp's nanoseconds");
        }
        std::int64_t millis = 0;
        const auto rest = static_cast<std::int64_t>(nanos) / k_nanos_a_milli;
        if (nanos % std::uint64_t{k_nanos_a_milli} == 0 && in_millis(seconds, rest, millis)) {
            return builder_.date(millis);
        }
        return builder_.date(static_cast<double>(seconds) * 1000 +
                             static_cast<double>(nanos) / 1e6);
    }
    // False when 64 bits do not hold them.
    static bool in_millis(std::int64_t seconds, std::int64_t rest, std::int64_t& millis) {
        // One second more, so that the least number of milliseconds is reached from above.
        if (seconds < 0) {
            ++seconds;
            rest -= 1000;
        }
        return !__builtin_mul_overflow(seconds, std::int64_t{1000}, &millis) &&
               !__builtin_add_overflow(millis, rest, &millis);
    }

    TreeBuilder& builder_;
    std::size_t size_;
    std::size_t offset_ = 0;
};

}  // namespace

std::string MsgpackFormat::engine() {
    return "msgpack-cxx " MSGPACK_VERSION;
}

Result<> MsgpackFormat::encode(const ObjectGraph& own, Buffer& out) {
    return write(own, TreeWriter(out));
}

Result<> MsgpackFormat::decode(Bytes input, ObjectGraph& graph) {
    return build(graph, [input](TreeBuilder& builder) -> Result<> {
        TreeReader reader(builder, input.size());
        std::size_t end = 0;
        bool whole = false;
        try {
            whole = ::msgpack::parse(reinterpret_cast<const char*>(input.data()), input.size(), end,
                                     reader);
        } catch (const ::msgpack::unpack_error&) {  // the longest extension, by one byte
            (void)builder.fail(Errc::unsupported, "MessagePack: an extension of 2^32 - 1 bytes");
        }
        if (whole && end == input.size()) return {};
        if (whole) return Error{.offset = end, .where = "MessagePack: more than one value"};
        Error error = builder.error();
        error.offset = reader.offset();
        return error;
    });
}

}  // namespace perfrelay::msgpack
