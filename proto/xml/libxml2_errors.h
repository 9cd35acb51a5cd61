#pragma once
// What libxml2 says went wrong, as an Error.
// Tested by tests/unit/proto/xml/engines_test.cpp.

#include <libxml/xmlerror.h>

#include "common/base/result.h"

namespace perfrelay::xml {

// Code, rule, line, and the column libxml2 gives (in bytes or characters, as its state has it).
Error libxml2_error(const xmlError& error);

// Whether it must end the parse: a fatal one, or a namespace error. That a namespace name is no URI
// is neither.
bool ends_parse(const xmlError& error);

}  // namespace perfrelay::xml
