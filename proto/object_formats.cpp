#include "proto/object_formats.h"

#include <utility>

#include "proto/amf3/format.h"
#include "proto/bson/format.h"
#include "proto/cbor/format.h"
#include "proto/codec/object_format.h"
#include "proto/hessian2/format.h"
#include "proto/javaser/format.h"
#include "proto/json/nlohmann_format.h"
#include "proto/json/rapidjson_format.h"
#include "proto/model/neutral_json.h"
#include "proto/msgpack/format.h"

namespace perfrelay {

namespace {

CodecInfo info_of(const SpecPart& format, std::string title) {
    CodecInfo info;
    info.spec = Spec{format, {}}.text();
    info.title = std::move(title);
    for (const SpecOption& option : format.options)
        info.title += ":" + option.value.value_or(option.key);
    info.reader = "perfrelay, into a graph";
    info.writer = "perfrelay, from a graph in the format's own terms";
    return info;
}

bool no_such_option(const SpecPart& format, const SpecOption& option, std::string& why) {
    why = "format " + format.name + " has no option \"" + option.key +
          (option.value ? "=" + *option.value : "") + "\"";
    return false;
}

struct Amf3Options {
    amf3::Profile profile = amf3::Profile::plain;
    amf3::TextForm form = amf3::TextForm::utf8;
};

bool set(const SpecPart& format, const SpecOption& option, Amf3Options& to, std::string& why) {
    const std::string value = option.value.value_or("");
    if (option.key == "profile" && value == "plain") {
        to.profile = amf3::Profile::plain;
    } else if (option.key == "profile" && value == "blazeds") {
        to.profile = amf3::Profile::blazeds;
    } else if (option.key == "profile" && value == "graniteds") {
        to.profile = amf3::Profile::graniteds;
    } else if (option.key == "text" && value == "utf8") {
        to.form = amf3::TextForm::utf8;
    } else if (option.key == "text" && value == "cesu8") {
        to.form = amf3::TextForm::cesu8;
    } else {
        return no_such_option(format, option, why);
    }
    return true;
}

std::unique_ptr<Codec> make_amf3(const SpecPart& format, const Limits& limits, std::string& why) {
    Amf3Options options;
    for (const SpecOption& option : format.options) {
        if (!set(format, option, options, why)) return nullptr;
    }
    CodecInfo info = info_of(format, "AMF3");
    info.notes = {"collections as ArrayCollection; a long or a date keeps 53 bits"};
    return make_object_codec<amf3::Amf3Format>(std::move(info), limits, options.profile,
                                               options.form);
}

template <ObjectFormat F>
std::unique_ptr<Codec> make_tree(CodecInfo info, const Limits& limits) {
    info.reader = F::engine() + ", into a graph";
    info.writer = F::engine();
    info.notes = {R"(tree: what occurs twice stands in a table, and {"$ref": n} where it occurs)"};
    return make_object_codec<F>(std::move(info), limits);
}

// Formats of trees, which all do the same and have no options. An engine is another line.
struct TreeLine {
    std::string_view spec;
    const char* title;
    std::unique_ptr<Codec> (*make)(CodecInfo info, const Limits& limits);
};
constexpr TreeLine k_trees[] = {
    {"json", "JSON", make_tree<json::RapidjsonFormat>},
    {"json:nlohmann", "JSON", make_tree<json::NlohmannFormat>},
    {"cbor", "CBOR", make_tree<cbor::CborFormat>},
    {"msgpack", "MSGPACK", make_tree<msgpack::MsgpackFormat>},
    {"bson", "BSON", make_tree<bson::BsonFormat>},
};

}  // namespace

std::unique_ptr<Codec> make_object_codec(const SpecPart& format, const Limits& limits,
                                         std::string& why) {
    if (format.name == "amf3") return make_amf3(format, limits, why);
    bool tree = false;
    for (const TreeLine& line : k_trees) {
        if (line.spec == Spec{format, {}}.text())
            return line.make(info_of(format, line.title), limits);
        tree = tree || line.spec == format.name;
    }
    const bool hessian = format.name == "hessian2";
    if (!hessian && !tree && format.name != "javaser") {
        why = "no format of objects \"" + format.name + "\"";
        return nullptr;
    }
    if (!format.options.empty()) {
        no_such_option(format, format.options[0], why);
        return nullptr;
    }
    if (hessian) {
        CodecInfo info = info_of(format, "HESSIAN2");
        info.notes = {"dates and strings have no identity"};
        return make_object_codec<hessian2::Hessian2Format>(std::move(info), limits);
    }
    return make_object_codec<javaser::JavaserFormat>(info_of(format, "JAVASER"), limits);
}

std::optional<ObjectInput> detect_objects(std::string_view name, Bytes input) {
    if (as_text(input).starts_with("\xAC\xED")) return ObjectInput::javaser;
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const std::string_view ending = name.substr(dot + 1);
    if (ending == "json") {
        const bool ours = as_text(input).find("\"t\"") != std::string_view::npos;
        return ours ? std::optional(ObjectInput::neutral_json) : std::nullopt;
    }
    static constexpr std::pair<std::string_view, ObjectInput> k_endings[] = {
        {"ser", ObjectInput::javaser},      {"amf", ObjectInput::amf3},
        {"amf3", ObjectInput::amf3},        {"h2", ObjectInput::hessian2},
        {"hessian", ObjectInput::hessian2}, {"hessian2", ObjectInput::hessian2}};
    for (const auto& [known, kind] : k_endings) {
        if (ending == known) return kind;
    }
    return std::nullopt;
}

std::optional<ObjectInput> object_input(std::string_view word) {
    if (word == "amf3") return ObjectInput::amf3;
    if (word == "hessian2") return ObjectInput::hessian2;
    if (word == "javaser") return ObjectInput::javaser;
    return std::nullopt;
}

Result<> read_objects(ObjectInput kind, Bytes input, const Limits& limits, ObjectGraph& graph) {
    switch (kind) {
        case ObjectInput::amf3: return amf3::Amf3Format(limits).decode(input, graph);
        case ObjectInput::hessian2: return hessian2::Hessian2Format(limits).decode(input, graph);
        case ObjectInput::javaser: return javaser::JavaserFormat(limits).decode(input, graph);
        case ObjectInput::neutral_json: return read_neutral_json(input, limits, graph);
    }
    return {};
}

}  // namespace perfrelay
