#pragma once
// ByteAccount: where the bytes of an encoded document go, by what they are for and by name: what
// `perfclient explain` prints.
//
// Bits that a compressed stream holds are counted as they are inside; what they cost in the file is
// the stream's size, shared among them in proportion. An event without a name of its own (EE, CH)
// counts for the element around it; elements and attributes of one name are one line, as they share
// their values (EXI 7.3.3). Contract: TraceListener; a trace of one document. Tested by
// tests/unit/client/byte_account_test.cpp.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "proto/codec/trace.h"

namespace perfrelay::client {

class ByteAccount final : public TraceListener {
  public:
    enum Part : std::uint8_t { k_structure, k_names, k_values };  // event codes; names; values
    static constexpr std::size_t k_parts = 3;

    // Under which values that lie apart are among the events.
    static constexpr const char* k_apart = "values apart";
    // Under which what stands outside of all elements is among the names.
    static constexpr const char* k_outside = "(outside of elements)";

    // Of one event or name: how often, and bits by part.
    struct Cost {
        std::uint64_t count = 0;
        std::array<std::uint64_t, k_parts> inside{};   // bits as they are encoded
        std::array<double, k_parts> in_file{};         // bits of the file
        std::array<std::uint64_t, k_parts> waiting{};  // of `inside`, whose price is not known yet
        std::uint64_t total_inside() const;
        double total_in_file() const;
    };

    void header(std::uint64_t bits) override { header_bits_ = bits; }
    void event(const TracedItem& item) override;
    void value(const QName& name, std::string_view value, std::uint64_t bits) override;
    void packed(std::uint64_t bytes, std::uint64_t unpacked) override;
    // After the last call: what was not packed is in the file as it is.
    void finish();

    std::uint64_t header_bits() const { return header_bits_; }
    bool is_packed() const { return streams_ != 0; }
    std::uint64_t streams() const { return streams_; }
    std::uint64_t unpacked_bytes() const { return unpacked_; }
    Cost total() const;
    const std::map<std::string, Cost, std::less<>>& events() const { return events_; }
    const std::map<std::string, Cost, std::less<>>& names() const { return names_; }

  private:
    void add(Cost& cost, Part part, std::uint64_t bits);
    Cost& name_cost(const QName& name);
    void settle(double scale);

    std::uint64_t header_bits_ = 0;
    std::uint64_t streams_ = 0;
    std::uint64_t unpacked_ = 0;
    std::map<std::string, Cost, std::less<>> events_;
    std::map<std::string, Cost, std::less<>> names_;
    std::vector<Cost*> open_;     // by element
    std::vector<Cost*> waiting_;  // since the last stream's end
    std::uint64_t waiting_bits_ = 0;
    std::string scratch_;
};

}  // namespace perfrelay::client
