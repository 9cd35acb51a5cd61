#include "client/sqlite_objects.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "client/sqlite_tables.h"
#include "proto/model/java_maker.h"

namespace perfrelay::client {
namespace {

using graph::Node;
using graph::Value;
using graph::ValueKind;
using sqlite::Column;
using sqlite::ForeignKey;
using sqlite::shown;
using sqlite::Table;

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

class ObjectMaker {
  public:
    // Clears the graph, of which texts and blobs in tables will be.
    explicit ObjectMaker(ObjectGraph& graph) : graph_(graph), make_(graph) {}

    std::string run(Bytes database, const Limits& limits) {
        why_ = sqlite::read_tables(database, limits, graph_, tables_);
        if (!why_.empty()) return why_;
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

    ObjectGraph& graph_;
    JavaMaker make_;
    sqlite::Tables tables_;
    std::vector<Layout> layouts_;
    std::string why_;
};

}  // namespace

std::string read_sqlite(Bytes database, const Limits& limits, ObjectGraph& graph) {
    std::string why = ObjectMaker(graph).run(database, limits);
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
