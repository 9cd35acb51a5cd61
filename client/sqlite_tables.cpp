#include "client/sqlite_tables.h"

#include <algorithm>
#include <limits>

#include <sqlite3.h>

namespace perfrelay::client::sqlite {
namespace {

using graph::Node;
using graph::NodeKind;
using graph::Value;

struct CloseDatabase {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct EndStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;

std::string quoted_name(std::string_view name) {
    std::string out = "\"";
    for (const char c : name)
        out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

std::string_view text_of(sqlite3_stmt* row, int column) {
    const auto* const text = sqlite3_column_text(row, column);
    if (text == nullptr) return {};
    return {reinterpret_cast<const char*>(text),
            static_cast<std::size_t>(sqlite3_column_bytes(row, column))};
}

class Reader {
  public:
    Reader(Bytes bytes, const Limits& limits, ObjectGraph& graph, Tables& tables)
        : bytes_(bytes), limits_(limits), graph_(graph), tables_(tables) {}

    std::string run() {
        (void)(open() && check_pages() && read_tables() && read_keys() && read_rows());
        return why_;
    }

  private:
    bool fail(std::string why) {
        why_ = std::move(why);
        return false;
    }
    bool sqlite_failed(const std::string& doing) {
        return fail(doing + ": " +
                    (steps_ == 0 ? "far more work than its size asks for"
                                 : sqlite3_errmsg(database_.get())));
    }

    // In memory, and as distrustful as SQLite can be.
    bool open() {
        constexpr std::size_t k_header = 100;
        if (bytes_.size() < k_header) return fail("shorter than the header of a database");
        sqlite3* opened = nullptr;
        const int done = sqlite3_open_v2(":memory:", &opened,
                                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
        database_.reset(opened);
        if (done != SQLITE_OK) return fail("SQLite cannot be started");
        copy_.assign(bytes_.begin(), bytes_.end());
        // Readers and writers by log: out of memory there is none (sqlite3_deserialize).
        constexpr std::size_t k_write_version = 18;
        constexpr std::size_t k_read_version = 19;
        if (copy_[k_write_version] == 2) copy_[k_write_version] = 1;
        if (copy_[k_read_version] == 2) copy_[k_read_version] = 1;
        const auto size = static_cast<sqlite3_int64>(copy_.size());
        if (sqlite3_deserialize(opened, "main", copy_.data(), size, size,
                                SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
            return sqlite_failed("no database");
        }
        for (const int off : {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                              SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
                              SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_DQS_DML}) {
            (void)sqlite3_db_config(opened, off, 0, nullptr);
        }
        (void)sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
        constexpr std::size_t k_longest = 1'000'000'000;
        (void)sqlite3_limit(opened, SQLITE_LIMIT_LENGTH,
                            static_cast<int>(std::min(limits_.max_text, k_longest)));
        // Instructions of its virtual machine: a few for each byte there is.
        steps_ = 10'000 + bytes_.size() / 16;
        sqlite3_progress_handler(
            opened, 1000,
            [](void* steps) {
                auto& left = *static_cast<std::size_t*>(steps);
                return left == 0 || --left == 0 ? 1 : 0;
            },
            &steps_);
        return true;
    }

    // Rows of a query, one call each; false when SQLite or the receiver says so.
    template <class Receive>
    bool query(const std::string& doing, const std::string& sql,
               const std::vector<std::string>& arguments, Receive receive) {
        sqlite3_stmt* prepared = nullptr;
        if (sqlite3_prepare_v2(database_.get(), sql.c_str(), static_cast<int>(sql.size()) + 1,
                               &prepared, nullptr) != SQLITE_OK) {
            return sqlite_failed(doing);
        }
        const Statement statement(prepared);
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            (void)sqlite3_bind_text(prepared, static_cast<int>(i) + 1, arguments[i].data(),
                                    static_cast<int>(arguments[i].size()), SQLITE_STATIC);
        }
        int step = 0;
        while ((step = sqlite3_step(prepared)) == SQLITE_ROW) {
            if (!receive(prepared)) return false;
        }
        return step == SQLITE_DONE || sqlite_failed(doing);
    }

    // A page that is used twice would be read as often as there are ways to it.
    bool check_pages() {
        const auto nothing = [](sqlite3_stmt*) { return true; };
        if (!query("no database", "PRAGMA ignore_check_constraints=ON", {}, nothing)) return false;
        return query("no database", "PRAGMA quick_check(1)", {}, [this](sqlite3_stmt* row) {
            const std::string_view said = text_of(row, 0);
            if (said == "ok") return true;
            std::string line(said.substr(0, 120));
            std::replace_if(
                line.begin(), line.end(), [](unsigned char c) { return c < 0x20; }, ' ');
            return fail("damaged: " + line);
        });
    }

    bool read_tables() {
        // Not PRAGMA table_list alone: it knows no order.
        const bool good = query(
            "its tables",
            "SELECT s.name FROM sqlite_schema AS s JOIN pragma_table_list AS l ON l.name = s.name "
            "WHERE s.type = 'table' AND l.schema = 'main' AND l.type = 'table' "
            "AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY s.rowid",
            {}, [this](sqlite3_stmt* row) {
                tables_.push_back(std::make_unique<Table>());
                tables_.back()->name = text_of(row, 0);
                return true;
            });
        if (!good) return false;
        for (const auto& table : tables_) {
            if (!read_columns(*table)) return false;
        }
        return !tables_.empty() || fail("a database without tables");
    }

    // Without generated columns, which table_info leaves out.
    bool read_columns(Table& table) {
        std::vector<std::pair<int, std::size_t>> key;
        const bool good = query("columns of " + shown(table.name),
                                "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid",
                                {table.name}, [&](sqlite3_stmt* row) {
                                    Column column;
                                    column.name = text_of(row, 0);
                                    const std::string type(text_of(row, 1));
                                    column.declared_boolean =
                                        sqlite3_strnicmp(type.c_str(), "bool", 4) == 0;
                                    if (const int place = sqlite3_column_int(row, 2); place > 0) {
                                        key.emplace_back(place, table.columns.size());
                                    }
                                    table.columns.push_back(std::move(column));
                                    return true;
                                });
        std::sort(key.begin(), key.end());
        for (const auto& [place, column] : key)
            table.primary_key.push_back(column);
        return good;
    }

    Table* table_named(const std::string& name) {
        for (const auto& table : tables_) {
            if (sqlite3_stricmp(table->name.c_str(), name.c_str()) == 0) return table.get();
        }
        return nullptr;
    }

    bool read_keys() {
        for (const auto& table : tables_) {
            if (!read_keys_of(*table)) return false;
        }
        return true;
    }

    struct Declared {
        sqlite3_int64 id;
        std::string table;
        std::string from;
        std::string to;
        std::string on_delete;
    };

    bool read_keys_of(Table& table) {
        std::vector<Declared> all;
        const std::string doing = "foreign keys of " + shown(table.name);
        const bool good =
            query(doing,
                  "SELECT id, \"table\", \"from\", \"to\", on_delete FROM "
                  "pragma_foreign_key_list(?) ORDER BY id DESC, seq",
                  {table.name}, [&](sqlite3_stmt* row) {
                      all.push_back({sqlite3_column_int64(row, 0), std::string(text_of(row, 1)),
                                     std::string(text_of(row, 2)), std::string(text_of(row, 3)),
                                     std::string(text_of(row, 4))});
                      return true;
                  });
        if (!good) return false;
        for (const Declared& one : all) {
            const auto same = [&one](const Declared& other) { return other.id == one.id; };
            if (std::count_if(all.begin(), all.end(), same) == 1 && !add_key(table, one))
                return false;
        }
        return true;
    }

    bool add_key(Table& table, const Declared& declared) {
        ForeignKey key;
        key.column = table.column_of(declared.from);
        if (key.column == table.columns.size()) return true;  // a generated one
        const std::string place = shown(table.name) + ", column " + shown(declared.from);
        key.to = table_named(declared.table);
        if (key.to == nullptr) {
            return fail(place + " refers to table " + shown(declared.table) +
                        ", which is not there");
        }
        if (!declared.to.empty()) {
            key.to_column = key.to->column_of(declared.to);
        } else {
            key.to_column =
                key.to->primary_key.size() == 1 ? key.to->primary_key[0] : key.to->columns.size();
        }
        if (key.to_column == key.to->columns.size()) {
            return fail(place + " refers to no column of " + shown(declared.table));
        }
        key.has_list = declared.on_delete != "RESTRICT" && declared.on_delete != "SET NULL";
        // Two keys of one column: the first is it.
        const auto same = [&key](const ForeignKey& other) { return other.column == key.column; };
        if (std::any_of(table.keys.begin(), table.keys.end(), same)) return true;
        table.keys.push_back(std::move(key));
        return true;
    }

    bool read_rows() {
        for (const auto& table : tables_) {
            std::string sql = "SELECT ";
            for (const Column& column : table->columns)
                sql += (sql.size() > 7 ? ", " : "") + quoted_name(column.name);
            sql += " FROM " + quoted_name(table->name);
            if (table->columns.empty()) continue;
            const bool good = query("rows of " + shown(table->name), sql, {},
                                    [&](sqlite3_stmt* row) { return read_row(*table, row); });
            if (!good) return false;
        }
        return true;
    }

    bool read_row(Table& table, sqlite3_stmt* row) {
        if (table.row_count() == std::numeric_limits<std::uint32_t>::max() / 2) {
            return fail("rows of " + shown(table.name) + ": more than objects can be");
        }
        const std::size_t number = table.row_count() + 1;
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            Value value;
            if (!read_cell(table.columns[i], row, static_cast<int>(i), value)) {
                return fail("table " + shown(table.name) + ", row " + std::to_string(number) +
                            ", column " + shown(table.columns[i].name) + ": not UTF-8");
            }
            table.cells.push_back(value);
        }
        return true;
    }

    bool read_cell(Column& column, sqlite3_stmt* row, int at, Value& value) {
        switch (sqlite3_column_type(row, at)) {
            case SQLITE_INTEGER: {
                const std::int64_t integer = sqlite3_column_int64(row, at);
                ++column.integers;
                column.wide = column.wide || integer != static_cast<std::int32_t>(integer);
                column.other_than_01 = column.other_than_01 || (integer != 0 && integer != 1);
                value = Value::int64(integer);
                return true;
            }
            case SQLITE_FLOAT:
                ++column.reals;
                value = Value::float64(sqlite3_column_double(row, at));
                return true;
            case SQLITE_TEXT: {
                ++column.texts;
                const std::string_view text = text_of(row, at);
                const graph::Text* const made =
                    text.empty() ? graph_.empty_text()
                                 : graph_.decode_text(as_bytes(text), NulForm::one_byte);
                if (made != nullptr) value = Value::of(made);
                return made != nullptr;
            }
            case SQLITE_BLOB: {
                ++column.blobs;
                Node& made = *graph_.new_node(NodeKind::bytes);
                const std::string_view bytes(
                    static_cast<const char*>(sqlite3_column_blob(row, at)),
                    static_cast<std::size_t>(sqlite3_column_bytes(row, at)));
                made.data = as_bytes(graph_.arena().copy(bytes)).data();
                made.count = static_cast<std::uint32_t>(bytes.size());
                value = Value::of(&made);
                return true;
            }
            default: ++column.nulls; return true;
        }
    }

    Bytes bytes_;
    Limits limits_;
    ObjectGraph& graph_;
    Tables& tables_;
    std::vector<unsigned char> copy_;  // outlives the database
    Database database_;
    std::size_t steps_ = 0;
    std::string why_;
};

}  // namespace

std::size_t Table::column_of(std::string_view wanted) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (sqlite3_stricmp(columns[i].name.c_str(), std::string(wanted).c_str()) == 0) return i;
    }
    return columns.size();
}

std::string shown(std::string_view name) {
    std::string out;
    for (const char c : name.substr(0, 80))
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    return "\"" + out + (name.size() > 80 ? "..\"" : "\"");
}

std::string read_tables(Bytes database, const Limits& limits, ObjectGraph& graph, Tables& tables) {
    return Reader(database, limits, graph, tables).run();
}

}  // namespace perfrelay::client::sqlite
