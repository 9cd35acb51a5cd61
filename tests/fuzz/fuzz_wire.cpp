// Fuzzes the relay protocol: every decoder, and a whole session of the relay fed from memory.
//
// First byte of the input: how the rest is fed. Bits 0-3: portion (1 byte up to everything); bit 4:
// HELLO is given, so that the rest is frames; bit 5: the CRC of what looks like a header is made
// right, so that mutations reach past it; bit 6: tight limits; bit 7: the relay has a secret, and
// no input ever proves to know it. Checked besides sanitizers: no output before a valid HELLO,
// memory within its bound, all of it given back, no output from a closed session.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "common/base/crc32c.h"
#include "proto/wire/frames.h"
#include "tests/unit/relay/memory_peer.h"

namespace {

using perfrelay::Bytes;
namespace wire = perfrelay::wire;
namespace relay = perfrelay::relay;

void require(bool condition) {
    if (!condition) std::abort();
}

void decoders(Bytes bytes) {
    const auto first = [&](std::size_t size) { return bytes.first(std::min(size, bytes.size())); };
    if (const auto hello = wire::decode_hello(first(wire::k_hello_size));
        hello && hello->major == wire::k_major) {
        require(wire::decode_hello(wire::encode(*hello)).has_value());
    }
    if (const auto welcome = wire::decode_welcome(first(wire::k_welcome_size))) {
        require(*wire::decode_welcome(wire::encode(*welcome)) == *welcome);
    }
    if (const auto header = wire::decode_header(first(wire::k_header_size))) {
        require(*wire::decode_header(wire::encode(*header)) == *header);
        (void)wire::check_request(*header, 1000);
        require(!wire::name(header->type).empty());
    }
    if (const auto error = wire::decode_error(bytes)) {
        perfrelay::Buffer again;
        wire::encode(*error, again);
        require(*wire::decode_error(again.view()) == *error);
    }
    (void)wire::decode_source(first(wire::k_source_size));
    (void)wire::decode_acknowledgement(first(wire::k_acknowledgement_size));
    (void)wire::decode_status(first(wire::k_status_size));
    if (const auto way = wire::decode_link(first(wire::k_link_size))) {
        require(*wire::decode_link(wire::encode(*way)) == *way);
    }
}

// Walks the bytes frame by frame and puts the right CRC into every header, as far as lengths lead.
void mend_headers(std::vector<std::uint8_t>& bytes) {
    std::size_t at = 0;
    while (bytes.size() - at >= wire::k_header_size) {
        std::uint8_t* const header = bytes.data() + at;
        header[2] = header[3] = 0;
        for (std::size_t i = 8; i < 13; ++i)
            header[i] = 0;  // lengths that could be there
        const std::uint32_t crc =
            perfrelay::crc32c({header + 20, 4}, perfrelay::crc32c({header, 16}));
        for (std::size_t i = 0; i < 4; ++i) {
            header[16 + i] = static_cast<std::uint8_t>(crc >> (8 * (3 - i)));
        }
        const auto parsed = wire::decode_header({header, wire::k_header_size});
        require(parsed.has_value());
        at += wire::k_header_size;
        at += static_cast<std::size_t>(std::min<std::uint64_t>(parsed->length, bytes.size() - at));
    }
}

void session(std::uint8_t how, Bytes bytes) {
    relay::Limits limits;
    limits.max_memory = 4U << 20U;
    if ((how & 0x40U) != 0) {
        limits.max_payload = 300;
        limits.max_stored = 500;
        limits.max_documents = 2;
        limits.max_memory = 300'000;
    }
    std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
    if ((how & 0x20U) != 0) mend_headers(input);
    relay::MemoryPeer peer(limits);
    peer.keep_output = false;
    peer.output_limit = 1U << 20U;  // SOURCE may ask for 10,000 answers
    const bool secret = (how & 0x80U) != 0;
    if (secret) {
        peer.known = std::make_shared<const perfrelay::Secret>(std::vector<std::uint8_t>(32, 0x5a));
    }
    const bool greeted = (how & 0x10U) != 0;
    if (greeted) {
        peer.hello();
        require(peer.session().admitted() != secret);
    }
    const std::size_t portion =
        (how & 0x0fU) == 0x0fU ? ~std::size_t{0} : std::size_t{1} << (how & 0x0fU);
    peer.feed(input, portion);
    require(peer.budget().used() <= limits.max_memory);
    if (secret) {
        require(!peer.session().admitted() && peer.budget().used() == 0);
        require(peer.session().tally().bytes_out <= wire::k_welcome_size + wire::k_header_size +
                                                        wire::k_error_size +
                                                        wire::k_max_error_text);
    }
    if (!greeted && (input.size() < wire::k_hello_size ||
                     !wire::decode_hello(Bytes(input).first(wire::k_hello_size)))) {
        require(peer.session().tally().bytes_out == 0);
    }
    (void)peer.session().expire(peer.now + 20'000'000'000);
    peer.take_output();
    (void)peer.session().shut_down();
    peer.take_output();
    peer.session().input_ended();
    peer.session().trim(peer.now, true);
    (void)peer.session().expire(peer.now + 4'000'000'000'000);
    require(peer.session().closed() || peer.session().closing());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    decoders({data + 1, size - 1});
    session(data[0], {data + 1, size - 1});
    return 0;
}
