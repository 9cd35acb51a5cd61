// Databases as objects: the companies' graph is the one that Java held, the rules one by one, and
// files that are damaged, false or hostile.

#include "client/sqlite_objects.h"

#include <cstdio>
#include <fstream>
#include <memory>
#include <random>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "proto/javaser/format.h"
#include "proto/model/neutral_json.h"
#include "proto/model/object_difference.h"
#include "proto/model/sample_objects.h"

namespace perfrelay::client {
namespace {

class Writable {
  public:
    Writable() { EXPECT_EQ(sqlite3_open(":memory:", &database_), SQLITE_OK); }
    Writable(const Writable&) = delete;
    Writable& operator=(const Writable&) = delete;
    ~Writable() { sqlite3_close(database_); }

    void run(const std::string& sql) {
        char* why = nullptr;
        EXPECT_EQ(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &why), SQLITE_OK)
            << sql << ": " << why;
        sqlite3_free(why);
    }
    std::string bytes() {
        sqlite3_int64 size = 0;
        unsigned char* const data = sqlite3_serialize(database_, "main", &size, 0);
        std::string out(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
        sqlite3_free(data);
        return out;
    }

  private:
    sqlite3* database_ = nullptr;
};

std::string database(const std::string& sql) {
    Writable made;
    made.run(sql);
    return made.bytes();
}

// In the neutral notation, or what is wrong.
std::string read(const std::string& bytes) {
    ObjectGraph graph;
    if (std::string why = read_sqlite(as_bytes(bytes), Limits(), graph); !why.empty()) {
        EXPECT_EQ(graph.node_count(), 0U);
        EXPECT_EQ(why.find('\n'), std::string::npos) << why;
        return "error: " + why;
    }
    Buffer out;
    write_neutral_json(graph, out);
    return std::string(as_text(out.view()));
}
std::string read_made(const std::string& sql) {
    return read(database(sql));
}
std::string row(int id, const std::string& type, const std::string& fields) {
    return R"({"t":"object","id":)" + std::to_string(id) + R"(,"type":")" + type +
           R"(","levels":[{"class":")" + type + R"(","fields":[)" + fields + "]}]}";
}
std::string document(const std::string& items) {
    return R"({"t":"list","id":0,"type":"java.util.ArrayList","items":[)" + items + "]}";
}

std::string sql_text(const graph::Value& value) {
    std::string out = "'";
    for (const char c : value.text->view())
        out += c == '\'' ? "''" : std::string(1, c);
    return out + "'";
}
std::string sql_number(const graph::Value& value) {
    return std::to_string(value.integer);
}

// The tables that an object mapper would keep the companies in.
std::string company_database(const ObjectGraph& company) {
    Writable made;
    made.run(R"(
        CREATE TABLE "lab.Town"(id INTEGER PRIMARY KEY, name TEXT, country TEXT,
                                population INTEGER);
        CREATE TABLE "lab.Company"(id INTEGER PRIMARY KEY, name TEXT,
                                   town INTEGER REFERENCES "lab.Town" ON DELETE RESTRICT);
        CREATE TABLE "lab.Employee"(id INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT,
            hired INTEGER, age INTEGER, salary INTEGER, manager BOOLEAN,
            company INTEGER REFERENCES "lab.Company"(id),
            town INTEGER REFERENCES "lab.Town"(id) ON DELETE RESTRICT);)");
    for (std::uint32_t id = 0; id < company.node_count(); ++id) {
        const graph::Node& node = company.node(id);
        if (node.kind != graph::NodeKind::object) continue;
        const graph::Value* const at = node.items;
        const std::string_view type = node.type->name->view();
        if (type == "lab.Town") {
            made.run("INSERT INTO \"lab.Town\" VALUES(" + sql_number(at[0]) + "," +
                     sql_text(at[3]) + "," + sql_text(at[2]) + "," + sql_number(at[1]) + ")");
        } else if (type == "lab.Company") {
            made.run("INSERT INTO \"lab.Company\" VALUES(" + sql_number(at[0]) + "," +
                     sql_text(at[2]) + "," + sql_number(at[3].node->items[0]) + ")");
        } else {
            made.run("INSERT INTO \"lab.Employee\" VALUES(" + sql_number(at[2]) + "," +
                     sql_text(at[6]) + "," + sql_text(at[7]) + "," + sql_number(at[1]) + "," +
                     sql_number(at[0]) + "," + sql_number(at[4]) + "," + sql_number(at[3]) + "," +
                     sql_number(at[5].node->items[0]) + "," + sql_number(at[8].node->items[0]) +
                     ")");
        }
    }
    return made.bytes();
}

