// stream_probe SPEC XML > PAYLOAD          writes the document's encoding, as streaming makes it
// stream_probe SPEC XML HOST PORT          decodes PAYLOAD from there while it arrives
// The second form says on standard output, once, when a second has passed without a byte:
//   held: 465466 of 930934 bytes, 22345 of 45000 events
// and in the end "complete", when the document is the one in XML. Used by streaming.py.

#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/net/fd.h"
#include "proto/formats.h"
#include "proto/xml/loader.h"

namespace perfrelay {
namespace {

int complain(const std::string& what) {
    std::cerr << "stream_probe: " << what << '\n';
    return 1;
}

net::Fd connect_to(const char* host, const char* port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    std::uint16_t number = 0;
    std::from_chars(port, port + std::string_view(port).size(), number);
    address.sin_port = htons(number);
    inet_pton(AF_INET, host, &address.sin_addr);
    net::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return {};
    }
    return fd;
}

class Connection final : public ByteSource {
  public:
    Connection(net::Fd fd, const XmlTape& decoded, std::size_t bytes, std::size_t events)
        : fd_(std::move(fd)), decoded_(decoded), bytes_(bytes), events_(events) {}

    Result<Bytes> refill(std::size_t consumed) override {
        constexpr std::size_t k_piece = 65536;
        constexpr int k_patience_ms = 1000;
        begin_ += consumed;
        pollfd waiting{fd_.get(), POLLIN, 0};
        if (!told_ && ::poll(&waiting, 1, k_patience_ms) == 0) {
            told_ = true;
            std::cout << "held: " << kept_.size() << " of " << bytes_ << " bytes, "
                      << decoded_.events().size() << " of " << events_ << " events" << std::endl;
        }
        const ssize_t got = ::recv(fd_.get(), kept_.prepare(k_piece), k_piece, 0);
        if (got < 0) return Error{.code = Errc::io, .where = "recv"};
        kept_.commit(static_cast<std::size_t>(got));
        return kept_.view().subspan(begin_);
    }

  private:
    net::Fd fd_;
    const XmlTape& decoded_;
    std::size_t bytes_;
    std::size_t events_;
    Buffer kept_;
    std::size_t begin_ = 0;
    bool told_ = false;
};

int run(int count, char** words) {
    if (count != 3 && count != 5) return complain("SPEC XML [HOST PORT]");
    std::ifstream file(words[2], std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    Document document;
    document.name = words[2];
    document.source.append(std::string_view(text));
    if (auto loaded = xml::load(document, {}); !loaded) return complain(describe(loaded.error()));
    std::string why;
    const auto codec = FormatTable::built_in().make(words[1], {}, why);
    if (codec == nullptr) return complain(why);
    Buffer payload;
    BufferDrain drain(payload);
    if (auto done = codec->prepare(document); !done) return complain(describe(done.error()));
    if (auto done = codec->encode(document, drain); !done) return complain(describe(done.error()));
    if (count == 3) {
        return std::fwrite(payload.data(), 1, payload.size(), stdout) == payload.size() ? 0 : 1;
    }
    net::Fd fd = connect_to(words[3], words[4]);
    if (!fd) return complain("cannot connect");
    XmlTape decoded;
    Connection connection(std::move(fd), decoded, payload.size(), document.xml.events().size());
    if (auto done = codec->decode(connection, decoded); !done) {
        return complain(describe(done.error()));
    }
    if (const auto other = difference(document.xml, decoded, codec->info().fidelity)) {
        return complain(*other);
    }
    std::cout << "complete" << std::endl;
    return 0;
}

}  // namespace
}  // namespace perfrelay

int main(int count, char** words) {
    return perfrelay::run(count, words);
}
