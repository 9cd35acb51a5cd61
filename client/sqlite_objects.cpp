#include "client/sqlite_objects.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sqlite3.h>
#include <sys/stat.h>

#include "proto/model/java_maker.h"

namespace perfrelay::client {
namespace {

using graph::Class;
using graph::Node;
using graph::NodeKind;
using graph::Value;
using graph::ValueKind;

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

// A name of the database in a message: one line.
std::string shown(std::string_view name) {
    std::string out;
    for (const char c : name.substr(0, 80))
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    return "\"" + out + (name.size() > 80 ? "..\"" : "\"");
}

std::string_view text_of(sqlite3_stmt* row, int column) {
    const auto* const text = sqlite3_column_text(row, column);
    if (text == nullptr) return {};
    return {reinterpret_cast<const char*>(text),
            static_cast<std::size_t>(sqlite3_column_bytes(row, column))};
}

// "Employee" and "lab.Employee" are "employees", "Company" is "companies".
std::string inverse_name(std::string_view table) {
    std::string name(table.substr(table.rfind('.') + 1));
    if (name.empty()) return "rows";
    name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
    const auto ends = [&name](std::string_view with) {
        return name.size() > with.size() && std::equal(with.rbegin(), with.rend(), name.rbegin());
    };
    const bool vowel = name.size() > 1 && std::string_view("aeiou").find(name[name.size() - 2]) !=
                                              std::string_view::npos;
    if (ends("y") && !vowel) {
        name.back() = 'i';
        return name + "es";
    }
    const bool hissing = ends("s") || ends("x") || ends("z") || ends("ch") || ends("sh");
    return name + (hissing ? "es" : "s");
}

struct Table;

struct ForeignKey {
    std::size_t column;
    Table* to = nullptr;
    std::size_t to_column = 0;
    bool has_list = true;
    std::string list_name;
};

struct Column {
    std::string name;
    bool declared_boolean = false;
    const ForeignKey* key = nullptr;
    std::string signature;
    // What its values are.
    std::size_t integers = 0;
    std::size_t reals = 0;
    std::size_t texts = 0;
    std::size_t blobs = 0;
    std::size_t nulls = 0;
    bool wide = false;  // an integer beyond 32 bits
    bool other_than_01 = false;
};

struct Table {
    std::string name;
    std::vector<Column> columns;
    std::vector<std::size_t> primary_key;  // columns
    std::vector<ForeignKey> keys;
    std::vector<std::pair<const Table*, const ForeignKey*>> lists;  // what refers to it, with lists
    std::vector<Value> cells;                                       // row after row, as they came
    std::vector<Node*> rows;
    const Class* type = nullptr;
    bool in_a_list = false;
    bool looked_up = false;
    // Rows by the text of a column that keys refer to.
    std::unordered_map<std::size_t, std::unordered_map<std::string, std::size_t>> index;

    std::size_t row_count() const { return columns.empty() ? 0 : cells.size() / columns.size(); }
    const Value& cell(std::size_t row, std::size_t column) const {
        return cells[row * columns.size() + column];
    }
    std::size_t column_of(std::string_view wanted) const {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (sqlite3_stricmp(columns[i].name.c_str(), std::string(wanted).c_str()) == 0)
                return i;
        }
        return columns.size();
    }
};

class Loader {
  public:
    Loader(Bytes bytes, const Limits& limits, ObjectGraph& graph)
        : bytes_(bytes), limits_(limits), graph_(graph), make_(graph) {}

