#include <algorithm>
#include <string>
#include <unordered_map>

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include "proto/model/neutral_json.h"
#include "proto/model/neutral_values.h"
#include "proto/model/object_difference.h"

namespace perfrelay {

using graph::Annotation;
using graph::Class;
using graph::JavaClass;
using graph::JavaParts;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

template <class Kind>
Kind next(Kind kind) {
    return static_cast<Kind>(static_cast<int>(kind) + 1);
}

struct Wanted {
    const rapidjson::Value* json;
    Value* to;
};

class JsonReader : NeutralValues {
  public:
    explicit JsonReader(ObjectGraph& graph) : NeutralValues(graph), graph_(graph) {}

    Result<> run(Bytes input) {
        const std::string json = without_lone_surrogates(as_text(input));
        rapidjson::Document document;
        document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(
            json.data(), json.size());
        if (document.HasParseError()) {
            return Error{.code = Errc::malformed,
                         .offset = document.GetErrorOffset(),
                         .where = rapidjson::GetParseError_En(document.GetParseError())};
        }
        wanted_.push_back({&document, &graph_.root});
        while (!wanted_.empty()) {
            const Wanted next = wanted_.back();
            wanted_.pop_back();
            if (!value(*next.json, *next.to)) return Error{.code = Errc::malformed, .where = why()};
        }
        return {};
    }

  private:
    bool value(const Json& json, Value& to) {
        if (!json.IsObject()) return fail("neutral JSON: a value is an object with \"t\"");
        const Json* const kind = member(json, "t");
        if (kind == nullptr || !kind->IsString()) {
            return fail("neutral JSON: a value is an object with \"t\"");
        }
        const std::string_view t = view(*kind);
        if (t == "ref") return reference(json, to);
        for (std::uint8_t k = 0; k < static_cast<std::uint8_t>(ValueKind::node); ++k) {
            if (t == kind_name(static_cast<ValueKind>(k))) {
                return scalar(static_cast<ValueKind>(k), json, to);
            }
        }
        for (std::uint8_t k = 0; k <= static_cast<std::uint8_t>(NodeKind::reset); ++k) {
            const auto node_kind = static_cast<NodeKind>(k);
            if (t == kind_name(node_kind) && node_kind != NodeKind::class_desc) {
                return node(node_kind, json, to);
            }
        }
        return fail("neutral JSON: an unknown \"t\"");
    }

    bool reference(const Json& json, Value& to) {
        const Json* const id = member(json, "id");
        if (id == nullptr || !id->IsUint()) return fail("neutral JSON: a ref without id");
        const auto found = by_id_.find(id->GetUint());
        if (found == by_id_.end()) return fail("neutral JSON: a ref to an id not seen yet");
        to = Value::of(found->second);
        return true;
    }

    bool node(NodeKind kind, const Json& json, Value& to) {
        Node& made = *graph_.new_node(kind);
        to = Value::of(&made);
        if (!identify(member(json, "id"), made)) return false;
        const Json* const type = member(json, "type");
        switch (kind) {
            case NodeKind::object: return object(json, type, made);
            case NodeKind::external:
                made.type = external_class(type);
                return made.type != nullptr && items(json, "items", made);
            case NodeKind::list:
            case NodeKind::sequence: return optional_name(type, made) && items(json, "items", made);
            case NodeKind::proxy: return name(type, made) && items(json, "items", made);
            case NodeKind::map: return optional_name(type, made) && entries(json, made);
            case NodeKind::dictionary:
                return set_flag(json, "weak", Node::k_weak, made) && entries(json, made);
            case NodeKind::array: {
                graph_.origin = ObjectGraph::Origin::amf3;
                const std::size_t mark = wanted_.size();
                if (!named(json, "assoc", made) || !items(json, "dense", made)) return false;
                return in_order(mark);
            }
            case NodeKind::vector: return vector(json, type, made);
            case NodeKind::date: return date(member(json, "ms"), made);
            case NodeKind::bytes:
            case NodeKind::block: return hex(member(json, "hex"), made);
            case NodeKind::xml: return xml(member(json, "kind"), made) && content(json, made);
            case NodeKind::enumeration: return name(type, made) && content(json, made);
            case NodeKind::class_ref: return name(member(json, "v"), made);
            case NodeKind::big_integer:
            case NodeKind::big_decimal: return content(json, made);
            case NodeKind::class_desc:
            case NodeKind::reset: return true;
        }
        return true;
    }

