#include "proto/model/object_difference.h"

#include <array>
#include <cstdio>
#include <vector>

namespace perfrelay {

using graph::Class;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

const char* kind_name(NodeKind kind) {
    static constexpr std::array<const char*, 19> k_names{
        "object", "external", "list",  "map",  "array", "vector",    "dictionary",
        "date",   "bytes",    "xml",   "enum", "class", "classdesc", "proxy",
        "bigint", "bigdec",   "block", "seq",  "reset"};
    return k_names[static_cast<std::size_t>(kind)];
}

const char* kind_name(ValueKind kind) {
    static constexpr std::array<const char*, 12> k_names{"undefined", "null",   "bool",   "byte",
                                                         "short",     "int",    "long",   "char",
                                                         "float",     "double", "string", "node"};
    return k_names[static_cast<std::size_t>(kind)];
}

namespace {

// Texts of the input in a message: one line, not long.
std::string shown(std::string_view text) {
    constexpr std::size_t k_longest = 40;
    std::string out = "\"";
    for (const char c : text.substr(0, k_longest))
        out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    return out + (text.size() > k_longest ? "...\"" : "\"");
}

std::string shown(const Value& value) {
    if (value.is(ValueKind::text)) return "string " + shown(value.text->view());
    if (value.is(ValueKind::node)) return kind_name(value.node->kind);
    if (value.is(ValueKind::float32) || value.is(ValueKind::float64)) {
        std::array<char, 40> hex{};
        (void)std::snprintf(hex.data(), hex.size(), "%016llx",
                            static_cast<unsigned long long>(value.bits));
        return std::string(kind_name(value.kind)) + " " + hex.data();
    }
    if (value.is(ValueKind::null) || value.is(ValueKind::undefined)) return kind_name(value.kind);
    return std::string(kind_name(value.kind)) + " " + std::to_string(value.integer);
}

enum class Part : std::uint8_t { root, items, more, annotation };

// A pair of nodes to compare, and the way there.
struct Pair {
    const Node* expected;
    const Node* actual;
    std::uint32_t parent;
    Part part;
    std::uint32_t level;
    std::uint32_t index;
};
constexpr std::uint32_t k_no_parent = 0xFFFFFFFFU;

bool same_text(const Text* a, const Text* b) {
    if (a == nullptr || b == nullptr) return a == b;
    return a->view() == b->view();
}

bool same_fields(const Class& a, const Class& b) {
    if (a.own_values() != b.own_values()) return false;
    for (std::uint32_t i = 0; i < a.own_values(); ++i) {
        if (!same_text(a.fields[i], b.fields[i])) return false;
    }
    return true;
}

bool same_class(const Class& a, const Class& b) {
    if (!same_text(a.name, b.name) || a.is_dynamic() != b.is_dynamic() ||
        a.is_external() != b.is_external() || (a.java == nullptr) != (b.java == nullptr)) {
        return false;
    }
    if (a.java == nullptr) return same_fields(a, b);
    if (a.java->levels.size() != b.java->levels.size()) return false;
    for (std::size_t i = 0; i < a.java->levels.size(); ++i) {
        if (!same_text(a.java->levels[i]->name, b.java->levels[i]->name) ||
            !same_fields(*a.java->levels[i], *b.java->levels[i])) {
            return false;
        }
    }
    return true;
}

std::string field_name(const Class& type, std::uint32_t index) {
    if (type.java == nullptr) return std::string(type.fields[index]->view());
    for (const Class* level : type.java->levels) {
        if (index < level->own_values()) return std::string(level->fields[index]->view());
        index -= level->own_values();
    }
    return {};
}

class Comparison {
  public:
    Comparison(const ObjectGraph& expected, const ObjectGraph& actual)
        : to_actual_(expected.node_count(), nullptr), to_expected_(actual.node_count(), nullptr) {}

    std::optional<std::string> run(const Value& expected, const Value& actual) {
        if (!values(expected, actual, k_no_parent, Part::root, 0, 0)) return std::move(found_);
        for (std::size_t next = 0; next < pairs_.size(); ++next) {
            if (!nodes(static_cast<std::uint32_t>(next))) return std::move(found_);
        }
        return std::nullopt;
    }

  private:
    bool values(const Value& expected, const Value& actual, std::uint32_t parent, Part part,
                std::uint32_t level, std::uint32_t index) {
        bool same = expected.kind == actual.kind;
        if (same && expected.is(ValueKind::text)) {
            same = same_text(expected.text, actual.text);
        } else if (same && expected.is(ValueKind::node)) {
            const Node*& known = to_actual_[expected.node->id];
            const Node*& back = to_expected_[actual.node->id];
            const Pair pair{expected.node, actual.node, parent, part, level, index};
            if (known == nullptr && back == nullptr) {
                known = actual.node;
                back = expected.node;
                pairs_.push_back(pair);
            } else if (known != actual.node || back != expected.node) {
                found_ =
                    path(pair) + (known == nullptr ? ": an object seen before, expected another"
                                                   : ": another object than before");
                return false;
            }
        } else if (same && !expected.is(ValueKind::null) && !expected.is(ValueKind::undefined)) {
            same = expected.bits == actual.bits;
        }
        if (!same) {
            found_ = path({nullptr, nullptr, parent, part, level, index}) + ": " + shown(actual) +
                     ", expected " + shown(expected);
        }
        return same;
    }

