#include "common/cli/version.h"

#include <openssl/crypto.h>

namespace perfrelay {

std::string version_text(std::string_view program, std::string_view features) {
    std::string text = std::string(program) + " " PERFRELAY_VERSION "\n";
    text += "commit: " PERFRELAY_COMMIT "\n";
#if defined(__clang__)
    text += "compiler: clang " __clang_version__ "\n";
#else
    text += "compiler: gcc " __VERSION__ "\n";
#endif
#if defined(NDEBUG)
    text += "assertions: off\n";
#else
    text += "assertions: on (not a build to measure with)\n";
#endif
    text += "features: " + std::string(features) + "\n";
    return text + "library: " + OpenSSL_version(OPENSSL_VERSION) + "\n";
}

}  // namespace perfrelay