TEST(SqliteObjects, TheCompaniesAreThoseThatJavaHeld) {
    ObjectGraph company;
    generate_company(k_company_seed, 1000, company);
    const std::string bytes = company_database(company);
    ObjectGraph graph;
    ASSERT_EQ(read_sqlite(as_bytes(bytes), Limits(), graph), "");
    EXPECT_EQ(difference(company, graph), std::nullopt);

    javaser::JavaserFormat java{Limits()};
    ObjectGraph own;
    ASSERT_TRUE(java.lower(graph, own));
    Buffer out;
    ASSERT_TRUE(java.encode(own, out));
    ObjectGraph again;
    ASSERT_TRUE(java.decode(out.view(), again));
    EXPECT_EQ(difference(company, again), std::nullopt);
}

TEST(SqliteObjects, Columns) {
    EXPECT_EQ(
        read_made("CREATE TABLE T(i INTEGER, w INT, d REAL, s TEXT, b BOOL, x BLOB, n INT, m);"
                  "INSERT INTO T VALUES(1, 5000000000, 2, 'é', 1, x'0a', NULL, 1);"
                  "INSERT INTO T VALUES(-1, 1, 0.5, NULL, 0, NULL, 7, 'z');"),
        document(
            row(1, "T",
                R"(["b",{"t":"bool","v":true}],["d",{"t":"double","bits":"4000000000000000","v":2.0}],)"
                R"(["i",{"t":"int","v":1}],["w",{"t":"long","v":"5000000000"}],)"
                R"(["m",{"t":"int","v":1}],["n",{"t":"null"}],["s",{"t":"string","v":"é"}],)"
                R"(["x",{"t":"bytes","id":2,"hex":"0a"}])") +
            "," +
            row(3, "T",
                R"(["b",{"t":"bool","v":false}],["d",{"t":"double","bits":"3fe0000000000000","v":0.5}],)"
                R"(["i",{"t":"int","v":-1}],["w",{"t":"long","v":"1"}],)"
                R"(["m",{"t":"string","v":"z"}],["n",{"t":"int","v":7}],["s",{"t":"null"}],)"
                R"(["x",{"t":"null"}])")));
}

// What Java would not hold as it is has to come through its own stream as well.
TEST(SqliteObjects, EveryKindOfColumnGoesIntoJavasStream) {
    const std::string bytes = database(
        "CREATE TABLE T(b BOOL, d REAL, i INT, l INT, o, s TEXT, x BLOB);"
        "INSERT INTO T VALUES(1, 1.5, 1, 5000000000, 2.5, 's', x'00');"
        "INSERT INTO T VALUES(NULL, NULL, NULL, NULL, NULL, NULL, NULL);"
        "INSERT INTO T VALUES(0, 1.5, 1, 1, 'o', '', x'');");
    ObjectGraph graph;
    ASSERT_EQ(read_sqlite(as_bytes(bytes), Limits(), graph), "");
    javaser::JavaserFormat java{Limits()};
    ObjectGraph own;
    const auto lowered = java.lower(graph, own);
    ASSERT_TRUE(lowered) << describe(lowered.error());
    Buffer out;
    ASSERT_TRUE(java.encode(own, out));
    ObjectGraph again;
    const auto done = java.decode(out.view(), again);
    ASSERT_TRUE(done) << describe(done.error());
    EXPECT_EQ(difference(own, again), std::nullopt);
}

