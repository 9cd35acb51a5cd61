#include "relay/metrics.h"

#include <array>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/write.hpp>

#include "common/net/tcp.h"

namespace perfrelay::relay {
namespace {

constexpr int k_scrapes = 16;
constexpr std::size_t k_request = 4096;  // bytes
constexpr std::chrono::seconds k_patience{5};

class Page {
  public:
    void metric(std::string_view name, std::string_view type, std::string_view help) {
        text_ += "# HELP perfrelay_" + std::string(name) + " " + std::string(help) + "\n";
        text_ += "# TYPE perfrelay_" + std::string(name) + " " + std::string(type) + "\n";
    }
    void value(std::string_view name, std::uint64_t value, std::string_view labels = "") {
        text_ += "perfrelay_" + std::string(name) + std::string(labels) + " " +
                 std::to_string(value) + "\n";
    }
    void single(std::string_view name, std::string_view type, std::string_view help,
                std::uint64_t number) {
        metric(name, type, help);
        value(name, number);
    }
    std::string take() { return std::move(text_); }

  private:
    std::string text_;
};

}  // namespace

std::string metrics_text(Places& places, std::size_t connections, std::size_t threads) {
    const wire::Status status = places.status();
    const Places::Refusals& refusals = places.refusals();
    const Tally done = places.tally();
    Page page;
    page.metric("build_info", "gauge", "1, labelled with the version.");
    page.value("build_info", 1, "{version=\"" PERFRELAY_VERSION "\"}");
    page.single("uptime_seconds", "gauge", "Since the start.", status.uptime_ms / 1000);
    page.single("threads", "gauge", "Threads that serve.", threads);
    page.single("connections", "gauge", "Connections open, sessions or not.", connections);
    page.single("sessions", "gauge", "Sessions running.", status.sessions);
    page.single("sessions_max", "gauge", "Places for sessions.", status.max_sessions);
    page.single("sessions_total", "counter", "Sessions begun.", status.sessions_served);
    page.single("strangers_total", "counter", "Connections that ended without a session.",
                status.strangers);
    page.metric("refused_total", "counter", "Connections that were refused, by reason.");
    page.value("refused_total", refusals.busy, "{reason=\"busy\"}");
    page.value("refused_total", refusals.address, "{reason=\"address\"}");
    page.value("refused_total", refusals.authentication, "{reason=\"authentication\"}");
    page.value("refused_total", refusals.descriptors, "{reason=\"descriptors\"}");
    page.metric("requests_total", "counter",
                "Requests, by kind; of running sessions up to 250 ms ago.");
    page.value("requests_total", done.echo, "{kind=\"echo\"}");
    page.value("requests_total", done.sink, "{kind=\"sink\"}");
    page.value("requests_total", done.put, "{kind=\"put\"}");
    page.value("requests_total", done.source, "{kind=\"source\"}");
    page.value("requests_total", done.ping, "{kind=\"ping\"}");
    page.single("received_bytes_total", "counter", "From clients.", status.bytes_in);
    page.single("sent_bytes_total", "counter", "To clients.", status.bytes_out);
    page.single("memory_bytes", "gauge", "Held for payloads and documents.", status.memory);
    return page.take();
}

// One request and its answer; lives as long as an operation of it is in flight.
class Metrics::Scrape : public std::enable_shared_from_this<Scrape> {
  public:
    Scrape(asio::ip::tcp::socket socket, std::shared_ptr<int> running,
           std::function<std::string()> text)
        : socket_(std::move(socket)),
          patience_(socket_.get_executor()),
          running_(std::move(running)),
          text_(std::move(text)) {
        ++*running_;
    }
    Scrape(const Scrape&) = delete;
    Scrape& operator=(const Scrape&) = delete;
    ~Scrape() { --*running_; }

    void start() {
        patience_.expires_after(k_patience);
        patience_.async_wait([self = weak_from_this()](const std::error_code& error) {
            if (const auto scrape = self.lock(); scrape && !error) scrape->close();
        });
        read();
    }

  private:
    void read() {
        const auto room = asio::buffer(request_) + size_;
        socket_.async_read_some(
            room, [self = shared_from_this()](const std::error_code& error, std::size_t count) {
                if (error) return self->close();
                self->size_ += count;
                self->look();
            });
    }

    void look() {
        const std::string_view request(request_.data(), size_);
        if (request.find("\r\n\r\n") == std::string_view::npos &&
            request.find("\n\n") == std::string_view::npos) {
            return size_ == request_.size() ? close() : read();
        }
        const bool known = request.starts_with("GET /metrics ") || request.starts_with("GET / ");
        const std::string body = known ? text_() : "perfrelay's metrics are at /metrics\n";
        answer_ = std::string("HTTP/1.1 ") + (known ? "200 OK" : "404 Not Found") +
                  "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: " +
                  std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
        asio::async_write(socket_, asio::buffer(answer_),
                          [self = shared_from_this()](const std::error_code&, std::size_t) {
                              std::error_code ignored;
                              self->socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
                              self->close();
                          });
    }

    void close() {
        std::error_code ignored;
        socket_.close(ignored);
        patience_.cancel();
    }

    asio::ip::tcp::socket socket_;
    asio::steady_timer patience_;
    std::shared_ptr<int> running_;
    std::function<std::string()> text_;
    std::array<char, k_request> request_{};
    std::size_t size_ = 0;
    std::string answer_;
};

Metrics::Metrics(asio::io_context& context, net::Fd listener, std::function<std::string()> text)
    : acceptor_(context), pause_(context), text_(std::move(text)) {
    const auto endpoint = net::local_endpoint(listener.get());
    acceptor_.assign(endpoint.family() == AF_INET6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4(),
                     listener.get());
    (void)listener.release();
}

Metrics::~Metrics() = default;

void Metrics::start() {
    accept();
}

void Metrics::close() {
    std::error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
}

void Metrics::accept() {
    acceptor_.async_accept([this](const std::error_code& error, asio::ip::tcp::socket socket) {
        if (!acceptor_.is_open()) return;
        if (!error && *scrapes_ < k_scrapes) {
            std::make_shared<Scrape>(std::move(socket), scrapes_, text_)->start();
        }
        if (!error) return accept();
        // Out of descriptors: the relay's own clients come first.
        pause_.expires_after(std::chrono::milliseconds(500));
        pause_.async_wait([this](const std::error_code& stopped) {
            if (!stopped) accept();
        });
    });
}

}  // namespace perfrelay::relay
