#include "common/cli/version.h"

#include <openssl/crypto.h>

#include "common/cli/commit.h"  // generated

namespace perfrelay {

const char* build_commit() {
    return PERFRELAY_COMMIT;
}

std::string version_text(std::string_view program, std::string_view features) {
    std::string text = std::string(program) + " " PERFRELAY_VERSION "\n";
    text +=
        std::string("commit: ") + (*build_commit() != '\0' ? build_commit() : "not known") + "\n";
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
