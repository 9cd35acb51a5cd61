// A small program in perfrelay's place (fake_relay.cpp) says what it was handed.
#include "client/local_relay.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace perfrelay::client {
namespace {

constexpr const char* k_fake_directory = PERFRELAY_FAKE_RELAY_DIRECTORY;

std::string fake() {
    return std::string(k_fake_directory) + "/perfrelay";
}

// FAKE_RELAY for the time of one object.
class FakeMode {
  public:
    explicit FakeMode(const char* mode) { ::setenv("FAKE_RELAY", mode, 1); }
    FakeMode(const FakeMode&) = delete;
    FakeMode& operator=(const FakeMode&) = delete;
    ~FakeMode() { ::unsetenv("FAKE_RELAY"); }
};

bool eventually(const std::function<bool()>& holds) {
    for (int i = 0; i < 2000; ++i) {
        if (holds()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// All that a connection to 127.0.0.1:port says; "refused" when nobody listens.
std::string ask(std::uint16_t port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(port);
    std::string said;
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        said = errno == ECONNREFUSED ? "refused" : std::strerror(errno);
    } else {
        std::array<char, 4096> buffer{};
        ssize_t got = 0;
        while ((got = ::recv(socket, buffer.data(), buffer.size(), 0)) > 0)
            said.append(buffer.data(), static_cast<std::size_t>(got));
    }
    ::close(socket);
    return said;
}

// A listener of the test's own; port 0 picks one.
class Listener {
  public:
    explicit Listener(int family) : fd_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in6 six{};
        six.sin6_family = AF_INET6;
        six.sin6_addr = in6addr_loopback;
        sockaddr_in four = loopback(0);
        const bool v4 = family == AF_INET;
        const auto* address =
            v4 ? reinterpret_cast<const sockaddr*>(&four) : reinterpret_cast<const sockaddr*>(&six);
        ok_ = fd_ >= 0 && ::bind(fd_, address, v4 ? sizeof(four) : sizeof(six)) == 0 &&
              ::listen(fd_, 4) == 0;
        socklen_t size = sizeof(six);
        ::getsockname(fd_, reinterpret_cast<sockaddr*>(&six), &size);
        port_ = ntohs(six.sin6_port);
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    ~Listener() { ::close(fd_); }
    bool ok() const { return ok_; }
    std::uint16_t port() const { return port_; }

  private:
    int fd_;
    bool ok_ = false;
    std::uint16_t port_ = 0;
};

std::set<int> open_descriptors() {
    std::set<int> open;
    for (int fd = 0; fd < 256; ++fd) {
        if (::fcntl(fd, F_GETFD) >= 0) open.insert(fd);
    }
    return open;
}

bool process_exists(pid_t pid) {
    return ::kill(pid, 0) == 0;
}

TEST(local_relay, hands_over_a_listening_socket) {
    std::string why;
    ::setenv("NOTIFY_SOCKET", "/nowhere", 1);
    ::setenv("LISTEN_FDS", "7", 1);
    const auto old_pipe = std::signal(SIGPIPE, SIG_IGN);
    const auto relay = LocalRelay::start(fake(), 0, why);
    std::signal(SIGPIPE, old_pipe);
    ::unsetenv("NOTIFY_SOCKET");
    ::unsetenv("LISTEN_FDS");
    ASSERT_NE(relay, nullptr) << why;
    EXPECT_TRUE(relay->started());
    EXPECT_EQ(relay->address().host, "127.0.0.1");
    EXPECT_NE(relay->address().port, 0);
    EXPECT_EQ(ask(relay->address().port),
              "listening=1\n"
              "others_open=0\n"
              "listen_fds=1\n"
              "pid_right=1\n"
              "own_group=1\n"
              "death_signal=9\n"
              "sigpipe_default=1\n"
              "notify_socket=\n"
              "arguments=--lifeline-fd 4\n");
    EXPECT_FALSE(relay->why_dead());
}

TEST(local_relay, works_when_the_low_descriptors_are_free_and_when_they_are_taken) {
    // What the client opened last may sit exactly where the relay wants its own.
    const auto before = open_descriptors();
    for (int taken = 0; taken < 4; ++taken) {
        std::vector<int> holders;
        for (int i = 0; i < taken; ++i)
            holders.push_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        std::string why;
        const auto relay = LocalRelay::start(fake(), 0, why);
        ASSERT_NE(relay, nullptr) << why;
        EXPECT_NE(ask(relay->address().port).find("listening=1\nothers_open=0\n"),
                  std::string::npos);
        for (const int fd : holders)
            ::close(fd);
    }
    EXPECT_EQ(open_descriptors(), before) << "descriptors leak";
}

TEST(local_relay, ends_with_the_object) {
    std::string why;
    auto relay = LocalRelay::start(fake(), 0, why);
    ASSERT_NE(relay, nullptr) << why;
    const pid_t pid = relay->pid();
    const std::uint16_t port = relay->address().port;
    ASSERT_TRUE(process_exists(pid));
    relay.reset();
    EXPECT_FALSE(process_exists(pid)) << "not ended, or not reaped";
    EXPECT_EQ(ask(port), "refused");
}

TEST(local_relay, ends_even_a_relay_that_will_not) {
    const FakeMode mode("stubborn");
    std::string why;
    auto relay = LocalRelay::start(fake(), 0, why);
    ASSERT_NE(relay, nullptr) << why;
    EXPECT_NE(ask(relay->address().port), "refused");  // it runs, and so ignores SIGTERM by now
    const pid_t pid = relay->pid();
    relay.reset();
    EXPECT_FALSE(process_exists(pid));
}

TEST(local_relay, tells_why_the_relay_died_at_once) {
    const FakeMode mode("die");
    std::string why;
    const auto relay = LocalRelay::start(fake(), 0, why);
    ASSERT_NE(relay, nullptr) << why;
    ASSERT_TRUE(eventually([&relay] { return relay->why_dead().has_value(); }));
    EXPECT_EQ(relay->why_dead(), "perfrelay ended with status 2: perfrelay: cannot do it today");
    EXPECT_EQ(ask(relay->address().port), "refused") << "its socket is still open somewhere";
}

TEST(local_relay, tells_when_the_relay_was_killed) {
    std::string why;
    const auto relay = LocalRelay::start(fake(), 0, why);
    ASSERT_NE(relay, nullptr) << why;
    ASSERT_EQ(::kill(relay->pid(), SIGKILL), 0);
    ASSERT_TRUE(eventually([&relay] { return relay->why_dead().has_value(); }));
    EXPECT_EQ(relay->why_dead(), "perfrelay ended by signal 9");
}

TEST(local_relay, keeps_what_the_relay_says) {
    const FakeMode mode("talk");
    std::string why;
    const auto relay = LocalRelay::start(fake(), 0, why);
    ASSERT_NE(relay, nullptr) << why;
    EXPECT_TRUE(eventually([&relay] { return relay->log() == "said on output\n"; }));
}

TEST(local_relay, the_real_relay_takes_the_hand_over_and_ends_with_it) {
    std::string why;
    auto relay = LocalRelay::start(PERFRELAY_REAL_RELAY, 0, why);
    ASSERT_NE(relay, nullptr) << why;
    {
        const auto connection = RelayConnection::open(relay->address(), ConnectOptions{}, why);
        ASSERT_TRUE(connection) << why << relay->log();
        Buffer answer;
        ASSERT_TRUE((*connection)->echo(as_bytes("there and back"), answer));
        EXPECT_EQ(as_text(answer.view()), "there and back");
    }
    const pid_t pid = relay->pid();
    EXPECT_FALSE(relay->why_dead());
    relay.reset();
    EXPECT_FALSE(process_exists(pid));
}

TEST(local_relay, starts_on_the_port_asked_for_and_again_on_the_same) {
    std::string why;
    std::uint16_t port = 0;
    {
        const Listener free_one(AF_INET);
        port = free_one.port();
    }
    // The second start meets the first one's connections in TIME_WAIT.
    for (int i = 0; i < 3; ++i) {
        const auto relay = LocalRelay::start(fake(), port, why);
        ASSERT_NE(relay, nullptr) << why;
        EXPECT_TRUE(relay->started());
        EXPECT_EQ(relay->address().port, port);
        EXPECT_NE(ask(port).find("listening=1"), std::string::npos);
    }
}

TEST(local_relay, uses_what_listens_already) {
    for (const int family : {AF_INET, AF_INET6}) {
        const Listener other(family);
        if (!other.ok()) continue;  // no IPv6 here; IPv4 is always tested
        std::string why;
        const auto relay = LocalRelay::start(fake(), other.port(), why);
        ASSERT_NE(relay, nullptr) << why;
        EXPECT_FALSE(relay->started());
        EXPECT_EQ(relay->pid(), 0);
        // A relay on ::1 alone was neither used nor started: localhost may mean 127.0.0.1 alone.
        EXPECT_EQ(relay->address().host, family == AF_INET ? "127.0.0.1" : "::1");
        EXPECT_EQ(relay->address().port, other.port());
        EXPECT_FALSE(relay->why_dead());
        EXPECT_EQ(relay->log(), "");
    }
}

TEST(local_relay, of_many_that_want_one_port_at_the_same_time_exactly_one_starts) {
    std::uint16_t port = 0;
    {
        const Listener free_one(AF_INET);
        port = free_one.port();
    }
    constexpr int k_clients = 8;
    std::array<int, 2> report{};
    ASSERT_EQ(::pipe2(report.data(), O_CLOEXEC), 0);
    std::array<int, 2> release{};
    ASSERT_EQ(::pipe2(release.data(), O_CLOEXEC), 0);
    std::vector<pid_t> clients;
    for (int i = 0; i < k_clients; ++i) {
        const pid_t pid = ::fork();
        ASSERT_GE(pid, 0);
        if (pid == 0) {
            std::string why;
            const auto relay = LocalRelay::start(fake(), port, why);
            // U: used, and it answers. S: started. F: failed.
            char told = relay == nullptr ? 'F' : 'S';
            if (relay != nullptr && !relay->started()) {
                told = ask(port).find("listening=1") != std::string::npos ? 'U' : 'F';
            }
            char go = 0;
            // All stay until all have told.
            const bool fine = ::write(report[1], &told, 1) == 1;
            ::close(release[1]);
            (void)!::read(release[0], &go, 1);
            if (relay != nullptr && relay->started()) ::kill(relay->pid(), SIGKILL);
            ::_exit(fine ? 0 : 1);
        }
        clients.push_back(pid);
    }
    std::string told;
    for (int i = 0; i < k_clients; ++i) {
        char one = 0;
        ASSERT_EQ(::read(report[0], &one, 1), 1);
        told += one;
    }
    for (const int fd : {release[0], release[1], report[0], report[1]})
        ::close(fd);
    for (const pid_t pid : clients)
        ::waitpid(pid, nullptr, 0);
    std::sort(told.begin(), told.end());
    EXPECT_EQ(told, "SUUUUUUU");
}

TEST(local_relay, says_which_port_it_may_not_have) {
    const bool root = ::geteuid() == 0;
    if (root && ::seteuid(65534) != 0) GTEST_SKIP() << "root, and cannot be anybody else";
    std::string why;
    const auto relay = LocalRelay::start(fake(), 1, why);
    if (root) {
        ASSERT_EQ(::seteuid(0), 0);
    }
    if (relay != nullptr) GTEST_SKIP() << "here everybody may listen on port 1";
    EXPECT_EQ(why, "cannot listen on localhost:1: Permission denied");
}

// The relay that one client had started died with it, under the hands of the others.
TEST(local_relay, on_a_port_that_others_know_it_ends_with_their_last_session) {
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    std::uint16_t port = 0;
    {
        const Listener free_one(AF_INET);
        port = free_one.port();
    }
    std::string why;
    auto owner = LocalRelay::start(PERFRELAY_REAL_RELAY, port, why);
    ASSERT_NE(owner, nullptr) << why;
    const auto other = LocalRelay::start(PERFRELAY_REAL_RELAY, port, why);
    ASSERT_NE(other, nullptr) << why;
    EXPECT_FALSE(other->started());
    auto session = RelayConnection::open(other->address(), ConnectOptions{}, why);
    ASSERT_TRUE(session) << why;
    const pid_t pid = owner->pid();
    owner.reset();
    EXPECT_TRUE(process_exists(pid));
    EXPECT_EQ(ask(port), "refused") << "it takes new sessions";
    Buffer answer;
    EXPECT_TRUE((*session)->echo(as_bytes("still there"), answer)) << (*session)->last_error();
    {
        const auto next = LocalRelay::start(PERFRELAY_REAL_RELAY, port, why);
        ASSERT_NE(next, nullptr) << why;
        EXPECT_TRUE(next->started()) << "the port is free for another";
    }
    session->reset();
    EXPECT_TRUE(eventually([pid] { return ::waitpid(pid, nullptr, WNOHANG) == pid; }));
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(local_relay, is_gone_after_kill_9_of_the_client) {
    // Orphans come to this process, which can then see them end.
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    for (const char* mode_name : {"", "stubborn"}) {
        const FakeMode mode(mode_name);
        std::array<int, 2> ends{};
        ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        const pid_t client = ::fork();
        ASSERT_GE(client, 0);
        if (client == 0) {
            std::string why;
            const auto relay = LocalRelay::start(fake(), 0, why);
            const pid_t pid = relay != nullptr ? relay->pid() : 0;
            (void)!::write(ends[1], &pid, sizeof(pid));
            for (;;)
                ::pause();
        }
        pid_t relay = 0;
        ASSERT_EQ(::read(ends[0], &relay, sizeof(relay)), static_cast<ssize_t>(sizeof(relay)));
        ASSERT_GT(relay, 0);
        ASSERT_TRUE(process_exists(relay));
        ASSERT_EQ(::kill(client, SIGKILL), 0);
        ASSERT_EQ(::waitpid(client, nullptr, 0), client);
        EXPECT_TRUE(eventually([relay] { return ::waitpid(relay, nullptr, WNOHANG) == relay; }))
            << "the relay outlives its client";
        ::close(ends[0]);
        ::close(ends[1]);
    }
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(local_relay, is_found_beside_the_client_first_then_in_path) {
    std::string pattern = testing::TempDir() + "perfrelay_find_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    const std::string other = pattern + "/other";
    std::filesystem::create_directories(other);
    std::filesystem::copy_file(fake(), other + "/perfrelay");
    std::string why;
    EXPECT_EQ(find_perfrelay(k_fake_directory, other, why), fake());
    EXPECT_EQ(find_perfrelay(pattern, "/nowhere::" + other, why), other + "/perfrelay");
    EXPECT_EQ(find_perfrelay(pattern, "/nowhere", why), "");
    EXPECT_EQ(why,
              "no perfrelay program in " + pattern + " and PATH; install it beside perfclient");
    // A directory of that name is no program, nor is a file that may not be executed.
    std::filesystem::create_directories(pattern + "/perfrelay");
    EXPECT_EQ(find_perfrelay(pattern, "", why), "");
    std::filesystem::remove(pattern + "/perfrelay");
    std::ofstream(pattern + "/perfrelay") << "text";
    EXPECT_EQ(find_perfrelay(pattern, other, why), other + "/perfrelay");
    // Without a directory it is that of the running program.
    EXPECT_EQ(find_perfrelay("", "", why).find("/proc"), std::string::npos);
    std::filesystem::remove_all(pattern);
}

TEST(local_relay, says_what_cannot_be_started) {
    const std::string text = testing::TempDir() + "perfrelay_not_a_program";
    std::ofstream(text) << "this is no program\n";
    ::chmod(text.c_str(), 0755);
    std::string why;
    EXPECT_EQ(LocalRelay::start(text, 0, why), nullptr);
    EXPECT_EQ(why, "cannot start " + text + ": Exec format error");
    EXPECT_EQ(LocalRelay::start("/nowhere/perfrelay", 0, why), nullptr);
    EXPECT_EQ(why, "cannot start /nowhere/perfrelay: No such file or directory");
    EXPECT_EQ(become_relay("/nowhere/perfrelay", {"8000"}),
              "cannot start /nowhere/perfrelay: No such file or directory");
    ::unlink(text.c_str());
}

TEST(local_relay, netrelay_becomes_the_relay_with_its_words) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::dup2(ends[1], STDOUT_FILENO);
        (void)become_relay(fake(), {"8000", "-v", "--bind", "::1"});
        ::_exit(99);
    }
    ::close(ends[1]);
    std::string said;
    std::array<char, 4096> buffer{};
    ssize_t got = 0;
    while ((got = ::read(ends[0], buffer.data(), buffer.size())) > 0)
        said.append(buffer.data(), static_cast<std::size_t>(got));
    ::close(ends[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_NE(said.find("arguments=8000 -v --bind ::1\n"), std::string::npos) << said;
}

}  // namespace
}  // namespace perfrelay::client