    bool nodes(std::uint32_t at) {
        const Node& e = *pairs_[at].expected;
        const Node& a = *pairs_[at].actual;
        if (e.kind != a.kind) {
            return differ(at, std::string(kind_name(a.kind)) + ", expected " + kind_name(e.kind));
        }
        constexpr std::uint8_t k_meant = Node::k_weak | Node::k_fixed | Node::k_e4x;
        if ((e.flags & k_meant) != (a.flags & k_meant)) return differ(at, "another flag");
        if (!heads(at, e, a)) return false;
        if (e.more_count != a.more_count) return differ(at, "another number of named members");
        for (std::uint32_t i = 0; i < e.more_count; ++i) {
            if (!values(e.more[i], a.more[i], at, Part::more, 0, i)) return false;
        }
        return annotations(at, e, a);
    }

    bool types(std::uint32_t at, const Node& e, const Node& a) {
        const bool typed = e.kind == NodeKind::object || e.kind == NodeKind::external ||
                           e.kind == NodeKind::class_desc;
        if (typed && !same_class(*e.type, *a.type)) {
            return differ(at, "of class " + shown(a.type->name->view()) + ", expected " +
                                  shown(e.type->name->view()) +
                                  (same_text(a.type->name, e.type->name) ? " (other fields)" : ""));
        }
        if (!typed && !same_text(e.name, a.name)) {
            return differ(at, "of type " + (a.name == nullptr ? "none" : shown(a.name->view())) +
                                  ", expected " +
                                  (e.name == nullptr ? "none" : shown(e.name->view())));
        }
        return true;
    }

    // Type or name, and what a node holds itself.
    bool heads(std::uint32_t at, const Node& e, const Node& a) {
        if (!types(at, e, a)) return false;
        switch (e.kind) {
            case NodeKind::date:
                if (e.has(Node::k_fractional) == a.has(Node::k_fractional) &&
                    e.millis_bits == a.millis_bits) {
                    return true;
                }
                return differ(at, "another date");
            case NodeKind::bytes:
            case NodeKind::block:
                if (e.count == a.count &&
                    (e.count == 0 || std::memcmp(e.data, a.data, e.count) == 0)) {
                    return true;
                }
                return differ(at, "other bytes");
            case NodeKind::xml:
            case NodeKind::enumeration:
            case NodeKind::big_integer:
            case NodeKind::big_decimal:
                if (same_text(e.text, a.text)) return true;
                return differ(at, shown(a.text->view()) + ", expected " + shown(e.text->view()));
            case NodeKind::class_ref:
            case NodeKind::class_desc:
            case NodeKind::reset: return true;
            case NodeKind::vector:
                if (e.element != a.element) return differ(at, "a vector of another kind");
                break;
            default: break;
        }
        if (e.count != a.count) {
            return differ(at,
                          std::to_string(a.count) + " items, expected " + std::to_string(e.count));
        }
        for (std::uint32_t i = 0; i < e.count; ++i) {
            if (!values(e.items[i], a.items[i], at, Part::items, 0, i)) return false;
        }
        return true;
    }

    bool annotations(std::uint32_t at, const Node& e, const Node& a) {
        if (e.kind != NodeKind::object || e.type->java == nullptr) return true;
        for (std::uint32_t level = 0; level < e.type->java->levels.size(); ++level) {
            const graph::Annotation& of_e = e.java->annotations[level];
            const graph::Annotation& of_a = a.java->annotations[level];
            if (of_e.present != of_a.present || of_e.count != of_a.count) {
                return differ(at, "another annotation");
            }
            for (std::uint32_t i = 0; i < of_e.count; ++i) {
                if (!values(of_e.values[i], of_a.values[i], at, Part::annotation, level, i)) {
                    return false;
                }
            }
        }
        return true;
    }

    bool differ(std::uint32_t at, const std::string& what) {
        found_ = path(pairs_[at]) + ": " + what;
        return false;
    }

    std::string path(const Pair& pair) const {
        constexpr std::size_t k_deepest = 12;  // steps shown; the rest is "..."
        std::string out;
        const Pair* at = &pair;
        for (std::size_t depth = 0; at->parent != k_no_parent; ++depth) {
            if (depth == k_deepest) return "..." + out;
            const Node& parent = *pairs_[at->parent].expected;
            out.insert(0, step(parent, *at));
            at = &pairs_[at->parent];
        }
        return "root" + out;
    }

    static std::string step(const Node& parent, const Pair& pair) {
        if (pair.part == Part::annotation) {
            return ".annotation(" + std::to_string(pair.level) + ")[" + std::to_string(pair.index) +
                   "]";
        }
        if (pair.part == Part::more) {
            const Value& name = parent.more[pair.index - pair.index % 2];
            return "." + std::string(name.text->view()) + (pair.index % 2 == 0 ? " (name)" : "");
        }
        if (parent.kind == NodeKind::object) return "." + field_name(*parent.type, pair.index);
        if (parent.kind == NodeKind::map || parent.kind == NodeKind::dictionary) {
            return (pair.index % 2 == 0 ? "{key " : "{value ") + std::to_string(pair.index / 2) +
                   "}";
        }
        return "[" + std::to_string(pair.index) + "]";
    }

    std::vector<const Node*> to_actual_;
    std::vector<const Node*> to_expected_;
    std::vector<Pair> pairs_;
    std::string found_;
};

}  // namespace

std::optional<std::string> difference(const ObjectGraph& expected, const ObjectGraph& actual) {
    return Comparison(expected, actual).run(expected.root, actual.root);
}

}  // namespace perfrelay
