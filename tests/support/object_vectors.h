#pragma once
// Graphs for tests: of neutral JSON (proto/model/neutral_json.h), and the vectors of
// tests/data/objects, whose README says what its manifest's columns mean.

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proto/codec/document.h"
#include "proto/model/neutral_json.h"

namespace perfrelay {

// What `json` says; it must be well-formed.
inline ObjectGraph graph_of(const std::string& json) {
    ObjectGraph graph;
    const auto done = read_neutral_json(as_bytes(json), {}, graph);
    EXPECT_TRUE(done) << json.substr(0, 200) << ": " << describe(done.error());
    return graph;
}

inline Document document_of_objects(const std::string& json) {
    Document document;
    document.objects = std::make_unique<ObjectGraph>(graph_of(json));
    return document;
}

// Paths of the JSON of every good vector.
inline std::vector<std::string> object_vector_files() {
    const std::string folder = "tests/data/objects/";
    std::ifstream manifest(folder + "manifest.tsv");
    std::vector<std::string> files;
    std::string line;
    std::getline(manifest, line);
    while (std::getline(manifest, line)) {
        std::size_t at = 0;
        for (int column = 0; column < 3; ++column)
            at = line.find('\t', at) + 1;
        files.push_back(folder + line.substr(at, line.find('\t', at) - at));
    }
    EXPECT_GT(files.size(), 100U);
    return files;
}

}  // namespace perfrelay
