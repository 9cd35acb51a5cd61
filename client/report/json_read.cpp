// read_report: a Report by its tables of fields, from JSON that anybody may have written.

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "client/report/json_fields.h"
#include "client/report/saved_report.h"

namespace perfrelay::client {
namespace {

using namespace json;  // NOLINT(google-build-using-namespace): its tables are what this is about
using Json = nlohmann::json;

// What models of links would otherwise spend hours on.
constexpr std::uint64_t k_largest_document = std::uint64_t{16} << 30U;

class Reader {
  public:
    // "" or what is wrong, and where.
    const std::string& why() const { return why_; }

    template <Saved T>
    void members(const Json& from, T& into) {
        if (!from.is_object()) return refuse("no object");
        std::apply([&](const auto&... field) { (member(from, field, into), ...); }, Fields<T>::all);
        if (why_.empty()) check(into);
    }

  private:
    void refuse(const std::string& what) {
        if (why_.empty()) why_ = (path_.empty() ? "" : path_.substr(1) + ": ") + what;
    }

    template <class Read>
    void at(const std::string& name, const Read& read) {
        if (!why_.empty()) return;
        const std::size_t length = path_.size();
        path_ += "/" + name;
        read();
        path_.resize(length);
    }

    template <class FieldOf, class T>
    void member(const Json& from, const FieldOf& field, T& into) {
        const auto found = from.find(field.name);
        if (found == from.end()) return;
        at(field.name, [&] {
            auto& value = into.*field.member;
            if constexpr (std::is_integral_v<std::remove_reference_t<decltype(value)>>) {
                if (field.form == Form::decimal) return decimal(*found, value);
            }
            read(*found, value);
        });
    }

    template <class Integer>
    void decimal(const Json& from, Integer& into) {
        const Json number = from.is_string()
                                ? Json::parse(from.get_ref<const std::string&>(), nullptr, false)
                                : Json();
        read(number, into);
    }

    template <class T>
    void read(const Json& from, T& into) {
        if constexpr (std::is_same_v<T, bool>) {
            from.is_boolean() ? void(into = from.get<bool>()) : refuse("neither true nor false");
        } else if constexpr (std::is_enum_v<T>) {
            word(from, into);
        } else if constexpr (std::is_integral_v<T>) {
            integer(from, into);
        } else if constexpr (std::is_floating_point_v<T>) {
            from.is_number() ? void(into = from.get<T>()) : refuse("no number");
        } else if constexpr (Saved<T>) {
            members(from, into);
        } else {
            read_other(from, into);
        }
    }

    template <class Enum>
    void word(const Json& from, Enum& into) {
        std::string known;
        for (const char* const& each : Words<Enum>::all) {
            if (from == each) {
                into = static_cast<Enum>(&each - Words<Enum>::all);
                return;
            }
            known += (known.empty() ? "" : ", ") + std::string(each);
        }
        refuse("none of " + known);
    }

    template <class Integer>
    void integer(const Json& from, Integer& into) {
        using Limits = std::numeric_limits<Integer>;
        if (from.is_number_unsigned() &&
            from.get<std::uint64_t>() <= static_cast<std::uint64_t>(Limits::max())) {
            into = static_cast<Integer>(from.get<std::uint64_t>());
        } else {
            refuse("no integer from 0 to " + std::to_string(Limits::max()));
        }
    }

    void read_other(const Json& from, std::string& into) {
        from.is_string() ? void(into = from.get<std::string>()) : refuse("no text");
    }

    template <class T>
    void read_other(const Json& from, std::vector<T>& into) {
        if (!from.is_array()) return refuse("no array");
        into.resize(from.size());
        for (std::size_t i = 0; i < into.size() && why_.empty(); ++i)
            at(std::to_string(i), [&] { read(from[i], into[i]); });
    }

    void read_other(const Json& from, measure::Series& into) {
        if (!from.is_object()) return refuse("no object");
        const auto total = from.find("total_ns");
        into.samples.resize(total != from.end() ? total->size() : 0);
        for (const Column& column : k_columns) {
            const auto found = from.find(column.name);
            if (found == from.end()) continue;
            at(column.name, [&] { read_column(*found, column, into); });
        }
    }

    void read_column(const Json& from, const Column& column, measure::Series& into) {
        if (!from.is_array() || from.size() != into.samples.size()) {
            return refuse("not as many numbers as total_ns has");
        }
        for (std::size_t i = 0; i < from.size() && why_.empty(); ++i) {
            measure::Nanoseconds value = 0;
            integer(from[i], value);
            const measure::Nanoseconds most = std::numeric_limits<std::uint32_t>::max();
            const bool documents = &column == k_columns;
            if (documents && (value == 0 || value > most)) refuse("a run of that many documents");
            column.set(into.samples[i], value);
        }
    }

    void check(const net::Link& link) {
        if (link.down == 0 || link.up == 0) refuse("a link of no speed");
        if (!(link.loss >= 0 && link.loss <= 0.5)) refuse("loss from 0 to 0.5");
    }
    void check(const OnLink& sent) {
        const std::size_t runs = sent.runs.samples.size();
        if (sent.planned.size() != runs || sent.delivered.size() != runs) {
            refuse("planned_ns and delivered_ns: not as many as runs");
        }
    }
    void check(const Row& row) {
        if (row.size > k_largest_document) refuse("size: more than any document has");
        if (row.codec.spec.empty()) refuse("codec/spec: none");
    }
    void check(const Report& report) {
        for (const FileReport& file : report.files) {
            if (file.part >= std::max<std::size_t>(report.parts.size(), 1)) {
                refuse("files: part " + std::to_string(file.part) + ": there is none");
            }
        }
    }
    template <class T>
    void check(const T&) {}

    std::string path_;
    std::string why_;
};

// What begins another document than a report of this version; "" if it is one.
std::string not_ours(const Json& document) {
    if (document.is_discarded()) return "no JSON";
    if (!document.is_object() || document.value("format", Json()) != k_format) {
        return "no report of perfclient: \"format\" is not \"" + std::string(k_format) + "\"";
    }
    const Json version = document.value("schema_version", Json());
    if (version == k_schema_version) return "";
    return "schema_version " + version.dump() + ", and this build reads " +
           std::to_string(k_schema_version);
}

}  // namespace

std::optional<Report> read_report(std::string_view text, std::string& why) {
    const Json document = Json::parse(text, nullptr, false);
    why = not_ours(document);
    if (!why.empty()) return std::nullopt;
    Report report;
    Reader reader;
    reader.members(document, report);
    why = reader.why();
    if (!why.empty()) return std::nullopt;
    return report;
}

}  // namespace perfrelay::client
