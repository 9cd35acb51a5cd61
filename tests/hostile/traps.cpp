#include "tests/hostile/traps.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

namespace perfrelay::hostile {

Traps::Traps() {
    std::string name = std::filesystem::temp_directory_path() / "hostile-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
    file_ = folder_ + "/secret";
    std::ofstream(file_) << "<!ENTITY y 'the secret'>";
    watch_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (inotify_add_watch(watch_, folder_.c_str(), IN_OPEN | IN_ACCESS) < 0) {
        throw std::runtime_error("no watch on a folder");
    }
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener_, generic, size) != 0 || listen(listener_, 8) != 0 ||
        getsockname(listener_, generic, &size) != 0) {
        throw std::runtime_error("no listening socket");
    }
    port_ = ntohs(address.sin_port);
}

Traps::~Traps() {
    close(watch_);
    close(listener_);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string Traps::sprung() {
    std::array<char, 4096> events{};
    if (read(watch_, events.data(), events.size()) > 0) return "the file was opened";
    const int peer = accept(listener_, nullptr, nullptr);
    if (peer < 0) return "";
    close(peer);
    return "the port was connected to";
}

}  // namespace perfrelay::hostile
