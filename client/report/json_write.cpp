// write_json, write_jsonl: a Report by its tables of fields.

#include <algorithm>
#include <string>
#include <type_traits>

#include "client/report/json_results.h"
#include "client/report/json_text.h"
#include "client/report/report.h"
#include "client/report/saved_report.h"
#include "client/report/shown.h"

namespace perfrelay::client {
namespace {

using namespace json;  // NOLINT(google-build-using-namespace): its tables are what this is about

template <class T>
constexpr bool k_is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

class Writer {
  public:
    // Of no series more than about `most_runs`, evenly chosen.
    Writer(const Report& report, std::string& out, JsonText::Layout layout,
           std::size_t most_runs = SIZE_MAX)
        : report_(report), text_(out, layout), most_runs_(most_runs) {}

    void document() {
        text_.begin_object();
        head();
        members(report_);
        text_.end_object();
    }

    // A line each; `line` begins and ends it.
    template <class EndOfLine>
    void lines(const EndOfLine& end_of_line) {
        const auto line = [&](const char* type, const auto& content) {
            text_.begin_object();
            text_.key("type");
            text_.text(type);
            content();
            text_.end_object();
            end_of_line();
        };
        line("report", [&] {
            head();
            members_but(report_, {"files"});
        });
        for (std::size_t f = 0; f < report_.files.size(); ++f) {
            file_ = &report_.files[f];
            line("file", [&] {
                number("file", f);
                members_but(*file_, {"rows"});
            });
            for (std::size_t r = 0; r < file_->rows.size(); ++r) {
                const Row& row = file_->rows[r];
                const auto place = [&] {
                    number("file", f);
                    number("row", r);
                };
                line("row", [&] {
                    place();
                    members_but(row, {"warmup", "main", "threads", "alone"});
                });
                runs(line, place, "warmup", row.warmup);
                runs(line, place, "main", row.main);
                runs(line, place, "alone", row.alone);
            }
        }
        line("end", [&] {
            number("exit_code", report_.exit_code);
            member("status", report_results(report_).status);
        });
    }

  private:
    void head() {
        member("format", std::string(k_format));
        number("schema_version", k_schema_version);
    }

    void number(const char* name, auto value) {
        text_.key(name);
        text_.number(value);
    }

    template <class T>
    void member(const char* name, const T& value) {
        text_.key(name);
        write(value);
    }

    template <class Line, class Place>
    void runs(const Line& line, const Place& place, const char* stage,
              const measure::Series& series) {
        for (const measure::Sample& sample : series.samples) {
            line("run", [&] {
                place();
                member("stage", std::string(stage));
                for (const Column& column : k_columns)
                    number(column.name, column.get(sample));
            });
        }
    }

    template <Saved T>
    void members(const T& value) {
        members_but(value, {});
    }

    template <Saved T>
    void members_but(const T& value, std::initializer_list<std::string_view> left_out) {
        if constexpr (std::is_same_v<T, FileReport>) file_ = &value;
        const auto one = [&](const auto& field) {
            if (std::ranges::find(left_out, std::string_view(field.name)) != left_out.end()) return;
            text_.key(field.name);
            if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(value.*field.member)>>) {
                if (field.form == Form::decimal) {
                    text_.text(std::to_string(value.*field.member));
                    return;
                }
            }
            write(value.*field.member);
        };
        std::apply([&](const auto&... field) { (one(field), ...); }, Fields<T>::all);
        results(value);
    }

    void results(const Report& report) {
        if (&report == &report_) member("results", report_results(report));
    }
    void results(const FileReport& file) { member("results", file_results(report_, file)); }
    void results(const Row& row) { member("results", row_results(report_, *file_, row)); }
    template <class T>
    void results(const T&) {}

    template <class T>
    void write(const T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            text_.boolean(value);
        } else if constexpr (std::is_enum_v<T>) {
            text_.text(Words<T>::all[static_cast<std::size_t>(value)]);
        } else if constexpr (k_is_number<T>) {
            text_.number(value);
        } else if constexpr (Saved<T>) {
            text_.begin_object();
            members(value);
            text_.end_object();
        } else {
            write_other(value);
        }
    }

    void write_other(const std::string& value) { text_.text(value); }

    template <class T>
    void write_other(const std::vector<T>& values) {
        text_.begin_array(k_is_number<T>);
        for (const T& value : values)
            write(value);
        text_.end_array();
    }

    template <class T>
    void write_other(const Named<T>& values) {
        text_.begin_object();
        for (const auto& [name, value] : values)
            member(name.c_str(), value);
        text_.end_object();
    }

    void write_other(const measure::Series& series) {
        text_.begin_object();
        for (const Column& column : k_columns) {
            const auto used = [&](const measure::Sample& sample) {
                return column.get(sample) != 0;
            };
            if (std::ranges::none_of(series.samples, used)) continue;
            text_.key(column.name);
            text_.begin_array(true);
            const std::size_t step = (series.samples.size() - 1) / most_runs_ + 1;
            for (std::size_t i = 0; i < series.samples.size(); i += step)
                text_.number(column.get(series.samples[i]));
            text_.end_array();
        }
        text_.end_object();
    }

    const Report& report_;
    const FileReport* file_ = nullptr;
    JsonText text_;
    std::size_t most_runs_;
};

}  // namespace

std::string thinned_json(const Report& report, std::size_t most_runs) {
    std::string text;
    Writer(report, text, JsonText::Layout::indented, most_runs).document();
    return text;
}

void write_json(const Report& report, std::ostream& out) {
    std::string text;
    Writer(report, text, JsonText::Layout::indented).document();
    text += '\n';
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

void write_jsonl(const Report& report, std::ostream& out) {
    std::string text;
    Writer(report, text, JsonText::Layout::one_line).lines([&] {
        text += '\n';
        out.write(text.data(), static_cast<std::streamsize>(text.size()));
        text.clear();
    });
}

}  // namespace perfrelay::client
