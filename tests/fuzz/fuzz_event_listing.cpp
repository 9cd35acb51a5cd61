// The reader of event listings against any input: what it accepts is listed, read and listed again,
// and is the same.
#include <cstddef>
#include <cstdint>
#include <string>

#include "proto/model/event_listing.h"
#include "tests/fuzz/require.h"

namespace perfrelay {
namespace {

void check(std::string_view listing, const Limits& limits) {
    XmlTape tape;
    if (!read_event_listing(listing, limits, tape)) return;
    Buffer first;
    EventListing writer(first);
    tape.play(writer);
    XmlTape again;
    const Result<> read = read_event_listing(as_text(first.view()), limits, again);
    require(read, "its own listing");
    Buffer second;
    EventListing rewriter(second);
    again.play(rewriter);
    require(as_text(first.view()) == as_text(second.view()), "another listing the second time");
}

}  // namespace
}  // namespace perfrelay

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const perfrelay::Limits limits{.max_depth = 200};
    perfrelay::check(perfrelay::as_text({data, size}), limits);
    return 0;
}