TEST(SqliteObjects, KeysAndLists) {
    // The inverse is a list; the table that is in none is the document.
    EXPECT_EQ(
        read_made("CREATE TABLE Bus(id INTEGER PRIMARY KEY);"
                  "CREATE TABLE Seat(no INT, bus INT REFERENCES Bus);"
                  "INSERT INTO Bus VALUES(7); INSERT INTO Seat VALUES(1, 7), (2, NULL);"),
        document(row(1, "Bus",
                     R"(["id",{"t":"int","v":7}],["seats",{"t":"list","id":2,)"
                     R"("type":"java.util.ArrayList","items":[)" +
                         row(3, "Seat", R"(["no",{"t":"int","v":1}],["bus",{"t":"ref","id":1}])") +
                         "]}]") +
                 "," +
                 // Nothing leads to this one.
                 row(4, "Seat", R"(["no",{"t":"int","v":2}],["bus",{"t":"null"}])")));
    // A table of its own: all rows, and who refers to whom.
    EXPECT_EQ(read_made("CREATE TABLE Node(id TEXT PRIMARY KEY, up REFERENCES Node(id)) "
                        "WITHOUT ROWID; INSERT INTO Node VALUES('a', 'b'), ('b', NULL);"),
              document(row(1, "Node",
                           R"(["id",{"t":"string","v":"a"}],["nodes",{"t":"list","id":2,)"
                           R"("type":"java.util.ArrayList","items":[]}],["up",)" +
                               row(3, "Node",
                                   R"(["id",{"t":"string","v":"b"}],["nodes",{"t":"list","id":4,)"
                                   R"("type":"java.util.ArrayList","items":[{"t":"ref","id":1}]}],)"
                                   R"(["up",{"t":"null"}])") +
                               "]") +
                       R"(,{"t":"ref","id":3})"));
    // Two ways from one table to another, and a column that has the list's name.
    const std::string two = read_made(
        "CREATE TABLE City(id INTEGER PRIMARY KEY, lines_a INT);"
        "CREATE TABLE Line(a INT REFERENCES City, b INT REFERENCES City);"
        "INSERT INTO City VALUES(1, 0), (2, 0); INSERT INTO Line VALUES(1, 2);");
    EXPECT_NE(two.find(R"(["lines_a",{"t":"int","v":0}])"), std::string::npos) << two;
    EXPECT_NE(two.find(R"(["lines_a_",{"t":"list")"), std::string::npos) << two;
    EXPECT_NE(two.find(R"(["lines_b",{"t":"list")"), std::string::npos) << two;
    // A key of several columns stays what they are.
    EXPECT_NE(read_made("CREATE TABLE A(x INT, y INT, PRIMARY KEY(x, y));"
                        "CREATE TABLE B(x INT, y INT, FOREIGN KEY(x, y) REFERENCES A);"
                        "INSERT INTO A VALUES(1, 2); INSERT INTO B VALUES(1, 2);")
                  .find(R"("type":"B","levels":[{"class":"B","fields":[["x",{"t":"int","v":1}],)"),
              std::string::npos);
    for (const auto& [table, list] : {std::pair("Company", "companies"), std::pair("Day", "days"),
                                      std::pair("Box", "boxes"), std::pair("x.Match", "matches")}) {
        EXPECT_NE(read_made("CREATE TABLE P(id INTEGER PRIMARY KEY); CREATE TABLE \"" +
                            std::string(table) + "\"(p INT REFERENCES P); INSERT INTO P VALUES(1);")
                      .find("\"" + std::string(list) + "\""),
                  std::string::npos)
            << table;
    }
}

TEST(SqliteObjects, WhatIsWrong) {
    const auto expect = [](const std::string& sql, const char* what) {
        const std::string got = read_made(sql);
        EXPECT_TRUE(got.starts_with("error: ") && got.find(what) != std::string::npos) << got;
    };
    expect("CREATE TABLE A(b INT REFERENCES B)", "which is not there");
    expect("CREATE TABLE B(x INT); CREATE TABLE A(b INT REFERENCES B)", "refers to no column");
    expect(
        "CREATE TABLE B(x INTEGER PRIMARY KEY); CREATE TABLE A(b INT REFERENCES B);"
        "INSERT INTO A VALUES(5)",
        "row 1: \"b\" is \"5\", and no row of \"B\" has that key");
    expect("CREATE TABLE A(b TEXT); INSERT INTO A VALUES(CAST(x'ff' AS TEXT))", "not UTF-8");
    expect("PRAGMA user_version=1", "without tables");
    for (const std::string& bytes :
         {std::string(), std::string("SQLite format 3\0", 16), std::string(4096, '\0'),
          std::string("SQLite format 3\0", 16) + std::string(4080, '\xFF')}) {
        EXPECT_TRUE(read(bytes).starts_with("error: "));
    }
}

