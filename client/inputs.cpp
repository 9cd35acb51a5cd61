#include "client/inputs.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/units.h"

namespace perfrelay::client {
namespace {

// A descriptor that is closed at the end, unless it is standard input.
class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ > STDIN_FILENO) ::close(fd_);
    }
    int get() const { return fd_; }

  private:
    int fd_;
};

std::string error_text(int error) {
    return std::generic_category().message(error);
}

std::string too_large(const Limits& limits) {
    return "larger than " + format_bytes(limits.max_document) +
           "; --max-document SIZE raises the limit";
}

// Why this kind of file is not read; "" if it is.
std::string unsuitable(const struct stat& facts, bool standard_input) {
    if (S_ISDIR(facts.st_mode)) return "a directory, and no documents in it are read here";
    if (S_ISBLK(facts.st_mode) || (S_ISCHR(facts.st_mode) && !standard_input)) {
        return "a device, not a file";
    }
    if (S_ISSOCK(facts.st_mode) && !standard_input) return "a socket, not a file";
    return "";
}

// All that `fd` yields, into `out`; "" or why not.
std::string read_all(int fd, std::size_t expected, const Limits& limits,
                     const std::atomic<int>* stop, Buffer& out) {
    constexpr std::size_t k_chunk = std::size_t{64} << 10U;
    // One byte more than expected: it shows that the end has come, or that the file grows.
    std::size_t want = std::max(expected + 1, k_chunk);
    for (;;) {
        const ssize_t got = ::read(fd, out.prepare(want), want);
        if (got < 0 && errno == EINTR) {
            if (stop != nullptr && stop->load() != 0) return "interrupted";
            continue;
        }
        if (got < 0) return "cannot be read: " + error_text(errno);
        if (got == 0) return "";
        out.commit(static_cast<std::size_t>(got));
        if (out.size() > limits.max_document) return too_large(limits);
        want = std::max(out.capacity() - out.size(), k_chunk);
    }
}

std::string read_file(const std::string& path, const Limits& limits, const std::atomic<int>* stop,
                      Buffer& out) {
    const bool standard_input = path == "-";
    // O_NONBLOCK would keep a pipe nobody writes to from waiting, and it should wait.
    const Descriptor file(standard_input ? STDIN_FILENO
                                         : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (file.get() < 0) {
        return errno == EINTR ? "interrupted" : "cannot be opened: " + error_text(errno);
    }
    struct stat facts {};
    if (::fstat(file.get(), &facts) != 0) return "cannot be read: " + error_text(errno);
    if (std::string why = unsuitable(facts, standard_input); !why.empty()) return why;
    std::size_t expected = 0;
    if (S_ISREG(facts.st_mode)) {
        expected = static_cast<std::size_t>(facts.st_size);
        if (expected > limits.max_document) return too_large(limits);
    }
    if (std::string why = read_all(file.get(), expected, limits, stop, out); !why.empty()) {
        return why;
    }
    return out.empty() ? "empty" : "";
}

}  // namespace

std::optional<Document> read_input(const std::string& path, const Limits& limits,
                                   const std::atomic<int>* stop, std::string& why) {
    Document document;
    document.name = path;
    why = read_file(path, limits, stop, document.source);
    if (!why.empty()) {
        why = (path == "-" ? "standard input" : path) + ": " + why;
        return std::nullopt;
    }
    return std::optional<Document>(std::move(document));
}

}  // namespace perfrelay::client
