#pragma once
// load_xsd: XSDs and what they include and import, read by Xerces-C++, as Components of one schema.
//
// Nothing is fetched: locations are files beside the schema, or what the catalogue says of them;
// one that cannot be read is an error, for a grammar without it would be another. DTDs, external
// entities and entity bombs are refused. Contract: no exception leaves; serialised by a lock, for
// Xerces-C++ has state of its own. Tested by tests/unit/proto/exi/xsd_loader_test.cpp.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proto/exi/schema/components.h"

namespace perfrelay::exi {

// Files by location (schemaLocation as written, or absolute) or by namespace.
using XsdCatalogue = std::map<std::string, std::string>;

// Nothing, and `why` in one line: file, place, what is wrong.
std::optional<Components> load_xsd(const std::string& path, const XsdCatalogue& catalogue,
                                   std::string& why);
// Of several XSDs.
std::optional<Components> load_xsds(const std::vector<std::string>& paths,
                                    const XsdCatalogue& catalogue, std::string& why);

}  // namespace perfrelay::exi
