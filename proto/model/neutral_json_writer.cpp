#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include <rapidjson/writer.h>

#include "proto/model/json_stream.h"
#include "proto/model/neutral_json.h"
#include "proto/model/object_difference.h"

namespace perfrelay {

using graph::Annotation;
using graph::Class;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

bool has_identity(NodeKind kind, ObjectGraph::Origin origin) {
    switch (kind) {
        case NodeKind::block:
        case NodeKind::sequence:
        case NodeKind::reset: return false;
        case NodeKind::date:
        case NodeKind::bytes: return origin != ObjectGraph::Origin::hessian2;
        default: return true;
    }
}

// What a node consists of, one after another.
enum class Part : std::uint8_t { fields, dynamic, annotation, items, entries, assoc, done };

struct Frame {
    const Node* node;
    Part part = Part::done;
    bool open = false;        // the part's bracket is written
    std::uint32_t level = 0;  // of a Java object
    std::uint32_t index = 0;  // within the part
    std::uint32_t first = 0;  // field values of the levels above
};

class JsonWriter {
  public:
    JsonWriter(const ObjectGraph& graph, Buffer& out)
        : graph_(graph), stream_(out), json_(stream_), ids_(graph.node_count(), k_no_id) {}

    void run() {
        value(graph_.root);
        while (!frames_.empty())
            step();
    }

  private:
    static constexpr std::uint32_t k_no_id = 0xFFFFFFFFU;

    void key(const char* name) { json_.Key(name); }

    void string(std::string_view text) {
        quoted_ = '"';
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto byte = static_cast<unsigned char>(text[i]);
            if (byte == '"' || byte == '\\') {
                quoted_ += '\\';
                quoted_ += text[i];
            } else if (byte < 0x20 || byte == 0x7F) {
                escape(byte);
            } else if (byte == 0xED && static_cast<unsigned char>(text[i + 1]) >= 0xA0) {
                // A lone surrogate: not UTF-8, so never as bytes.
                escape(0xD000U | ((static_cast<unsigned>(text[i + 1]) & 0x3FU) << 6U) |
                       (static_cast<unsigned>(text[i + 2]) & 0x3FU));
                i += 2;
            } else {
                quoted_ += text[i];
            }
        }
        quoted_ += '"';
        json_.RawValue(quoted_.data(), quoted_.size(), rapidjson::kStringType);
    }
    void escape(unsigned unit) {
        quoted_ += "\\u";
        for (const unsigned shift : {12U, 8U, 4U, 0U})
            quoted_ += "0123456789abcdef"[(unit >> shift) & 0xFU];
    }

    template <class T>
    void number(const char* name, T value) {
        std::array<char, 40> text{};
        const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
        std::string shown(text.data(), end.ptr);
        if (shown.find_first_of(".e") == std::string::npos) shown += ".0";
        key(name);
        json_.RawValue(shown.data(), shown.size(), rapidjson::kNumberType);
    }

    void hex_bits(std::uint64_t bits, unsigned digits) {
        std::string text;
        for (unsigned i = digits; i-- > 0;)
            text += "0123456789abcdef"[(bits >> (4U * i)) & 0xFU];
        key("bits");
        json_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    }

    void hex(Bytes bytes) {
        quoted_ = '"';
        for (const std::uint8_t byte : bytes) {
            quoted_ += "0123456789abcdef"[byte >> 4U];
            quoted_ += "0123456789abcdef"[byte & 0xFU];
        }
        quoted_ += '"';
        key("hex");
        json_.RawValue(quoted_.data(), quoted_.size(), rapidjson::kStringType);
    }

    void kind(const char* name) {
        json_.StartObject();
        key("t");
        json_.String(name);
    }

    void value(const Value& value) {
        if (value.is(ValueKind::node)) {
            node(*value.node);
            return;
        }
        kind(kind_name(value.kind));
        switch (value.kind) {
            case ValueKind::undefined:
            case ValueKind::null: break;
            case ValueKind::boolean:
                key("v");
                json_.Bool(value.truth());
                break;
            case ValueKind::int64:
                key("v");
                json_.String(std::to_string(value.integer).c_str());
                break;
            case ValueKind::float32:
                hex_bits(value.bits, 8);
                if (std::isfinite(value.as_float())) number("v", value.as_float());
                break;
            case ValueKind::float64:
                hex_bits(value.bits, 16);
                if (std::isfinite(value.as_double())) number("v", value.as_double());
                break;
            case ValueKind::text:
                key("v");
                string(value.text->view());
                break;
            default:
                key("v");
                json_.Int64(value.integer);
                break;
        }
        json_.EndObject();
    }

