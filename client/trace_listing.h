#pragma once
// TraceListing: an encoded document as text, an event a line with its code and its bits: what
// `perfclient convert --trace` prints, for two programs that read a stream otherwise.
//
//   OFFSET   CODE   BITS       EVENT
//   1.2      0.4    3+74+0     SE(*) {urn:a}note
//
// OFFSET is bytes and bits from the start of the file, or of the block where it is packed. BITS are
// those of the code, of the name, of the value. Values in quotes, as in an event listing. Where
// values lie apart from their events, a line "value" has each in its place; "packed" ends what a
// compressed stream held. Contract: TraceListener; appends to its Buffer. Tested by
// tests/unit/client/trace_listing_test.cpp.

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "proto/codec/trace.h"

namespace perfrelay::client {

class TraceListing final : public TraceListener {
  public:
    explicit TraceListing(Buffer& out) : out_(out) { line("# OFFSET", "CODE", "BITS", "EVENT"); }

    void header(std::uint64_t bits) override;
    void event(const TracedItem& item) override;
    void value(const QName& name, std::string_view value, std::uint64_t bits) override;
    void packed(std::uint64_t bytes, std::uint64_t unpacked) override;

  private:
    void line(std::string_view offset, std::string_view code, std::string_view bits,
              std::string_view event);

    Buffer& out_;
    std::string text_;
};

}  // namespace perfrelay::client
