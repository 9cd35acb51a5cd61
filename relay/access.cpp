#include "relay/access.h"

#include <cerrno>
#include <fstream>
#include <optional>
#include <system_error>

namespace perfrelay::relay {
namespace {

std::optional<std::string> read_file(const std::string& path, std::string& why) {
    constexpr std::size_t k_longest = std::size_t{1} << 20U;
    std::ifstream file(path, std::ios::binary);
    std::string text(k_longest, '\0');
    if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.eof()) {
        why = path + ": " + (file ? "longer than 1 MiB" : std::generic_category().message(errno));
        return std::nullopt;
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

}  // namespace

std::shared_ptr<const Access> load_access(const AccessOptions& options, std::string& why) {
    auto access = std::make_shared<Access>();
    access->secret = read_secret(options.secret_file, why);
    if (!why.empty()) return nullptr;
    std::vector<std::string> lists = options.allow;
    if (!options.allow_file.empty()) {
        auto text = read_file(options.allow_file, why);
        if (!text) {
            why = "--allow-file " + why;
            return nullptr;
        }
        lists.push_back(std::move(*text));
    }
    for (const std::string& text : lists) {
        const auto list = net::AddressList::parse(text, why);
        if (!list) {
            why = "--allow: " + why;
            return nullptr;
        }
        access->allow.add(*list);
    }
    access->listed = !lists.empty();
    if (options.tls.any()) {
        access->tls = net::TlsContext::server(options.tls, why);
        if (access->tls == nullptr) return nullptr;
        access->certificates = !options.tls.authorities.empty();
    }
    return access;
}

}  // namespace perfrelay::relay