    bool identify(const Json* id, Node& made) {
        if (id != nullptr && (!id->IsUint() || !by_id_.emplace(id->GetUint(), &made).second)) {
            return fail("neutral JSON: an id twice, or none");
        }
        if (made.kind != NodeKind::date && made.kind != NodeKind::bytes) return true;
        if (id == nullptr) graph_.origin = ObjectGraph::Origin::hessian2;
        (id != nullptr ? identity_ : no_identity_) = true;
        // No format has both: of Hessian they would lose those that they have.
        return !identity_ || !no_identity_ ||
               fail("neutral JSON: dates or bytes with an id and without");
    }

    bool xml(const Json* form, Node& made) {
        if (form == nullptr || !form->IsString()) return fail("neutral JSON: xml kind");
        if (view(*form) == "e4x") made.flags |= Node::k_e4x;
        return true;
    }

    bool name(const Json* json, Node& made) {
        made.name = text(json);
        return made.name != nullptr;
    }
    bool optional_name(const Json* json, Node& made) { return json == nullptr || name(json, made); }
    bool content(const Json& json, Node& made) {
        made.text = text(member(json, "v"));
        return made.text != nullptr;
    }
    bool set_flag(const Json& json, const char* name, std::uint8_t bit, Node& made) {
        bool set = false;
        if (!flag(json, name, set)) return false;
        if (set) made.flags |= bit;
        return true;
    }

    // The children wanted since `mark` will be taken from the end: turn them round.
    bool in_order(std::size_t mark) {
        std::reverse(wanted_.begin() + static_cast<std::ptrdiff_t>(mark), wanted_.end());
        return true;
    }

    bool items(const Json& json, const char* name, Node& made) {
        const Json* const list = array(json, name);
        if (list == nullptr) return false;
        const std::size_t mark = wanted_.size();
        made.count = list->Size();
        made.items = graph_.new_values(list->Size());
        for (rapidjson::SizeType i = 0; i < list->Size(); ++i)
            wanted_.push_back({&(*list)[i], made.items + i});
        return made.kind == NodeKind::array || in_order(mark);
    }

    bool pair(const Json& json) {
        return (json.IsArray() && json.Size() == 2) || fail("neutral JSON: a pair is [a, b]");
    }

    bool entries(const Json& json, Node& made) {
        const Json* const list = array(json, "entries");
        if (list == nullptr) return false;
        const std::size_t mark = wanted_.size();
        made.count = list->Size() * 2;
        made.items = graph_.new_values(made.count);
        for (rapidjson::SizeType i = 0; i < list->Size(); ++i) {
            if (!pair((*list)[i])) return false;
            wanted_.push_back({&(*list)[i][0], made.items + std::size_t{2} * i});
            wanted_.push_back({&(*list)[i][1], made.items + std::size_t{2} * i + 1});
        }
        return in_order(mark);
    }

    // Members whose names are no values: dynamic, assoc.
    bool named(const Json& json, const char* name, Node& made) {
        const Json* const list = array(json, name);
        if (list == nullptr) return false;
        made.more_count = list->Size() * 2;
        made.more = graph_.new_values(made.more_count);
        for (rapidjson::SizeType i = 0; i < list->Size(); ++i) {
            if (!pair((*list)[i])) return false;
            const Text* const key = text(&(*list)[i][0]);
            if (key == nullptr) return false;
            made.more[std::size_t{2} * i] = Value::of(key);
            wanted_.push_back({&(*list)[i][1], made.more + std::size_t{2} * i + 1});
        }
        return true;
    }

