#include "client/output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace perfrelay::client {
namespace {

constexpr const char* k_interrupted = "interrupted";

std::string error_text() {
    return std::generic_category().message(errno);
}

std::string write_all(int fd, Bytes content, const std::atomic<int>& stop) {
    // Pieces, so that Ctrl-C is heard between them.
    constexpr std::size_t k_piece = std::size_t{16} << 20U;
    while (!content.empty()) {
        if (stop != 0) return k_interrupted;
        const ssize_t sent = ::write(fd, content.data(), std::min(content.size(), k_piece));
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return "cannot be written: " + error_text();
        content = content.subspan(static_cast<std::size_t>(sent));
    }
    return "";
}

// Where `path` leads, if there is anything.
std::string behind_links(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                           &std::free);
    return real != nullptr ? std::string(real.get()) : path;
}

class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string& place) {
        // The process id keeps two conversions apart, the counter a file that somebody left.
        for (int i = 0; i < 100 && fd_ < 0; ++i) {
            name_ = place + "." + std::to_string(::getpid()) + "-" + std::to_string(i) + ".part";
            fd_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (fd_ < 0 && errno != EEXIST) break;
        }
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() {
        if (fd_ < 0) return;
        ::close(fd_);
        if (!in_place_) ::unlink(name_.c_str());
    }
    int fd() const { return fd_; }
    bool put(const std::string& place) {
        in_place_ = ::rename(name_.c_str(), place.c_str()) == 0;
        return in_place_;
    }

  private:
    std::string name_;
    int fd_ = -1;
    bool in_place_ = false;
};

std::string replace_file(const std::string& place, const struct stat* old, Bytes content,
                         const std::atomic<int>& stop) {
    TemporaryFile file(place);
    if (file.fd() < 0) return "cannot be written: " + error_text();
    if (old != nullptr && ::fchmod(file.fd(), old->st_mode & 07777U) != 0) {
        return "cannot be written: " + error_text();
    }
    if (std::string why = write_all(file.fd(), content, stop); !why.empty()) return why;
    if (stop != 0) return k_interrupted;
    return file.put(place) ? "" : "cannot be written: " + error_text();
}

}  // namespace

std::string write_output(const std::string& path, Bytes content, const std::atomic<int>& stop) {
    if (stop != 0) return k_interrupted;
    if (path == "-") return write_all(STDOUT_FILENO, content, stop);
    const std::string place = behind_links(path);
    struct stat facts {};
    if (::stat(place.c_str(), &facts) != 0) return replace_file(place, nullptr, content, stop);
    if (S_ISDIR(facts.st_mode)) return "a directory";
    if (S_ISREG(facts.st_mode)) return replace_file(place, &facts, content, stop);
    const int fd = ::open(place.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return "cannot be written: " + error_text();
    std::string why = write_all(fd, content, stop);
    ::close(fd);
    return why;
}

}  // namespace perfrelay::client
