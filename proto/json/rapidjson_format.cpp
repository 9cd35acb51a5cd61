#include "proto/json/rapidjson_format.h"

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <rapidjson/writer.h>

#include "proto/model/json_stream.h"

namespace perfrelay::json {

using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

class TreeWriter {
  public:
    explicit TreeWriter(Buffer& out) : stream_(out), json_(stream_) {}

    bool value(const Value& value) {
        switch (value.kind) {
            case ValueKind::null: return json_.Null();
            case ValueKind::boolean: return json_.Bool(value.truth());
            case ValueKind::int32: return json_.Int(static_cast<int>(value.integer));
            case ValueKind::int64: return json_.Int64(value.integer);
            case ValueKind::float64: return json_.Double(value.as_double());
            case ValueKind::text: return key(*value.text);
            default: return false;
        }
    }
    bool leaf(const Node& /*node*/) { return false; }
    bool begin(const Node& node) {
        return node.kind == NodeKind::map ? json_.StartObject() : json_.StartArray();
    }
    bool key(const Text& text) {
        return json_.String(text.data(), static_cast<rapidjson::SizeType>(text.size));
    }
    bool end(const Node& node) {
        return node.kind == NodeKind::map ? json_.EndObject() : json_.EndArray();
    }

  private:
    JsonStream stream_;
    rapidjson::Writer<JsonStream> json_;
};

// NOLINTBEGIN(readability-identifier-naming): RapidJSON's names
class TreeReader {
  public:
    explicit TreeReader(TreeBuilder& builder) : builder_(builder) {}

    bool Null() { return builder_.value(Value::null()); }
    bool Bool(bool value) { return builder_.value(Value::boolean(value)); }
    bool Int(int value) { return builder_.value(Value::int32(value)); }
    bool Uint(unsigned value) { return builder_.integer(value); }
    bool Int64(std::int64_t value) { return builder_.integer(value); }
    bool Uint64(std::uint64_t value) { return builder_.unsigned_integer(value); }
    bool Double(double value) { return builder_.value(Value::float64(value)); }
    bool RawNumber(const char* /*text*/, rapidjson::SizeType /*size*/, bool /*copy*/) {
        return false;  // of a mode that is not used
    }
    bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
        return builder_.text(as_bytes({text, size}));
    }
    bool Key(const char* text, rapidjson::SizeType size, bool copy) {
        return String(text, size, copy);
    }
    bool StartObject() { return builder_.begin(NodeKind::map); }
    bool EndObject(rapidjson::SizeType /*members*/) { return builder_.end(); }
    bool StartArray() { return builder_.begin(NodeKind::list); }
    bool EndArray(rapidjson::SizeType /*items*/) { return builder_.end(); }

  private:
    TreeBuilder& builder_;
};
// NOLINTEND(readability-identifier-naming)

}  // namespace

std::string RapidjsonFormat::engine() {
    return "RapidJSON " RAPIDJSON_VERSION_STRING;
}

Result<> RapidjsonFormat::encode(const ObjectGraph& own, Buffer& out) {
    return write(own, TreeWriter(out));
}

Result<> RapidjsonFormat::decode(Bytes input, ObjectGraph& graph) {
    constexpr unsigned k_flags =
        rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag;
    return build(graph, [input](TreeBuilder& builder) -> Result<> {
        TreeReader handler(builder);
        rapidjson::Reader reader;
        rapidjson::MemoryStream stream(reinterpret_cast<const char*>(input.data()), input.size());
        const auto done = reader.Parse<k_flags>(stream, handler);
        if (done.Code() == rapidjson::kParseErrorTermination) {
            Error error = builder.error();
            error.offset = done.Offset();
            return error;
        }
        if (done.IsError()) {
            return Error{.offset = done.Offset(),
                         .where = rapidjson::GetParseError_En(done.Code())};
        }
        if (stream.Tell() == input.size()) return {};
        return Error{.offset = stream.Tell(), .where = "JSON: a NUL behind the document"};
    });
}

}  // namespace perfrelay::json
