#include "common/net/resolve.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace perfrelay::net {
namespace {

constexpr std::size_t k_most = 32;  // endpoints; nobody tries more

// What a look-up found, as it goes through a pipe: smaller than PIPE_BUF, so it is there whole.
struct Found {
    int status = EAI_FAIL;
    int system = 0;
    std::size_t count = 0;
    struct Address {
        socklen_t size = 0;
        sockaddr_in6 bytes{};
    };
    std::array<Address, k_most> addresses{};
};
static_assert(sizeof(Found) < 4096);

int family_number(Family family) {
    switch (family) {
        case Family::any: return AF_UNSPEC;
        case Family::v4: return AF_INET;
        case Family::v6: return AF_INET6;
    }
    return AF_UNSPEC;
}

Found look_up(Lookup lookup, const Query& query, int flags) {
    addrinfo hints{};
    hints.ai_family = family_number(query.family);
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV | flags | (query.passive ? AI_PASSIVE : 0);
    addrinfo* list = nullptr;
    Found found;
    found.status = lookup(query.host.empty() ? nullptr : query.host.c_str(),
                          std::to_string(query.port).c_str(), &hints, &list);
    found.system = errno;
    if (found.status != 0) return found;
    for (const addrinfo* entry = list; entry != nullptr && found.count < k_most;
         entry = entry->ai_next) {
        Found::Address& address = found.addresses.at(found.count);
        if (entry->ai_addrlen > sizeof address.bytes) continue;
        std::memcpy(&address.bytes, entry->ai_addr, entry->ai_addrlen);
        address.size = entry->ai_addrlen;
        ++found.count;
    }
    freeaddrinfo(list);
    return found;
}

Result<std::vector<Endpoint>> endpoints_of(const Found& found) {
    if (found.status == EAI_SYSTEM) {
        return Error{.code = Errc::io, .where = "name resolution", .system = found.system};
    }
    if (found.status == EAI_AGAIN) {
        return Error{.code = Errc::timed_out, .where = "no name server answers"};
    }
    if (found.status == EAI_ADDRFAMILY) {
        return Error{.code = Errc::refused, .where = "no address of the family asked for"};
    }
    if (found.status != 0 || found.count == 0) {
        return Error{.code = Errc::refused, .where = "no such host"};
    }
    std::vector<Endpoint> endpoints(found.count);
    for (std::size_t i = 0; i < found.count; ++i) {
        const Found::Address& address = found.addresses.at(i);
        std::memcpy(&endpoints[i].address, &address.bytes, address.size);
        endpoints[i].size = address.size;
    }
    return endpoints;
}

// A process that looks up one name and ends with whoever asked it, at once if need be.
class Helper {
  public:
    Helper(Lookup lookup, const Query& query) {
        std::array<int, 2> ends{-1, -1};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
        answer_ = Fd(ends[0]);
        const Fd writing(ends[1]);
        const pid_t parent = getpid();
        pid_ = fork();
        if (pid_ != 0) return;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(0);
        const Found found = look_up(lookup, query, 0);
        (void)!write(writing.get(), &found, sizeof found);
        _exit(0);
    }
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;
    ~Helper() {
        if (pid_ <= 0) return;
        kill(pid_, SIGKILL);
        while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }

    bool running() const { return pid_ > 0; }
    int answer() const { return answer_.get(); }

  private:
    Fd answer_;
    pid_t pid_ = -1;
};

}  // namespace

Result<std::vector<Endpoint>> resolve(const Query& query, measure::Nanoseconds timeout,
                                      const std::atomic<int>* stop, Lookup lookup) {
    // Addresses need nobody's answer.
    Found found = look_up(lookup, query, AI_NUMERICHOST);
    if (found.status != EAI_NONAME) return endpoints_of(found);
    const Helper helper(lookup, query);
    if (!helper.running()) {
        return Error{.code = Errc::io, .where = "name resolution", .system = errno};
    }
    auto ready = wait(helper.answer(), POLLIN, measure::now() + timeout, stop);
    if (!ready && ready.error().code == Errc::timed_out) {
        return Error{.code = Errc::timed_out, .where = "the name servers do not answer in time"};
    }
    if (!ready) return ready.error();
    if (read(helper.answer(), &found, sizeof found) != static_cast<ssize_t>(sizeof found)) {
        return Error{.code = Errc::io, .where = "name resolution", .system = EIO};
    }
    return endpoints_of(found);
}

Result<std::vector<Endpoint>> resolve(const std::string& host, std::uint16_t port, Family family,
                                      bool passive) {
    return resolve({host, port, family, passive}, k_resolve_timeout);
}

}  // namespace perfrelay::net
