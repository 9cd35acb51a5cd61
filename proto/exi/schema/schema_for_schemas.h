#pragma once
// XML Schema's own schema (XML Schema 1.0 part 1, A), whose target namespace Xerces-C++ takes for
// its own: there it finds the built-in types and nothing else. Such a file is read under a
// namespace that stands in for it, without the declarations of the types that are built in, and
// what was read is given its namespace again. Tested by tests/unit/proto/exi/xsd_loader_test.cpp.

#include <optional>
#include <string>

#include "proto/exi/schema/components.h"

namespace perfrelay::exi {

// The schema in the file at `path`, to be read in its place; nothing when it is no such schema.
std::optional<std::string> with_stand_in(const std::string& path);

// Names of the stand-in are those of XML Schema.
void give_back_namespace(Components& components);

}  // namespace perfrelay::exi
