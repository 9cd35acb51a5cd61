#include "common/cli/secret.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/net/fd.h"

namespace perfrelay {
namespace {

constexpr std::size_t k_shortest = 16;
constexpr std::size_t k_longest = 4096;

std::shared_ptr<const Secret> checked(const std::string& from, std::string_view text,
                                      std::string& why) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.size() < k_shortest || text.size() > k_longest) {
        why = "the secret in " + from + " has " + std::to_string(text.size()) + " bytes, not " +
              std::to_string(k_shortest) + " to " + std::to_string(k_longest) +
              "; make one: openssl rand -hex 32";
        return nullptr;
    }
    return std::make_shared<const Secret>(std::vector<std::uint8_t>(text.begin(), text.end()));
}

}  // namespace

Secret::~Secret() {
    explicit_bzero(bytes_.data(), bytes_.size());
}

std::shared_ptr<const Secret> read_secret(const std::string& file, std::string& why) {
    if (file.empty()) {
        const char* const text = std::getenv(k_secret_variable);  // NOLINT(concurrency-mt-unsafe)
        return text == nullptr ? nullptr : checked(std::string("$") + k_secret_variable, text, why);
    }
    const net::Fd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat facts {};
    if (!fd || fstat(fd.get(), &facts) != 0) {
        why = "cannot read the secret in " + file + ": " + std::generic_category().message(errno);
        return nullptr;
    }
    if ((facts.st_mode & (S_IROTH | S_IWOTH | S_IWGRP)) != 0) {
        why = "the secret in " + file + " is open to others; chmod 600 " + file;
        return nullptr;
    }
    std::array<char, k_longest + 3> text{};
    std::size_t size = 0;
    while (size < text.size()) {
        const ssize_t got = read(fd.get(), text.data() + size, text.size() - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            why =
                "cannot read the secret in " + file + ": " + std::generic_category().message(errno);
            return nullptr;
        }
        if (got == 0) break;
        size += static_cast<std::size_t>(got);
    }
    auto secret = checked(file, {text.data(), size}, why);
    explicit_bzero(text.data(), text.size());
    return secret;
}

}  // namespace perfrelay
