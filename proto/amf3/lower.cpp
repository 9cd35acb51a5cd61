#include "proto/amf3/lower.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string>
#include <unordered_map>

#include "proto/amf3/wire.h"
#include "proto/model/graph_copy.h"
#include "proto/model/java_view.h"

namespace perfrelay::amf3 {

using graph::Class;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

// Java's HashMap: the bucket of a key.
std::uint32_t bucket(std::string_view key, std::uint32_t buckets) {
    std::uint32_t hash = 0;
    for (const char c : key)
        hash = hash * 31 + static_cast<unsigned char>(c);
    return (hash ^ (hash >> 16U)) & (buckets - 1);
}

// The order in which the libraries write properties: that of a HashMap that grows at three
// quarters. BlazeDS enters them by name into 16 buckets, GraniteDS ends up with 32 and the opposite
// order within a bucket.
void library_order(const std::vector<const Text*>& names, Profile profile,
                   std::vector<std::uint32_t>& order) {
    std::uint32_t buckets = profile == Profile::blazeds ? 16 : 32;
    while (names.size() * 4 > std::size_t{3} * buckets)
        buckets *= 2;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const std::string_view left = names[a]->view();
        const std::string_view right = names[b]->view();
        const std::uint32_t left_bucket = bucket(left, buckets);
        const std::uint32_t right_bucket = bucket(right, buckets);
        if (left_bucket != right_bucket) return left_bucket < right_bucket;
        return profile == Profile::blazeds ? left < right : left > right;
    });
}

class Lowering : public GraphCopy<Lowering> {
  public:
    Lowering(const ObjectGraph& from, Profile profile, ObjectGraph& to)
        : GraphCopy(from, to), profile_(profile), classes_(from.class_count()) {}

    bool map(const Value& from, Value& to) {
        switch (from.kind) {
            case ValueKind::int8:
            case ValueKind::int16:
            case ValueKind::int32:
                to = from.integer < k_least_integer || from.integer > k_most_integer
                         ? Value::float64(static_cast<double>(from.integer))
                         : Value::int32(static_cast<std::int32_t>(from.integer));
                return true;
            case ValueKind::int64:
                to = Value::float64(static_cast<double>(from.integer));
                return true;
            case ValueKind::float32:
                to = Value::float64(static_cast<double>(from.as_float()));
                return true;
            case ValueKind::char16:
                to = Value::of(to_.intern(unit_text(static_cast<std::uint32_t>(from.integer))));
                return true;
            case ValueKind::text: to = Value::of(text(from.text)); return true;
            case ValueKind::node: return known(*from.node, to) || node(*from.node, to);
            case ValueKind::undefined:
            case ValueKind::null:
            case ValueKind::boolean:
            case ValueKind::float64: to = from; return true;
        }
        return false;
    }

  private:
    bool node(const Node& node, Value& to) {
        switch (node.kind) {
            case NodeKind::object: return object(node, to);
            case NodeKind::external: {
                Node* const made = become(node, NodeKind::external, to);
                made->type = external_class(node.type->name->view());
                want_items(node.values(), *made);
                return true;
            }
            case NodeKind::list: return list(node, to);
            case NodeKind::map: return entries(node, to);
            case NodeKind::array: {
                Node* const made = become(node, NodeKind::array, to);
                want_items(node.values(), *made);
                want_more(node.more_values(), *made);
                return true;
            }
            case NodeKind::vector: {
                Node* const made = become(node, NodeKind::vector, to);
                made->flags = node.flags;
                made->element = node.element;
                made->name = text(node.name);
                if (node.element == graph::ElementKind::object) {
                    want_items(node.values(), *made);
                } else {
                    // Items without markers keep their kind, whatever 29 bits hold.
                    const auto items = to_.copy(node.values());
                    made->items = items.data();
                    made->count = node.count;
                }
                return true;
            }
            case NodeKind::dictionary: {
                Node* const made = become(node, NodeKind::dictionary, to);
                made->flags = node.flags;
                want_items(node.values(), *made);
                return true;
            }
            case NodeKind::date:
                become(node, NodeKind::date, to)->set_date(node.date_as_double());
                return true;
            case NodeKind::bytes:
            case NodeKind::block: copy_bytes(node, *become(node, NodeKind::bytes, to)); return true;
            case NodeKind::xml: {
                Node* const made = become(node, NodeKind::xml, to);
                made->flags = node.flags;
                made->text = text(node.text);
                return true;
            }
            case NodeKind::enumeration:
                if (profile_ == Profile::graniteds) {
                    Node* const made = become(node, NodeKind::external, to);
                    made->type = external_class(node.name->view());
                    made->items = to_.new_values(1);
                    made->count = 1;
                    made->items[0] = Value::of(text(node.text));
                    return true;
                }
                to = Value::of(text(node.text));
                return true;
            case NodeKind::class_ref: to = Value::of(text(node.name)); return true;
            case NodeKind::big_integer:
            case NodeKind::big_decimal: return big_number(node, to);
            case NodeKind::sequence:
                want_items(node.values(), *become(node, NodeKind::array, to));
                return true;
            case NodeKind::proxy: return fail("AMF3 has no proxies");
            case NodeKind::class_desc: return fail("AMF3 has no class descriptions as values");
            case NodeKind::reset: return fail("AMF3 has no resets");
        }
        return false;
    }

