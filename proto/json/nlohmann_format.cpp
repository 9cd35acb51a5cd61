#include "proto/json/nlohmann_format.h"

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace perfrelay::json {

using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;
// Members stay in their order.
using Json = nlohmann::ordered_json;

namespace {

class DomMaker {
  public:
    DomMaker() noexcept(false) {}  // as the library's own constructors

    bool value(const Value& value) {
        switch (value.kind) {
            case ValueKind::null: return add(Json());
            case ValueKind::boolean: return add(Json(value.truth()));
            case ValueKind::int32:
            case ValueKind::int64: return add(Json(value.integer));
            case ValueKind::float64: return add(Json(value.as_double()));
            case ValueKind::text: return add(Json(value.text->view()));
            default: return false;
        }
    }
    bool leaf(const Node& /*node*/) { return false; }
    bool begin(const Node& node) {
        open_.push_back({node.kind == NodeKind::map ? Json::object() : Json::array(), {}});
        if (node.kind == NodeKind::list) {
            open_.back().json.get_ref<Json::array_t&>().reserve(node.count);
        }
        return true;
    }
    bool key(const Text& text) {
        open_.back().key = text.view();
        return true;
    }
    bool end(const Node& /*node*/) {
        Json done = std::move(open_.back().json);
        open_.pop_back();
        return add(std::move(done));
    }
    const Json& root() const { return root_; }

  private:
    bool add(Json json) {
        if (open_.empty()) {
            root_ = std::move(json);
        } else if (Open& last = open_.back(); last.json.is_array()) {
            last.json.get_ref<Json::array_t&>().push_back(std::move(json));
        } else {
            // The object's own insertion looks for the name among all members before it.
            std::vector<Json::object_t::value_type>& members = last.json.get_ref<Json::object_t&>();
            members.emplace_back(std::move(last.key), std::move(json));
        }
        return true;
    }

    struct Open {
        Json json;
        std::string key;
    };
    Json root_;
    std::vector<Open> open_;
};

class TreeReader {
  public:
    explicit TreeReader(TreeBuilder& builder) : builder_(builder) {}

    bool null() { return builder_.value(Value::null()); }
    bool boolean(bool value) { return builder_.value(Value::boolean(value)); }
    bool number_integer(std::int64_t value) { return builder_.integer(value); }
    bool number_unsigned(std::uint64_t value) { return builder_.unsigned_integer(value); }
    bool number_float(double value, const std::string& /*digits*/) {
        return builder_.value(Value::float64(value));
    }
    bool string(const std::string& text) { return builder_.text(as_bytes(text)); }
    bool binary(const std::vector<std::uint8_t>& /*bytes*/) { return false; }  // never of JSON
    bool start_object(std::size_t /*members*/) { return builder_.begin(NodeKind::map); }
    bool key(const std::string& text) { return string(text); }
    bool end_object() { return builder_.end(); }
    bool start_array(std::size_t /*items*/) { return builder_.begin(NodeKind::list); }
    bool end_array() { return builder_.end(); }
    bool parse_error(std::size_t position, const std::string& /*token*/,
                     const nlohmann::detail::exception& why) {
        offset_ = position == 0 ? 0 : position - 1;
        // 4xx: a number too large; else 1xx, syntax.
        return builder_.fail(Errc::malformed, why.id >= 400
                                                  ? "JSON: a number beyond a double's range"
                                                  : "JSON: a syntax error (RFC 8259)");
    }
    std::size_t offset() const { return offset_; }

  private:
    TreeBuilder& builder_;
    std::size_t offset_ = 0;
};

}  // namespace

std::string NlohmannFormat::engine() {
    return "nlohmann/json " + std::to_string(NLOHMANN_JSON_VERSION_MAJOR) + "." +
           std::to_string(NLOHMANN_JSON_VERSION_MINOR) + "." +
           std::to_string(NLOHMANN_JSON_VERSION_PATCH);
}

Result<> NlohmannFormat::encode(const ObjectGraph& own, Buffer& out) {
    DomMaker maker;
    if (auto done = write(own, maker); !done) return done;
    out.append(maker.root().dump());
    return {};
}

Result<> NlohmannFormat::decode(Bytes input, ObjectGraph& graph) {
    return build(graph, [input](TreeBuilder& builder) -> Result<> {
        TreeReader handler(builder);
        if (!Json::sax_parse(input.begin(), input.end(), &handler)) {
            Error error = builder.error();
            error.offset = handler.offset();
            return error;
        }
        // The library takes it for the end of a C string.
        const std::size_t nul = as_text(input).find('\0');
        if (nul == std::string_view::npos) return {};
        return Error{.offset = nul, .where = "JSON: a NUL behind the document"};
    });
}

}  // namespace perfrelay::json
