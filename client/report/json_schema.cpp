// report_schema: JSON Schema of a saved report, from its tables of fields.

#include <map>
#include <string>
#include <type_traits>

#include "client/report/json_results.h"
#include "client/report/json_text.h"
#include "client/report/saved_report.h"

namespace perfrelay::client {
namespace {

using namespace json;  // NOLINT(google-build-using-namespace): its tables are what this is about

class Schema {
  public:
    std::string operator()() {
        std::string out;
        JsonText text(out);
        text.begin_object();
        member(text, "$schema", "https://json-schema.org/draft/2020-12/schema");
        member(text, "title", "What perfclient --json writes");
        member(text, "$comment",
               "schema_version grows when a member goes or changes; members may come without. "
               "Names end in their unit: _ns nanoseconds, _bps bits a second. Made by perfclient "
               "report --schema.");
        text.key("allOf");
        text.begin_array();
        reference<Report>(text);
        text.begin_object();
        text.key("properties");
        text.begin_object();
        text.key("format");
        constant(text, [&] { text.text(k_format); });
        text.key("schema_version");
        constant(text, [&] { text.number(k_schema_version); });
        text.end_object();
        text.key("required");
        text.begin_array(true);
        for (const char* const name : {"format", "schema_version", "results"})
            text.text(name);
        text.end_array();
        text.end_object();
        text.end_array();
        text.key("$defs");
        text.begin_object();
        for (const auto& [name, definition] : definitions_) {
            text.key(name);
            text.raw(definition);
        }
        text.end_object();
        text.end_object();
        return out + "\n";
    }

  private:
    static void member(JsonText& text, const char* name, const char* value) {
        text.key(name);
        text.text(value);
    }

    template <class Value>
    static void constant(JsonText& text, const Value& value) {
        text.begin_object();
        text.key("const");
        value();
        text.end_object();
    }

    template <Saved T>
    void reference(JsonText& text) {
        define<T>();
        text.begin_object();
        reference_member<T>(text);
        text.end_object();
    }
    template <Saved T>
    void reference_member(JsonText& text) {
        member(text, "$ref", (std::string("#/$defs/") + Fields<T>::name).c_str());
    }

    template <Saved T>
    void define() {
        const auto [place, fresh] = definitions_.try_emplace(Fields<T>::name);
        if (!fresh) return;
        std::string out;
        JsonText text(out, JsonText::Layout::one_line);
        text.begin_object();
        member(text, "type", "object");
        text.key("properties");
        text.begin_object();
        const auto property = [&](const auto& field) {
            using Value = std::remove_cvref_t<decltype(std::declval<T>().*field.member)>;
            text.key(field.name);
            text.begin_object();
            if (field.says[0] != '\0') member(text, "description", field.says);
            field.form == Form::decimal ? decimal(text) : type<Value>(text);
            text.end_object();
        };
        std::apply([&](const auto&... field) { (property(field), ...); }, Fields<T>::all);
        if constexpr (requires { typename Fields<T>::Results; }) {
            text.key("results");
            text.begin_object();
            member(text, "description", "computed from the rest");
            reference_member<typename Fields<T>::Results>(text);
            define<typename Fields<T>::Results>();
            text.end_object();
        }
        text.end_object();
        text.key("required");
        text.begin_array();
        std::apply([&](const auto&... field) { (text.text(field.name), ...); }, Fields<T>::all);
        text.end_array();
        text.end_object();
        definitions_[Fields<T>::name] = std::move(out);
    }

    static void decimal(JsonText& text) {
        member(text, "type", "string");
        member(text, "pattern", "^[0-9]+$");
    }

    // The members that say what a value is.
    template <class T>
    void type(JsonText& text) {
        if constexpr (std::is_same_v<T, bool>) {
            member(text, "type", "boolean");
        } else if constexpr (std::is_enum_v<T>) {
            text.key("enum");
            text.begin_array();
            for (const char* const word : Words<T>::all)
                text.text(word);
            text.end_array();
        } else if constexpr (std::is_integral_v<T>) {
            member(text, "type", "integer");
            text.key("minimum");
            text.number(0);
        } else if constexpr (std::is_floating_point_v<T>) {
            text.key("type");
            text.begin_array();
            for (const char* const word : {"number", "null"})
                text.text(word);
            text.end_array();
        } else if constexpr (Saved<T>) {
            reference_member<T>(text);
            define<T>();
        } else {
            type_of(text, static_cast<const T*>(nullptr));
        }
    }

    void type_of(JsonText& text, const std::string*) { member(text, "type", "string"); }

    template <class T>
    void type_of(JsonText& text, const std::vector<T>*) {
        member(text, "type", "array");
        text.key("items");
        text.begin_object();
        type<T>(text);
        text.end_object();
    }

    template <class T>
    void type_of(JsonText& text, const Named<T>*) {
        member(text, "type", "object");
        text.key("additionalProperties");
        text.begin_object();
        type<T>(text);
        text.end_object();
    }

    void type_of(JsonText& text, const measure::Series*) {
        member(text, "type", "object");
        text.key("properties");
        text.begin_object();
        for (const Column& column : k_columns) {
            text.key(column.name);
            text.begin_object();
            member(text, "description", column.says);
            type_of(text, static_cast<const std::vector<measure::Nanoseconds>*>(nullptr));
            text.end_object();
        }
        text.end_object();
    }

    std::map<std::string, std::string> definitions_;
};

}  // namespace

std::string report_schema() {
    return Schema()();
}

}  // namespace perfrelay::client
