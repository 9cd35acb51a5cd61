#pragma once
// Metrics: what the relay does, for Prometheus, by HTTP on an address of its own (--metrics), which
// is no relay's port and needs no secret: keep it on an inner address.
//
// Contract: one thread's event loop. At most 16 scrapes at once, 5 s and 4 KiB of request each.
// Source: https://prometheus.io/docs/instrumenting/exposition_formats, text format 0.0.4.
// Tested by tests/integration/relay_service.py.

#include <functional>
#include <memory>
#include <string>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include "common/net/fd.h"
#include "proto/wire/frames.h"
#include "relay/places.h"

namespace perfrelay::relay {

struct MetricsAddress {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;
};

// The page. `connections`: those open now.
std::string metrics_text(Places& places, std::size_t connections, std::size_t threads);

class Metrics {
  public:
    // `listener` listens; `text` makes the page anew for each scrape.
    Metrics(asio::io_context& context, net::Fd listener, std::function<std::string()> text);
    Metrics(const Metrics&) = delete;
    Metrics& operator=(const Metrics&) = delete;
    ~Metrics();

    void start();
    void close();

  private:
    class Scrape;
    void accept();

    asio::ip::tcp::acceptor acceptor_;
    asio::steady_timer pause_;
    std::function<std::string()> text_;
    std::shared_ptr<int> scrapes_ = std::make_shared<int>(0);  // running
};

}  // namespace perfrelay::relay
