#pragma once
// Types of fields and elements as a stream names them (J 6.4.2).
// Tested by the readers and writers that use it.

#include <cstddef>

namespace perfrelay::javaser {

inline bool is_primitive(char type) {
    return type != 'L' && type != '[';
}

// Bytes of a primitive in the stream; 0: no such type.
inline std::size_t width_of(char type) {
    switch (type) {
        case 'B':
        case 'Z': return 1;
        case 'C':
        case 'S': return 2;
        case 'F':
        case 'I': return 4;
        case 'D':
        case 'J': return 8;
        default: return 0;
    }
}

}  // namespace perfrelay::javaser
