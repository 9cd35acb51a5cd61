#pragma once
// operator new that counts. Linked into a program, it is that of the program; C libraries' own
// allocations (zlib's windows) are not in it.

#include <cstddef>

namespace perfrelay {

// From here on `peak_memory` says the most that was held at once beyond what is held now.
void mark_memory();
std::size_t peak_memory();

}  // namespace perfrelay
