#include "client/byte_account.h"

#include <numeric>
#include <utility>

namespace perfrelay::client {

std::uint64_t ByteAccount::Cost::total_inside() const {
    return std::accumulate(inside.begin(), inside.end(), std::uint64_t{0});
}

double ByteAccount::Cost::total_in_file() const {
    return std::accumulate(in_file.begin(), in_file.end(), 0.0);
}

void ByteAccount::add(Cost& cost, Part part, std::uint64_t bits) {
    if (bits == 0) return;
    if (cost.waiting == std::array<std::uint64_t, k_parts>{}) waiting_.push_back(&cost);
    cost.inside[part] += bits;
    cost.waiting[part] += bits;
}

ByteAccount::Cost& ByteAccount::name_cost(const QName& name) {
    scratch_.assign("{").append(name.uri).append("}").append(name.local);
    const auto found = names_.find(scratch_);
    return found != names_.end() ? found->second : names_[scratch_];
}

void ByteAccount::event(const TracedItem& item) {
    if (item.event.starts_with("SE")) open_.push_back(&name_cost(*item.name));
    Cost& name = item.name != nullptr ? name_cost(*item.name)
                 : open_.empty()      ? names_[k_outside]
                                      : *open_.back();
    if (item.name != nullptr || open_.empty()) ++name.count;

    auto kind = events_.find(item.event);
    if (kind == events_.end()) kind = events_.emplace(item.event, Cost()).first;
    const std::pair<Part, std::uint64_t> parts[] = {
        {k_structure, item.code_bits}, {k_names, item.name_bits}, {k_values, item.value_bits}};
    ++kind->second.count;
    for (Cost* const cost : {&kind->second, &name}) {
        for (const auto& [part, bits] : parts)
            add(*cost, part, bits);
    }
    waiting_bits_ += item.code_bits + item.name_bits + item.value_bits;
    // EXI 8.4.3: a self-contained element begins twice and ends with EE and ED.
    if ((item.event == "EE" || item.event == "ED") && !open_.empty()) open_.pop_back();
}

void ByteAccount::value(const QName& name, std::string_view /*value*/, std::uint64_t bits) {
    for (Cost* const cost : {&events_[k_apart], &name_cost(name)})
        add(*cost, k_values, bits);
    ++events_[k_apart].count;
    waiting_bits_ += bits;
}

void ByteAccount::settle(double scale) {
    for (Cost* const cost : waiting_) {
        for (std::size_t part = 0; part < k_parts; ++part)
            cost->in_file[part] +=
                static_cast<double>(std::exchange(cost->waiting[part], 0)) * scale;
    }
    waiting_.clear();
    waiting_bits_ = 0;
}

void ByteAccount::packed(std::uint64_t bytes, std::uint64_t unpacked) {
    ++streams_;
    unpacked_ += unpacked;
    const auto inside = static_cast<double>(waiting_bits_);
    settle(inside == 0 ? 0 : static_cast<double>(bytes * 8) / inside);
}

void ByteAccount::finish() {
    settle(1);
}

ByteAccount::Cost ByteAccount::total() const {
    Cost sum;
    for (const auto& [name, cost] : events_) {
        sum.count += cost.count;
        for (std::size_t part = 0; part < k_parts; ++part) {
            sum.inside[part] += cost.inside[part];
            sum.in_file[part] += cost.in_file[part];
        }
    }
    return sum;
}

}  // namespace perfrelay::client
