// Golden and malformed vectors of the object formats: each good one decodes to its JSON and is
// encoded to its bytes again, from the decoded graph and from the JSON; each malformed one gives an
// error. PERFRELAY_OBJECT_VECTORS names the whole set; the project's own copy runs always.

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include "proto/amf3/format.h"
#include "proto/hessian2/format.h"
#include "proto/javaser/format.h"
#include "proto/model/neutral_json.h"
#include "proto/model/object_difference.h"
#include "tests/support/files.h"
#include "tests/support/hex.h"

namespace perfrelay {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<Row> manifest(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> names;
    std::vector<Row> rows;
    for (std::string line; std::getline(file, line);) {
        std::istringstream cells(line);
        Row row;
        std::size_t column = 0;
        for (std::string cell; std::getline(cells, cell, '\t'); ++column) {
            if (rows.empty() && names.size() == column) {
                names.push_back(cell);
            } else if (column < names.size()) {
                row[names[column]] = cell;
            }
        }
        rows.push_back(row);
    }
    if (!rows.empty()) rows.erase(rows.begin());  // the heading
    return rows;
}

// One format behind what the three have in common.
struct Tried {
    std::string name;
    Result<> (*decode)(Bytes, ObjectGraph&);
    Result<> (*encode)(const ObjectGraph&, Buffer&);
};

template <class Format>
Tried tried(std::string name) {
    return {std::move(name),
            [](Bytes input, ObjectGraph& graph) { return Format(Limits()).decode(input, graph); },
            [](const ObjectGraph& graph, Buffer& out) -> Result<> {
                Format format{Limits()};
                if constexpr (requires { format.is_own(graph); }) {
                    if (format.is_own(graph)) return format.encode(graph, out);
                }
                ObjectGraph own;
                if (auto done = format.lower(graph, own); !done) return done;
                return format.encode(own, out);
            }};
}

const std::vector<Tried>& formats() {
    static const std::vector<Tried> k_formats{tried<amf3::Amf3Format>("amf3"),
                                              tried<hessian2::Hessian2Format>("hessian2"),
                                              tried<javaser::JavaserFormat>("jos")};
    return k_formats;
}

const Tried* format_of(const std::string& name) {
    for (const Tried& format : formats()) {
        if (format.name == name) return &format;
    }
    return nullptr;
}

// RapidJSON takes no lone surrogates: they are compared as other characters.
std::string comparable(std::string json) {
    const auto surrogate = [&](std::size_t at, const char* second) {
        return json.compare(at, 3, "\\ud") == 0 && at + 3 < json.size() &&
               std::string_view(second).find(json[at + 3]) != std::string_view::npos;
    };
    for (std::size_t at = json.find("\\ud"); at != std::string::npos;
         at = json.find("\\ud", at + 1)) {
        if (surrogate(at, "89ab") && surrogate(at + 6, "cdef")) {
            at += 6;
        } else if (surrogate(at, "89abcdef")) {
            json[at + 2] = '0';
        }
    }
    return json;
}

bool equal_json(const std::string& a, const std::string& b) {
    rapidjson::Document left;
    rapidjson::Document right;
    left.Parse<rapidjson::kParseFullPrecisionFlag>(comparable(a).c_str());
    right.Parse<rapidjson::kParseFullPrecisionFlag>(comparable(b).c_str());
    return !left.HasParseError() && !right.HasParseError() && left == right;
}

// What the JSON does not say (see the vectors' README): a decoder alone is judged by these.
bool json_says_all(const std::string& id) {
    for (const char* family : {"jos/", "hessian2/binary-chunk", "hessian2/list-variable",
                               "hessian2/class-many", "amf3/string-cesu8"}) {
        if (id.starts_with(family)) return false;
    }
    return true;
}

// The same for a decoded graph: forms that a writer may choose otherwise.
bool bytes_come_back(const std::string& id) {
    for (const char* family :
         {"hessian2/binary-chunk", "hessian2/list-variable", "amf3/string-cesu8"}) {
        if (id.starts_with(family)) return false;
    }
    return true;
}

void expect_encoded(const Tried& format, const ObjectGraph& graph, const std::string& bytes,
                    bool exactly, const std::string& what) {
    Buffer out;
    const auto done = format.encode(graph, out);
    ASSERT_TRUE(done) << what << ": " << describe(done.error());
    if (exactly) {
        EXPECT_EQ(to_hex(out.view()), to_hex(as_bytes(bytes))) << what;
        EXPECT_TRUE(as_text(out.view()) == bytes) << what;
    }
    ObjectGraph again;
    const auto read = format.decode(out.view(), again);
    ASSERT_TRUE(read) << what << ": " << describe(read.error());
    EXPECT_EQ(difference(graph, again), std::nullopt) << what;
}

// No cut of it is a document: the formats end where their value ends. Of several top-level items in
// a Java stream the first ones are one. Of texts that are long every 97th cut is tried.
void expect_no_cut_to_be_read(const Tried& format, const std::string& bytes,
                              const ObjectGraph& whole) {
    constexpr std::size_t k_all = 4000;
    const bool several =
        whole.root.is(graph::ValueKind::node) && whole.root.node->kind == graph::NodeKind::sequence;
    ObjectGraph cut;
    for (std::size_t size = 0; size < bytes.size();) {
        const auto done = format.decode(as_bytes(bytes).first(size), cut);
        EXPECT_TRUE(!done || several) << size << " bytes";
        const bool middle = size > k_all / 2 && size + k_all / 2 < bytes.size();
        size += middle ? 97 : 1;
    }
}

void run_good(const std::string& folder, const Row& row) {
    const std::string& id = row.at("id");
    SCOPED_TRACE(id);
    const Tried* const format = format_of(row.at("format"));
    ASSERT_NE(format, nullptr);
    const std::string bytes = file_text(folder + "/" + row.at("file"));
    const std::string json = file_text(folder + "/" + row.at("json"));
    ASSERT_EQ(std::to_string(bytes.size()), row.at("bytes"));

    ObjectGraph expected;
    const auto read = read_neutral_json(as_bytes(json), {}, expected);
    ASSERT_TRUE(read) << describe(read.error());
    ObjectGraph decoded;
    const auto done = format->decode(as_bytes(bytes), decoded);
    ASSERT_TRUE(done) << describe(done.error());
    EXPECT_EQ(difference(expected, decoded), std::nullopt);
    Buffer shown;
    write_neutral_json(decoded, shown);
    EXPECT_TRUE(equal_json(std::string(as_text(shown.view())), json)) << as_text(shown.view());

    expect_encoded(*format, decoded, bytes, bytes_come_back(id), "from the decoded graph");
    expect_encoded(*format, expected, bytes, json_says_all(id), "from the JSON");

    expect_no_cut_to_be_read(*format, bytes, decoded);
}

void run_bad(const std::string& folder, const Row& row) {
    SCOPED_TRACE(row.at("id"));
    const Tried* const format = format_of(row.at("format"));
    ASSERT_NE(format, nullptr);
    const std::string bytes = file_text(folder + "/" + row.at("file"));
    ASSERT_EQ(std::to_string(bytes.size()), row.at("bytes"));
    ObjectGraph graph;
    const auto done = format->decode(as_bytes(bytes), graph);
    if (row.at("expect") == "no-crash") return;
    ASSERT_FALSE(done);
    EXPECT_STRNE(done.error().where, "");
    EXPECT_EQ(graph.node_count(), 0U);
    // 5 bytes that claim 2^28 of anything: nothing is made room for.
    EXPECT_LT(graph.arena().capacity(), std::size_t{1} << 20U);
}

void run_all(const std::string& folder) {
    const std::vector<Row> good = manifest(folder + "/manifest.tsv");
    const std::vector<Row> bad = manifest(folder + "/manifest-bad.tsv");
    ASSERT_FALSE(good.empty());
    ASSERT_FALSE(bad.empty());
    for (const Row& row : good)
        run_good(folder, row);
    for (const Row& row : bad)
        run_bad(folder, row);
}

TEST(ObjectVectors, OwnCopy) {
    run_all("tests/data/objects");
}

TEST(ObjectVectors, WholeSet) {
    const char* const named = std::getenv("PERFRELAY_OBJECT_VECTORS");  // NOLINT
    const std::string folder = named != nullptr ? named : "../shared/vectors/objects";
    if (!std::ifstream(folder + "/manifest.tsv")) {
        GTEST_SKIP() << "no vectors at " << folder << " (PERFRELAY_OBJECT_VECTORS)";
    }
    run_all(folder);
}

}  // namespace
}  // namespace perfrelay
