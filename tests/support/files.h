#pragma once
// Files for tests, from the folder of the sources: ctest runs every test there.

#include <fstream>
#include <iterator>
#include <string>

namespace perfrelay {

// "" when it cannot be read.
inline std::string file_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace perfrelay
