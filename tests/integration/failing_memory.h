#pragma once
// operator new that throws when a test wants it to. Linked into a test, it is that of the program.

#include <thread>

namespace perfrelay {

// The allocation of `thread` after the next `count` ones throws std::bad_alloc.
void fail_allocation(std::thread::id thread, int count);
// None does from now on. Whether one did.
bool end_of_failing();

}  // namespace perfrelay