    // Appends the names of [["name", value], ..] to names_, and what stands there to wanted_.
    bool fields(const Json& list, Value* to) {
        for (rapidjson::SizeType i = 0; i < list.Size(); ++i)
            wanted_.push_back({&list[i][1], to + i});
        return true;
    }
    bool field_names(const Json* list) {
        if (list == nullptr) return false;
        names_.clear();
        for (rapidjson::SizeType i = 0; i < list->Size(); ++i) {
            if (!pair((*list)[i])) return false;
            names_.push_back(text(&(*list)[i][0]));
            if (names_.back() == nullptr) return false;
        }
        return true;
    }

    // Texts are interned, so their ids stand for them.
    static void add_key(std::string& key, const Text* text) {
        key.append(reinterpret_cast<const char*>(&text->id), sizeof text->id);
    }

    bool object(const Json& json, const Json* type, Node& made) {
        const Text* const name = type == nullptr ? graph_.empty_text() : text(type);
        if (name == nullptr) return false;
        const std::size_t mark = wanted_.size();
        if (member(json, "levels") != nullptr) return levels(json, made) && in_order(mark);
        const Json* const list = array(json, "fields");
        if (!field_names(list)) return false;
        const bool dynamic = member(json, "dynamic") != nullptr;
        std::string key(dynamic ? "d" : "s");
        add_key(key, name);
        for (const Text* field : names_)
            add_key(key, field);
        Class*& known = classes_[key];
        if (known == nullptr) {
            known = graph_.new_class(name, names_, dynamic ? Class::k_dynamic : std::uint8_t{0});
        }
        made.type = known;
        made.count = list->Size();
        made.items = graph_.new_values(list->Size());
        fields(*list, made.items);
        if (dynamic && !named(json, "dynamic", made)) return false;
        return in_order(mark);
    }

    const Class* external_class(const Json* type) {
        const Text* const name = text(type);
        if (name == nullptr) return nullptr;
        std::string key("x");
        add_key(key, name);
        Class*& known = classes_[key];
        if (known == nullptr) known = graph_.new_class(name, {}, Class::k_external);
        return known;
    }

    bool levels(const Json& json, Node& made) {
        graph_.origin = ObjectGraph::Origin::javaser;
        const Json* const list = array(json, "levels");
        if (list == nullptr || list->Empty()) return fail("neutral JSON: levels missing");
        std::string key("j");
        const Class* above = nullptr;
        for (const Json& level : list->GetArray()) {
            if (!level.IsObject()) return fail("neutral JSON: a level is an object");
            above = level_class(level, above, key);
            if (above == nullptr) return false;
        }
        const Text* const name = text(member(json, "type"));
        if (name != above->name) return fail("neutral JSON: the last level is the type itself");
        auto* const annotations = graph_.array<Annotation>(list->Size());
        made.type = above;
        made.count = above->all_fields();
        made.items = graph_.new_values(made.count);
        made.java = graph_.arena().create(
            JavaParts{.type = above, .fields = made.items, .annotations = annotations});
        Value* next = made.items;
        for (rapidjson::SizeType i = 0; i < list->Size(); ++i) {
            const Json& level = (*list)[i];
            const Json& own = *member(level, "fields");
            fields(own, next);
            next += own.Size();
            annotations[i] = {};
            if (member(level, "annotation") != nullptr && !annotation(level, annotations[i])) {
                return false;
            }
        }
        return true;
    }

    bool annotation(const Json& level, Annotation& to) {
        const Json* const list = array(level, "annotation");
        if (list == nullptr) return false;
        Value* const values = graph_.new_values(list->Size());
        for (rapidjson::SizeType i = 0; i < list->Size(); ++i)
            wanted_.push_back({&(*list)[i], values + i});
        to = {.values = values, .count = list->Size(), .present = true};
        return true;
    }