    bool big_number(const Node& node, Value& to) {
        if (profile_ != Profile::graniteds) {
            to = Value::of(text(node.text));
            return true;
        }
        const std::string_view digits = node.text->view();
        double number = 0;
        // Out of range leaves 0; strtod's infinity is what Java's doubleValue gives.
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (error == std::errc::result_out_of_range) return fail("a big number beyond a double");
        if (error != std::errc() || end != digits.data() + digits.size()) {
            return fail("a big number that is none");
        }
        to = Value::float64(number);
        return true;
    }

    bool list(const Node& node, Value& to) {
        if (is_array_type(node.name)) {
            want_items(node.values(), *become(node, NodeKind::array, to));
            return true;
        }
        Node* const made = become(node, NodeKind::external, to);
        made->type = external_class(k_array_collection);
        Node* const array = to_.new_node(NodeKind::array);
        made->items = to_.new_values(1);
        made->count = 1;
        made->items[0] = Value::of(array);
        want_items(node.values(), *array);
        return true;
    }

    // A key that can name a member.
    bool as_name(const Value& key, const Text*& name) {
        if (key.is(ValueKind::text)) {
            name = text(key.text);
        } else if (profile_ != Profile::plain && key.is_integer()) {
            name = to_.intern(std::to_string(key.integer));  // the libraries' toString
        } else if (key.is(ValueKind::node) && key.node->kind == NodeKind::enumeration) {
            name = text(key.node->text);
        } else if (const auto box = key.is(ValueKind::node) ? unboxed(*key.node) : std::nullopt) {
            return as_name(*box, name);
        } else {
            return false;
        }
        return !name->empty() || profile_ == Profile::blazeds;
    }

    bool entries(const Node& node, Value& to) {
        names_.clear();
        for (std::uint32_t i = 0; i < node.count; i += 2) {
            const Text* name = nullptr;
            if (!as_name(node.items[i], name)) {
                if (profile_ != Profile::plain) return fail("a key of a map that is no name");
                want_items(node.values(), *become(node, NodeKind::dictionary, to));
                return true;
            }
            names_.push_back(name);
        }
        Node* const made = become(node, NodeKind::object, to);
        const auto size = static_cast<std::uint32_t>(names_.size());
        Value* places = nullptr;
        std::size_t step = 1;
        if (profile_ == Profile::blazeds) {
            made->type = plain_class(to_.empty_text(), names_, false);
            places = made->items = to_.new_values(size);
            made->count = size;
        } else {
            made->type = plain_class(to_.empty_text(), {}, true);
            made->more = to_.new_values(std::size_t{2} * size);
            made->more_count = 2 * size;
            for (std::uint32_t i = 0; i < size; ++i)
                made->more[std::size_t{2} * i] = Value::of(names_[i]);
            places = made->more + 1;
            step = 2;
        }
        for (std::uint32_t i = size; i-- > 0;)
            want({node.items + std::size_t{2} * i + 1, 1}, places + i * step);
        return true;
    }

    bool object(const Node& node, Value& to) {
        if (const auto box = unboxed(node)) return map(*box, to);
        if (has_own_data(node)) return fail("an object whose class wrote data of its own");
        Mapped& mapped = classes_[node.type->id];
        if (mapped.type == nullptr) map_class(*node.type, mapped);
        Node* const made = become(node, NodeKind::object, to);
        made->type = mapped.type;
        if (node.type->is_dynamic()) want_more(node.more_values(), *made);
        want_items(node.values(), mapped.order, *made);
        return true;
    }

    // A class of the new graph, and which field goes where; empty: as they are.
    struct Mapped {
        const Class* type = nullptr;
        std::vector<std::uint32_t> order;
    };

    void map_class(const Class& type, Mapped& mapped) {
        all_field_names(type, names_);
        if (profile_ != Profile::plain && type.java != nullptr) {
            mapped.order.resize(names_.size());
            std::iota(mapped.order.begin(), mapped.order.end(), 0U);
            library_order(names_, profile_, mapped.order);
            const std::vector<const Text*> unordered = names_;
            for (std::size_t i = 0; i < names_.size(); ++i)
                names_[i] = unordered[mapped.order[i]];
        }
        for (const Text*& name : names_)
            name = text(name);
        mapped.type = plain_class(text(type.name), names_, type.is_dynamic());
    }

    // Texts of the new graph are unique: their ids stand for them.
    static void add_key(std::string& key, const Text* text) {
        key.append(reinterpret_cast<const char*>(&text->id), sizeof text->id);
    }

    // The one class of that name and these fields.
    const Class* plain_class(const Text* name, std::span<const Text* const> fields, bool dynamic) {
        key_ = dynamic ? 'd' : 's';
        add_key(key_, name);
        for (const Text* const field : fields)
            add_key(key_, field);
        const Class*& known = by_content_[key_];
        if (known == nullptr) {
            known = to_.new_class(name, fields, dynamic ? Class::k_dynamic : std::uint8_t{0});
        }
        return known;
    }

    const Class* external_class(std::string_view class_name) {
        const Text* const name = to_.intern(class_name);
        key_ = 'x';
        add_key(key_, name);
        const Class*& known = by_content_[key_];
        if (known == nullptr) known = to_.new_class(name, {}, Class::k_external);
        return known;
    }

    Profile profile_;
    std::vector<Mapped> classes_;
    std::unordered_map<std::string, const Class*> by_content_;
    std::vector<const Text*> names_;
    std::string key_;
};

}  // namespace

Result<> lower(const ObjectGraph& from, Profile profile, ObjectGraph& to) {
    auto done = Lowering(from, profile, to).run();
    if (done) to.origin = ObjectGraph::Origin::amf3;
    return done;
}

}  // namespace perfrelay::amf3
