#include "proto/bson/format.h"

#include <array>
#include <deque>
#include <string_view>
#include <vector>

#include <bson/bson.h>

namespace perfrelay::bson {

using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

class TreeWriter {
  public:
    explicit TreeWriter(bson_t& document) : document_(document) {}

    bool value(const Value& value) {
        if (open_.empty()) return false;
        next_key();
        bson_t* const to = last();
        switch (value.kind) {
            case ValueKind::null: return bson_append_null(to, key_.data(), key_size());
            case ValueKind::boolean:
                return bson_append_bool(to, key_.data(), key_size(), value.truth());
            case ValueKind::int32:
                return bson_append_int32(to, key_.data(), key_size(),
                                         static_cast<std::int32_t>(value.integer));
            case ValueKind::int64:
                return bson_append_int64(to, key_.data(), key_size(), value.integer);
            case ValueKind::float64:
                return bson_append_double(to, key_.data(), key_size(), value.as_double());
            case ValueKind::text:
                return bson_append_utf8(to, key_.data(), key_size(), value.text->data(),
                                        static_cast<int>(value.text->size));
            default: return false;
        }
    }
    bool leaf(const Node& node) {
        if (open_.empty()) return false;
        next_key();
        if (node.kind == NodeKind::date) {
            return bson_append_date_time(last(), key_.data(), key_size(), node.millis);
        }
        // libbson ends the program when the data is null, also of no bytes.
        static constexpr std::uint8_t k_nothing = 0;
        return node.kind == NodeKind::bytes &&
               bson_append_binary(last(), key_.data(), key_size(), BSON_SUBTYPE_BINARY,
                                  node.count != 0 ? node.data : &k_nothing, node.count);
    }
    bool begin(const Node& node) {
        if (open_.empty()) {
            open_.push_back({.to = &document_});
            return node.kind == NodeKind::map;
        }
        next_key();
        bson_t* const within = last();
        Open& made = open_.emplace_back();
        made.to = &made.own;
        made.is_list = node.kind == NodeKind::list;
        return made.is_list ? bson_append_array_begin(within, key_.data(), key_size(), made.to)
                            : bson_append_document_begin(within, key_.data(), key_size(), made.to);
    }
    bool key(const Text& text) {
        key_ = text.view();
        return true;
    }
    bool end(const Node& /*node*/) {
        bson_t* const done = last();
        const bool was_list = open_.back().is_list;
        bool good = true;
        if (open_.size() > 1) {
            bson_t* const within = open_[open_.size() - 2].to;
            good = was_list ? bson_append_array_end(within, done)
                            : bson_append_document_end(within, done);
        }
        open_.pop_back();
        return good;
    }

  private:
    // libbson points from a document to the one around it: they must stay where they are.
    struct Open {
        bson_t* to = nullptr;
        bool is_list = false;
        std::uint32_t next = 0;  // of a list
        bson_t own{};
    };

    bson_t* last() { return open_.back().to; }
    int key_size() const { return static_cast<int>(key_.size()); }
    // A list's items are named by their numbers.
    void next_key() {
        Open& list = open_.back();
        if (!list.is_list) return;
        const char* digits = nullptr;
        const std::size_t size =
            bson_uint32_to_string(list.next++, &digits, number_.data(), number_.size());
        key_ = {digits, size};
    }

    bson_t& document_;
    std::deque<Open> open_;
    std::string_view key_;
    std::array<char, 16> number_{};
};

class TreeReader {
  public:
    explicit TreeReader(TreeBuilder& builder) : builder_(builder) {}

    Result<> read(Bytes input) {
        bson_iter_t root;
        // libbson ends the program when there is no data at all.
        if (input.empty() || !bson_iter_init_from_data(&root, input.data(), input.size())) {
            return Error{.where = "BSON: the size in front is not the input's, or no end mark"};
        }
        if (!builder_.begin(NodeKind::map)) return error(0);
        open_.push_back({root, false});
        while (!open_.empty()) {
            bson_iter_t& at = open_.back().at;
            const std::size_t offset =
                static_cast<std::size_t>(at.raw - input.data()) + at.next_off;
            if (!bson_iter_next(&at)) {
                if (at.err_off != 0) return Error{.offset = offset, .where = k_broken};
                open_.pop_back();
                (void)builder_.end();
            } else if (!element(at)) {
                return error(offset);
            }
        }
        return {};
    }

