#pragma once
// make_schema: components to grammars (EXI 8.5.4): proto-grammars, normalisation, event codes, and
// the second levels that undeclared productions make.
//
// Contract: `room` bounds states and productions together, and so memory and time, whatever the
// schema says of occurrences. Tested by tests/unit/proto/exi/schema_test.cpp.

#include <cstddef>
#include <memory>

#include "common/base/result.h"
#include "proto/exi/schema/components.h"
#include "proto/exi/schema/schema.h"

namespace perfrelay::exi {

inline constexpr std::size_t k_most_productions = 4'000'000;

Result<std::shared_ptr<const Schema>> make_schema(const Components& components,
                                                  std::size_t room = k_most_productions);

// The built-in types alone (schemaId "", EXI 5.4).
std::shared_ptr<const Schema> built_in_schema();

}  // namespace perfrelay::exi
