#include "client/signals.h"

#include <csignal>

namespace perfrelay::client {
namespace {

// A handler can reach nothing but what has a fixed place.
std::atomic<int> stop_count{0};
static_assert(std::atomic<int>::is_always_lock_free);

void restore_default() {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

void on_stop(int) {
    // Both signals are blocked here, so that the count cannot pass 2.
    if (stop_count.fetch_add(1) == 1) restore_default();
}

}  // namespace

const std::atomic<int>& install_signals() {
    struct sigaction action {};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    action.sa_handler = on_stop;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, nullptr);
    return stop_count;
}

}  // namespace perfrelay::client