// No SQL out of the database runs: the view and the generated column would never end.
TEST(SqliteObjects, NothingInItRuns) {
    const std::string got = read_made(
        "CREATE TABLE T(a INT, g AS (length(zeroblob(900000000))), "
        "CHECK(a < length(zeroblob(900000000))));"
        "CREATE VIEW V AS WITH RECURSIVE r(x) AS (VALUES(1) UNION ALL SELECT x FROM r) "
        "SELECT * FROM r;"
        "CREATE VIRTUAL TABLE F USING fts5(x);"
        "INSERT INTO T(a) VALUES(1);");
    EXPECT_TRUE(got.starts_with(document("").substr(0, 40))) << got;
    EXPECT_NE(got.find(R"("type":"T","levels":[{"class":"T","fields":[["a",{"t":"int","v":1}]]}])"),
              std::string::npos)
        << got;
    EXPECT_EQ(got.find(R"("type":"V")"), std::string::npos);
}

// Any byte may be another: an error in one line, or some graph.
TEST(SqliteObjects, DamagedFiles) {
    ObjectGraph company;
    generate_company(k_company_seed, 60, company);
    const std::string whole = company_database(company);
    std::mt19937 random(1);
    std::size_t errors = 0;
    for (int i = 0; i < 400; ++i) {
        std::string damaged = whole;
        for (int k = 0; k <= i % 4; ++k)
            damaged[random() % (i % 2 == 0 ? 1000 : damaged.size())] = static_cast<char>(random());
        errors += read(damaged).starts_with("error: ") ? 1U : 0U;
    }
    EXPECT_GT(errors, 20U);
    for (std::size_t size = 0; size < whole.size(); size += 509)
        EXPECT_TRUE(read(whole.substr(0, size)).starts_with("error: ")) << size;
}

// A page that is its own child would be read for ever.
TEST(SqliteObjects, PagesThatLeadToThemselves) {
    Writable made;
    made.run("PRAGMA page_size=512; CREATE TABLE T(a INTEGER PRIMARY KEY, b TEXT);");
    for (int i = 0; i < 400; ++i)
        made.run("INSERT INTO T(b) VALUES('0123456789012345678901234567890123456789')");
    std::string bytes = made.bytes();
    // The table's root is page 2, an inner page: all its children become itself.
    constexpr std::size_t k_page = 512;
    ASSERT_EQ(bytes[k_page], 5);
    const auto cells = static_cast<std::size_t>(bytes[k_page + 4]);
    for (std::size_t i = 0; i < cells; ++i) {
        const auto high = static_cast<unsigned char>(bytes[k_page + 12 + 2 * i]);
        const auto low = static_cast<unsigned char>(bytes[k_page + 13 + 2 * i]);
        const std::size_t cell = k_page + high * std::size_t{256} + low;
        bytes.replace(cell, 4, std::string("\0\0\0\2", 4));
    }
    EXPECT_TRUE(read(bytes).starts_with("error: damaged"));
}

TEST(SqliteObjects, WriteAheadLogs) {
    std::string bytes = database("CREATE TABLE T(a INT); INSERT INTO T VALUES(1)");
    bytes[18] = bytes[19] = 2;
    EXPECT_FALSE(read(bytes).starts_with("error: "));

    const std::string path = testing::TempDir() + "with_log.db";
    const std::string log = path + "-wal";
    (void)std::remove(log.c_str());
    EXPECT_EQ(sqlite_company(path), "");
    std::ofstream(log) << "";
    EXPECT_EQ(sqlite_company(path), "");
    std::ofstream(log) << "something";
    EXPECT_NE(sqlite_company(path).find("-wal"), std::string::npos);
    EXPECT_EQ(std::remove(log.c_str()), 0);
}

}  // namespace
}  // namespace perfrelay::client
