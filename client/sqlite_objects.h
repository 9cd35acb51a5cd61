#pragma once
// A SQLite database as objects: what an object mapper would load from it.
//
//   table                  a class of that name; views, virtual tables and SQLite's own are left
//   out row                    an object of it, in the table's order (rowid, or primary key) column
//   a field. int, long or double when every value is one (long when one is
//                          beyond 32 bits), boolean when the column is declared so and holds 0 and
//                          1, byte[] of blobs, else String; with NULLs Integer, Long .., and Object
//                          when its values are of several kinds
//   foreign key            the field is a reference to the row, which all that refer to it share.
//                          A key of several columns stays what its columns are
//   its inverse            in the row referred to, a list of the rows that refer to it, named by
//                          their table: Employee is "employees", Company "companies". When two keys
//                          lead from one table to another "employees_" and the column. There is no
//                          list when the key says ON DELETE RESTRICT or SET NULL: such a row is
//                          looked up, and others are not part of it
//   document               a list of the rows of all tables that are in no list and that no key
//                          without a list leads to; of all, when that is none. Then the rows that
//                          nothing has led to
//
// Values are what Java would hold (java_maker.h). Contract: the database is read out of memory, so
// nothing is locked, recovered or changed. It may be hostile: its pages are checked first, no SQL
// out of it runs (views, triggers, generated columns, checks), work and memory are bounded by its
// size. Source: SQLite file format 3; sqlite.org/security.html.
// Tested by tests/unit/client/sqlite_objects_test.cpp.

#include <string>

#include "common/base/bytes.h"
#include "common/base/limits.h"
#include "proto/model/object_graph.h"

namespace perfrelay::client {

// "" or what is wrong with the database, in one line without its name. Clears `graph`.
std::string read_sqlite(Bytes database, const Limits& limits, ObjectGraph& graph);

// What lies beside the file and belongs to it, so that the file alone is not the database: a
// write-ahead log or a journal with something in it. "" or what to do.
std::string sqlite_company(const std::string& path);

}  // namespace perfrelay::client
