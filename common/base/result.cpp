#include "common/base/result.h"

#include <system_error>

namespace perfrelay {

std::string describe(const Error& error) {
    std::string text;
    if (error.line != 0) {
        text = "line " + std::to_string(error.line);
        if (error.column != 0) text += ", column " + std::to_string(error.column);
        text += ": ";
    } else if (error.offset != 0) {
        text = "byte " + std::to_string(error.offset) + ": ";
    }
    text += error.where;
    if (error.system != 0) {
        if (*error.where != '\0') text += ": ";
        text += std::generic_category().message(error.system);
    }
    return text;
}

}  // namespace perfrelay
