#pragma once
// The tables of a SQLite database that becomes objects (sqlite_objects.h): what the schema says,
// and every cell as a value. Contract and bounds are those of sqlite_objects.h.
// Tested by tests/unit/client/sqlite_objects_test.cpp.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/limits.h"
#include "proto/model/object_graph.h"

namespace perfrelay::client::sqlite {

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
    std::vector<graph::Value> cells;                                // row after row, as they came

    // What becomes of it.
    std::vector<graph::Node*> rows;
    const graph::Class* type = nullptr;
    bool in_a_list = false;
    bool looked_up = false;
    // Rows by the text of a column that keys refer to.
    std::unordered_map<std::size_t, std::unordered_map<std::string, std::size_t>> index;

    std::size_t row_count() const { return columns.empty() ? 0 : cells.size() / columns.size(); }
    const graph::Value& cell(std::size_t row, std::size_t column) const {
        return cells[row * columns.size() + column];
    }
    // The column of this name, whatever its case; columns.size() when there is none.
    std::size_t column_of(std::string_view wanted) const;
};
using Tables = std::vector<std::unique_ptr<Table>>;

// Fills `tables`; texts and blobs of their cells are of `graph`. "" or what is wrong.
std::string read_tables(Bytes database, const Limits& limits, ObjectGraph& graph, Tables& tables);

// A name of the database in a message: one line.
std::string shown(std::string_view name);

}  // namespace perfrelay::client::sqlite