    // `key` names the levels so far.
    const Class* level_class(const Json& level, const Class* above, std::string& key) {
        const Text* const name = text(member(level, "class"));
        if (name == nullptr || !field_names(array(level, "fields"))) return nullptr;
        const bool annotated = member(level, "annotation") != nullptr;
        key += annotated ? 'a' : '-';
        add_key(key, name);
        for (const Text* field : names_)
            add_key(key, field);
        Class*& known = classes_[key];
        if (known != nullptr) return known;
        known = graph_.new_class(name, names_, 0);
        JavaClass java;
        java.flags = JavaClass::k_serializable;
        if (annotated) java.flags |= JavaClass::k_write_method;
        java.super = above;
        const std::size_t depth = above == nullptr ? 0 : above->java->levels.size();
        auto* const chain = graph_.array<const Class*>(depth + 1);
        for (std::size_t i = 0; i < depth; ++i)
            chain[i] = above->java->levels[i];
        chain[depth] = known;
        java.levels = {chain, depth + 1};
        java.all_fields = known->field_count + (above == nullptr ? 0 : above->all_fields());
        known->java = graph_.arena().create(java);
        return known;
    }

    bool vector(const Json& json, const Json* type, Node& made) {
        const Json* const element = member(json, "elem");
        if (element == nullptr || !element->IsString()) return fail("neutral JSON: elem missing");
        const std::string_view kind = view(*element);
        if (kind == "int") {
            made.element = graph::ElementKind::int32;
        } else if (kind == "uint") {
            made.element = graph::ElementKind::uint32;
        } else if (kind == "double") {
            made.element = graph::ElementKind::float64;
        } else if (kind != "object") {
            return fail("neutral JSON: elem is int, uint, double or object");
        }
        if (!optional_name(type, made) || !set_flag(json, "fixed", Node::k_fixed, made)) {
            return false;
        }
        if (kind == "object" && made.name == nullptr) return fail("neutral JSON: a vector's type");
        if (!items(json, "items", made)) return false;
        static constexpr const char* k_kinds[] = {"int", "long", "double"};
        if (kind == "object") return true;
        for (const Json& item : array(json, "items")->GetArray()) {
            const Json* const t = item.IsObject() ? member(item, "t") : nullptr;
            if (t == nullptr || !t->IsString() ||
                view(*t) != k_kinds[static_cast<std::size_t>(made.element)]) {
                return fail("neutral JSON: an item of another kind than its vector");
            }
        }
        return true;
    }

    ObjectGraph& graph_;
    std::vector<Wanted> wanted_;  // the next one last
    std::unordered_map<std::uint32_t, Node*> by_id_;
    std::unordered_map<std::string, Class*> classes_;
    std::vector<const Text*> names_;
    bool identity_ = false;     // of a date or bytes
    bool no_identity_ = false;  // of another one
};

}  // namespace

bool is_neutral_json(Bytes json) {
    std::string_view left = as_text(json);
    const auto take = [&left](std::string_view token) {
        left.remove_prefix(std::min(left.find_first_not_of(" \t\r\n"), left.size()));
        const bool there = left.starts_with(token);
        if (there) left.remove_prefix(token.size());
        return there;
    };
    if (!take("{") || !take("\"t\"") || !take(":") || !take("\"")) return false;
    const std::string_view kind = left.substr(0, left.find('"'));
    for (auto at = NodeKind::object; at <= NodeKind::reset; at = next(at)) {
        if (kind == kind_name(at)) return true;
    }
    for (auto at = ValueKind::undefined; at < ValueKind::node; at = next(at)) {
        if (kind == kind_name(at)) return true;
    }
    return false;
}

Result<> read_neutral_json(Bytes json, const Limits& limits, ObjectGraph& graph) {
    graph.clear();
    if (json.size() > limits.max_document) {
        return Error{.code = Errc::limit_exceeded, .where = "neutral JSON: too long a document"};
    }
    JsonReader reader(graph);
    auto done = reader.run(json);
    // A wrong graph is no graph.
    if (!done) graph.clear();
    if (done) graph.promise_unique_texts();
    return done;
}

}  // namespace perfrelay