  private:
    static constexpr const char* k_broken = "BSON: an element of unknown type, or too short";

    struct Open {
        bson_iter_t at;
        bool is_list;
    };

    Error error(std::size_t offset) const {
        Error error = builder_.error();
        error.offset = offset;
        return error;
    }
    static Bytes bytes_of(const void* data, std::size_t size) {
        return {static_cast<const std::uint8_t*>(data), size};
    }

    bool element(const bson_iter_t& at) {
        if (!open_.back().is_list &&
            !builder_.text(bytes_of(bson_iter_key(&at), bson_iter_key_len(&at)))) {
            return false;
        }
        std::uint32_t size = 0;
        switch (bson_iter_type(&at)) {
            case BSON_TYPE_NULL: return builder_.value(Value::null());
            case BSON_TYPE_UNDEFINED: return builder_.value(Value::undefined());
            case BSON_TYPE_BOOL: return builder_.value(Value::boolean(bson_iter_bool(&at)));
            case BSON_TYPE_INT32: return builder_.value(Value::int32(bson_iter_int32(&at)));
            case BSON_TYPE_INT64: return builder_.value(Value::int64(bson_iter_int64(&at)));
            case BSON_TYPE_DOUBLE: return builder_.value(Value::float64(bson_iter_double(&at)));
            case BSON_TYPE_DATE_TIME: return builder_.date(bson_iter_date_time(&at));
            case BSON_TYPE_UTF8: {
                const char* const text = bson_iter_utf8(&at, &size);
                return builder_.text(bytes_of(text, size));
            }
            case BSON_TYPE_BINARY: {
                const std::uint8_t* data = nullptr;
                bson_iter_binary(&at, nullptr, &size, &data);
                return builder_.bytes({data, size});
            }
            case BSON_TYPE_OID:
                return builder_.bytes(bytes_of(bson_iter_oid(&at)->bytes, sizeof(bson_oid_t)));
            case BSON_TYPE_DOCUMENT: return begin(at, NodeKind::map);
            case BSON_TYPE_ARRAY: return begin(at, NodeKind::list);
            default:
                return builder_.fail(Errc::unsupported, "BSON: a type that objects do not have");
        }
    }
    // `at` lies in open_, which grows.
    bool begin(const bson_iter_t& at, NodeKind kind) {
        // libbson has seen that the size fits in, and no more: the rest is that of a whole input.
        bson_iter_t within;
        std::uint32_t size = 0;
        const std::uint8_t* data = nullptr;
        kind == NodeKind::map ? bson_iter_document(&at, &size, &data)
                              : bson_iter_array(&at, &size, &data);
        if (data == nullptr || !bson_iter_init_from_data(&within, data, size)) {
            return builder_.fail(Errc::malformed, k_broken);
        }
        if (!builder_.begin(kind)) return false;
        open_.push_back({within, kind == NodeKind::list});
        return true;
    }

    TreeBuilder& builder_;
    std::vector<Open> open_;
};

}  // namespace

std::string BsonFormat::engine() {
    return std::string("libbson ") + bson_get_version();
}

Result<> BsonFormat::encode(const ObjectGraph& own, Buffer& out) {
    // Room at once for what the last document took.
    bson_t* const document = bson_sized_new(last_size_);
    TreeWriter writer(*document);
    const bool good = walk_tree(own, writer);
    if (good) {
        out.append(Bytes(bson_get_data(document), document->len));
        last_size_ = document->len;
    }
    bson_destroy(document);
    if (good) return {};
    return Error{.code = Errc::limit_exceeded, .where = "BSON: a document ends at 2^31 - 1 bytes"};
}

Result<> BsonFormat::decode(Bytes input, ObjectGraph& graph) {
    return build(graph, [input](TreeBuilder& builder) { return TreeReader(builder).read(input); });
}

}  // namespace perfrelay::bson
