// Stands in for perfrelay where only the hand-over is tested: tells every connection what it was
// started with, and ends when its life-line does. FAKE_RELAY in the environment chooses:
//   die       one line on standard error, exit status 2, at once
//   talk      a line on standard output as well, then as usual
//   stubborn  ignores life-line and SIGTERM

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

std::string variable(const char* name) {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
    return value != nullptr ? value : "";
}

bool accepts(int fd) {
    int on = 0;
    socklen_t size = sizeof(on);
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &size) == 0 && on == 1;
}

// Descriptors from 5 on that came along; there should be none.
int others_open() {
    int count = 0;
    for (int fd = 5; fd < 256; ++fd) {
        if (fcntl(fd, F_GETFD) >= 0) ++count;
    }
    return count;
}

std::string facts(int argc, char** argv) {
    struct sigaction pipe_action {};
    sigaction(SIGPIPE, nullptr, &pipe_action);
    int death_signal = 0;
    prctl(PR_GET_PDEATHSIG, &death_signal);
    std::ostringstream out;
    out << "listening=" << accepts(3) << '\n'
        << "others_open=" << others_open() << '\n'
        << "listen_fds=" << variable("LISTEN_FDS") << '\n'
        << "pid_right=" << (variable("LISTEN_PID") == std::to_string(getpid())) << '\n'
        << "own_group=" << (getpgrp() == getpid()) << '\n'
        << "death_signal=" << death_signal << '\n'
        << "sigpipe_default=" << (pipe_action.sa_handler == SIG_DFL) << '\n'
        << "notify_socket=" << variable("NOTIFY_SOCKET") << '\n'
        << "arguments=";
    for (int i = 1; i < argc; ++i)
        out << (i > 1 ? " " : "") << argv[i];
    out << '\n';
    return out.str();
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = variable("FAKE_RELAY");
    if (mode == "die") {
        std::cerr << "perfrelay: cannot do it today\nand more lines\n";
        return 2;
    }
    if (mode == "talk") std::cout << "said on output\n" << std::flush;
    if (mode == "stubborn") {
        std::signal(SIGTERM, SIG_IGN);
    }
    const std::string text = facts(argc, argv);
    if (argc < 3 || std::string_view(argv[1]) != "--lifeline-fd") {
        std::cout << text;  // started by exec in place of the client
        return 0;
    }
    const int lifeline = std::stoi(argv[2]);
    for (;;) {
        pollfd waiting[2] = {{3, POLLIN, 0}, {lifeline, POLLIN, 0}};
        if (poll(waiting, mode == "stubborn" ? 1 : 2, -1) < 0) return 1;
        if ((waiting[1].revents & (POLLHUP | POLLIN)) != 0) return 0;
        if ((waiting[0].revents & POLLIN) == 0) continue;
        const int connection = accept(3, nullptr, nullptr);
        if (connection < 0) continue;
        if (send(connection, text.data(), text.size(), MSG_NOSIGNAL) < 0) return 1;
        close(connection);
    }
}
