#pragma once
// Class descriptions of the JDK, for graphs that did not come from a Java stream.
// Tested by tests/unit/proto/javaser/.

#include <cstdint>
#include <string_view>

namespace perfrelay::javaser {

struct KnownClass {
    std::string_view name;
    std::int64_t suid;
    std::uint8_t flags;
    std::string_view fields;  // "I=size [Ljava/lang/Object;=elementData", in the stream's order
    std::string_view super;   // empty: none that is serializable
};

const KnownClass* known_class(std::string_view name);

}  // namespace perfrelay::javaser
