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

std::unique_ptr<Codec> make_hessian2(CodecInfo info, const Limits& limits) {
    info.notes = {"dates and strings have no identity"};
    return make_object_codec<hessian2::Hessian2Format>(std::move(info), limits);
}

std::unique_ptr<Codec> make_javaser(CodecInfo info, const Limits& limits) {
    return make_object_codec<javaser::JavaserFormat>(std::move(info), limits);
}

template <ObjectFormat F>
std::unique_ptr<Codec> make_tree(CodecInfo info, const Limits& limits) {
    info.reader = F::engine() + ", into a graph";
    info.writer = F::engine();
    info.notes = {R"(tree: what occurs twice stands in a table, and {"$ref": n} where it occurs)"};
    return make_object_codec<F>(std::move(info), limits);
}

// Formats without options. An engine is another line.
struct FixedLine {
    std::string_view spec;
    const char* title;
    std::unique_ptr<Codec> (*make)(CodecInfo info, const Limits& limits);
};
constexpr FixedLine k_fixed[] = {
    {"hessian2", "HESSIAN2", make_hessian2},
    {"javaser", "JAVASER", make_javaser},
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
    why = "no format of objects \"" + format.name + "\"";
    for (const FixedLine& line : k_fixed) {
        if (line.spec == Spec{format, {}}.text()) {
            return line.make(info_of(format, line.title), limits);
        }
        if (line.spec == format.name) no_such_option(format, format.options[0], why);
    }
    return nullptr;
}

}  // namespace perfrelay