    void node(const Node& node) {
        const bool identity = has_identity(node.kind, graph_.origin);
        if (identity && ids_[node.id] != k_no_id) {
            kind("ref");
            key("id");
            json_.Uint(ids_[node.id]);
            json_.EndObject();
            return;
        }
        kind(kind_name(node.kind));
        if (identity) {
            ids_[node.id] = next_id_++;
            key("id");
            json_.Uint(ids_[node.id]);
        }
        switch (node.kind) {
            case NodeKind::object:
                if (!node.type->name->empty()) type(node.type->name);
                if (node.type->java != nullptr) {
                    key("levels");
                    json_.StartArray();
                }
                return open(node, Part::fields);
            case NodeKind::external: type(node.type->name); return open(node, Part::items);
            case NodeKind::list:
            case NodeKind::proxy:
            case NodeKind::sequence:
                if (node.name != nullptr) type(node.name);
                return open(node, Part::items);
            case NodeKind::map:
                if (node.name != nullptr) type(node.name);
                return open(node, Part::entries);
            case NodeKind::array: return open(node, Part::assoc);
            case NodeKind::vector: return vector(node);
            case NodeKind::dictionary:
                key("weak");
                json_.Bool(node.has(Node::k_weak));
                return open(node, Part::entries);
            case NodeKind::date: date(node); break;
            case NodeKind::bytes:
            case NodeKind::block: hex(node.bytes()); break;
            case NodeKind::xml:
                key("kind");
                json_.String(node.has(Node::k_e4x) ? "e4x" : "doc");
                text("v", node.text);
                break;
            case NodeKind::enumeration:
                type(node.name);
                text("v", node.text);
                break;
            case NodeKind::class_ref: text("v", node.name); break;
            case NodeKind::class_desc: text("v", node.type->name); break;
            case NodeKind::big_integer:
            case NodeKind::big_decimal: text("v", node.text); break;
            case NodeKind::reset: break;
        }
        json_.EndObject();
    }

    void type(const Text* name) { text("type", name); }
    void text(const char* name, const Text* text) {
        key(name);
        string(text->view());
    }

    void date(const Node& node) {
        key("ms");
        if (!node.has(Node::k_fractional)) {
            json_.String(std::to_string(node.millis).c_str());
            return;
        }
        std::array<char, 40> text{};
        const auto end =
            std::to_chars(text.data(), text.data() + text.size(), node.date_as_double());
        json_.String(text.data(), static_cast<rapidjson::SizeType>(end.ptr - text.data()));
    }

    void vector(const Node& node) {
        static constexpr std::array<const char*, 4> k_elements{"int", "uint", "double", "object"};
        if (node.name != nullptr) type(node.name);
        key("elem");
        json_.String(k_elements[static_cast<std::size_t>(node.element)]);
        key("fixed");
        json_.Bool(node.has(Node::k_fixed));
        open(node, Part::items);
    }

    void open(const Node& node, Part part) { frames_.push_back({.node = &node, .part = part}); }

    // One value, or the end of a part, of the innermost node.
    void step() {
        Frame& frame = frames_.back();
        const Node& node = *frame.node;
        switch (frame.part) {
            case Part::fields: return fields(frame);
            case Part::annotation: return annotation(frame);
            case Part::dynamic: return pairs(frame, "dynamic", node.more_values(), Part::done);
            case Part::assoc: return pairs(frame, "assoc", node.more_values(), Part::items);
            case Part::entries: return pairs(frame, "entries", node.values(), Part::done);
            case Part::items: return items(frame);
            case Part::done: json_.EndObject(); frames_.pop_back();
        }
    }

    void begin(Frame& frame, const char* name) {
        if (frame.open) return;
        frame.open = true;
        frame.index = 0;
        key(name);
        json_.StartArray();
    }
    void end(Frame& frame, Part next) {
        json_.EndArray();
        frame.open = false;
        frame.part = next;
    }

    void items(Frame& frame) {
        begin(frame, frame.node->kind == NodeKind::array ? "dense" : "items");
        if (frame.index == frame.node->count) return end(frame, Part::done);
        value(frame.node->items[frame.index++]);
    }

    // [[k, v], ..]; a key of a named member is a bare string.
    void pairs(Frame& frame, const char* name, std::span<const Value> values, Part next) {
        begin(frame, name);
        if (frame.index != 0 && frame.index % 2 == 0) json_.EndArray();
        if (frame.index == values.size()) return end(frame, next);
        const Value& at = values[frame.index];
        const bool is_key = frame.index++ % 2 == 0;
        if (is_key) json_.StartArray();
        if (is_key && frame.part != Part::entries) return string(at.text->view());
        value(at);
    }

    void fields(Frame& frame) {
        const Class& whole = *frame.node->type;
        const Class& level = whole.java == nullptr ? whole : *whole.java->levels[frame.level];
        if (!frame.open && whole.java != nullptr) {
            json_.StartObject();
            text("class", level.name);
        }
        begin(frame, "fields");
        if (frame.index != 0) json_.EndArray();
        if (frame.index == level.own_values()) {
            if (whole.java != nullptr) {
                frame.first += level.own_values();
                return end(frame, Part::annotation);
            }
            return end(frame, whole.is_dynamic() ? Part::dynamic : Part::done);
        }
        json_.StartArray();
        string(level.fields[frame.index]->view());
        const Value& at = frame.node->items[frame.first + frame.index];
        ++frame.index;
        value(at);
    }

    void annotation(Frame& frame) {
        const Annotation& here = frame.node->java->annotations[frame.level];
        if (here.present) {
            begin(frame, "annotation");
            if (frame.index != here.count) return value(here.values[frame.index++]);
            end(frame, Part::annotation);
        }
        json_.EndObject();
        frame.part = Part::fields;
        if (++frame.level != frame.node->type->java->levels.size()) return;
        json_.EndArray();
        frame.part = Part::done;
    }

    const ObjectGraph& graph_;
    JsonStream stream_;
    rapidjson::Writer<JsonStream> json_;
    std::vector<std::uint32_t> ids_;
    std::uint32_t next_id_ = 0;
    std::vector<Frame> frames_;
    std::string quoted_;
};

}  // namespace

void write_neutral_json(const ObjectGraph& graph, Buffer& out) {
    JsonWriter(graph, out).run();
}

}  // namespace perfrelay