    std::string load() {
        if (!open() || !check_pages() || !read_tables() || !read_keys() || !read_rows())
            return why_;
        index_rows();
        name_lists();
        make_objects();
        if (link()) make_document();
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

    // What a key and what it refers to have in common: 5 and '5' may be one.
    static std::string key_text(const Value& value) {
        if (value.is(ValueKind::text)) return std::string(value.text->view());
        if (value.is(ValueKind::node)) return "blob " + std::string(as_text(value.node->bytes()));
        if (value.is(ValueKind::int64)) return std::to_string(value.integer);
        const double real = value.as_double();
        constexpr double k_exact = 9007199254740992.0;
        if (real >= -k_exact && real <= k_exact &&
            real == static_cast<double>(static_cast<std::int64_t>(real))) {
            return std::to_string(static_cast<std::int64_t>(real));
        }
        return "real " + std::to_string(value.bits);
    }

    void index_rows() {
        for (const auto& table : tables_) {
            for (const ForeignKey& key : table->keys) {
                if (key.to->index.count(key.to_column) != 0) continue;
                auto& rows = key.to->index[key.to_column];
                for (std::size_t row = 0; row < key.to->row_count(); ++row) {
                    const Value& value = key.to->cell(row, key.to_column);
                    if (!value.is(ValueKind::null)) rows.emplace(key_text(value), row);
                }
            }
        }
    }

    void name_lists() {
        for (const auto& table : tables_) {
            for (ForeignKey& key : table->keys) {
                const auto rival = [&key](const ForeignKey& other) {
                    return other.to == key.to && other.has_list && &other != &key;
                };
                const bool alone = std::none_of(table->keys.begin(), table->keys.end(), rival);
                table->columns[key.column].key = &key;
                if (!key.has_list) {
                    key.to->looked_up = true;
                    continue;
                }
                key.list_name = inverse_name(table->name);
                if (!alone) key.list_name += "_" + table->columns[key.column].name;
                while (key.to->column_of(key.list_name) != key.to->columns.size())
                    key.list_name += "_";
                key.to->lists.emplace_back(table.get(), &key);
                table->in_a_list = table->in_a_list || key.to != table.get();
            }
        }
    }

    static std::string signature_of(const Column& column, const std::string& to) {
        if (column.key != nullptr) return "L" + to + ";";
        const bool nulls = column.nulls != 0;
        const int kinds = (column.integers != 0 ? 1 : 0) + (column.reals != 0 ? 1 : 0) +
                          (column.texts != 0 ? 1 : 0) + (column.blobs != 0 ? 1 : 0);
        if (kinds > 1) return "Ljava/lang/Object;";
        if (column.blobs != 0) return "[B";
        if (column.reals != 0) return nulls ? "Ljava/lang/Double;" : "D";
        if (column.integers == 0) return "Ljava/lang/String;";
        if (column.declared_boolean && !column.other_than_01) {
            return nulls ? "Ljava/lang/Boolean;" : "Z";
        }
        if (column.wide) return nulls ? "Ljava/lang/Long;" : "J";
        return nulls ? "Ljava/lang/Integer;" : "I";
    }
    static std::string slashed(std::string name) {
        std::replace(name.begin(), name.end(), '.', '/');
        return name;
    }

    // Fields in Java's order, and for each where its value is: a column, or behind them a list.
    struct Layout {
        std::vector<JavaMaker::Field> fields;
        std::vector<std::size_t> sources;
    };
    static Layout layout_of(Table& table) {
        std::vector<std::pair<JavaMaker::Field, std::size_t>> all;
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            Column& column = table.columns[i];
            column.signature =
                signature_of(column, column.key != nullptr ? slashed(column.key->to->name) : "");
            all.emplace_back(JavaMaker::Field{column.signature, column.name}, i);
        }
        for (std::size_t i = 0; i < table.lists.size(); ++i) {
            all.emplace_back(JavaMaker::Field{"Ljava/util/List;", table.lists[i].second->list_name},
                             table.columns.size() + i);
        }
        std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
            return JavaMaker::in_order(a.first, b.first);
        });
        Layout layout;
        for (auto& [field, source] : all) {
            layout.fields.push_back(std::move(field));
            layout.sources.push_back(source);
        }
        return layout;
    }

    static Value as_declared(const Column& column, const Value& value) {
        if (!value.is(ValueKind::int64)) return value;
        if (column.signature == "Z" || column.signature == "Ljava/lang/Boolean;") {
            return Value::boolean(value.integer != 0);
        }
        if (column.signature == "J" || column.signature == "Ljava/lang/Long;" ||
            value.integer != static_cast<std::int32_t>(value.integer)) {
            return value;
        }
        return Value::int32(static_cast<std::int32_t>(value.integer));
    }

    // References and lists are null until `link`.
    void make_objects() {
        for (const auto& table : tables_) {
            layouts_.push_back(layout_of(*table));
            const Layout& layout = layouts_.back();
            table->type = make_.type(table->name, layout.fields);
            for (std::size_t row = 0; row < table->row_count(); ++row) {
                Node* const made = make_.object(table->type);
                table->rows.push_back(made);
                for (std::size_t i = 0; i < layout.sources.size(); ++i) {
                    const std::size_t source = layout.sources[i];
                    const bool is_value =
                        source < table->columns.size() && table->columns[source].key == nullptr;
                    made->items[i] =
                        is_value ? as_declared(table->columns[source], table->cell(row, source))
                                 : Value::null();
                }
            }
        }
    }

    bool link() {
        for (std::size_t t = 0; t < tables_.size(); ++t) {
            Table& table = *tables_[t];
            for (std::size_t i = 0; i < layouts_[t].sources.size(); ++i) {
                const std::size_t source = layouts_[t].sources[i];
                if (source >= table.columns.size()) {
                    make_lists(table, i, *table.lists[source - table.columns.size()].first,
                               *table.lists[source - table.columns.size()].second);
                } else if (const ForeignKey* const key = table.columns[source].key) {
                    if (!refer(table, i, *key)) return false;
                }
            }
        }
        return true;
    }

    static constexpr std::size_t k_none = ~std::size_t{0};
    // The row of key.to that a row refers to; k_none when it says NULL, or there is none.
    static std::size_t target(const Table& table, std::size_t row, const ForeignKey& key) {
        const Value& value = table.cell(row, key.column);
        if (value.is(ValueKind::null)) return k_none;
        const auto& rows = key.to->index.at(key.to_column);
        const auto found = rows.find(key_text(value));
        return found == rows.end() ? k_none : found->second;
    }

    bool refer(Table& table, std::size_t field, const ForeignKey& key) {
        for (std::size_t row = 0; row < table.row_count(); ++row) {
            const Value& value = table.cell(row, key.column);
            if (value.is(ValueKind::null)) continue;
            const std::size_t to = target(table, row, key);
            if (to == k_none) {
                return fail("table " + shown(table.name) + ", row " + std::to_string(row + 1) +
                            ": " + shown(table.columns[key.column].name) + " is " +
                            shown(key_text(value)) + ", and no row of " + shown(key.to->name) +
                            " has that key");
            }
            table.rows[row]->items[field] = Value::of(key.to->rows[to]);
        }
        return true;
    }

    void make_lists(Table& table, std::size_t field, const Table& from, const ForeignKey& key) {
        std::vector<std::vector<Value>> items(table.row_count());
        for (std::size_t row = 0; row < from.row_count(); ++row) {
            const std::size_t to = target(from, row, key);
            if (to != k_none) items[to].push_back(Value::of(from.rows[row]));
        }
        for (std::size_t row = 0; row < table.row_count(); ++row)
            table.rows[row]->items[field] = Value::of(list_of(items[row]));
    }
    Node* list_of(const std::vector<Value>& items) {
        Node* const list = make_.list("java.util.ArrayList", items.size());
        std::copy(items.begin(), items.end(), list->items);
        return list;
    }

    void make_document() {
        std::vector<Value> all;
        std::vector<bool> reached(graph_.node_count(), false);
        const auto is_root = [](const auto& table) {
            return !table->in_a_list && !table->looked_up;
        };
        const bool any = std::any_of(tables_.begin(), tables_.end(), is_root);
        for (const auto& table : tables_) {
            if (!any || is_root(table)) {
                for (Node* const row : table->rows)
                    all.push_back(Value::of(row));
            }
        }
        for (const Value& root : all)
            reach(*root.node, reached);
        for (const auto& table : tables_) {
            for (Node* const row : table->rows) {
                if (reached[row->id]) continue;
                all.push_back(Value::of(row));
                reach(*row, reached);
            }
        }
        graph_.root = Value::of(list_of(all));
    }

    static void reach(Node& from, std::vector<bool>& reached) {
        if (reached[from.id]) return;
        reached[from.id] = true;
        std::vector<const Node*> open{&from};
        while (!open.empty()) {
            const Node& node = *open.back();
            open.pop_back();
            if (!node.holds_values()) continue;
            for (const Value& value : node.values()) {
                if (!value.is(ValueKind::node) || reached[value.node->id]) continue;
                reached[value.node->id] = true;
                open.push_back(value.node);
            }
        }
    }

    Bytes bytes_;
    Limits limits_;
    ObjectGraph& graph_;
    JavaMaker make_;
    std::vector<unsigned char> copy_;  // outlives the database
    Database database_;
    std::size_t steps_ = 0;
    std::vector<std::unique_ptr<Table>> tables_;
    std::vector<Layout> layouts_;
    std::string why_;
};

}  // namespace

std::string read_sqlite(Bytes database, const Limits& limits, ObjectGraph& graph) {
    std::string why = Loader(database, limits, graph).load();
    if (!why.empty()) graph.clear();
    return why;
}

std::string sqlite_company(const std::string& path) {
    for (const char* const ending : {"-wal", "-journal"}) {
        struct stat facts {};
        if (::stat((path + ending).c_str(), &facts) != 0 || facts.st_size == 0) continue;
        return "not all of the database: " + path + ending +
               " belongs to it; let SQLite put them together (sqlite3 FILE 'PRAGMA "
               "journal_mode=DELETE'), or wait for who writes";
    }
    return "";
}

}  // namespace perfrelay::client
