#include "client/report/saved_report.h"

#include <utility>

namespace perfrelay::client {
namespace {

std::string differ(const char* what, const std::string& a, const std::string& b) {
    return a == b ? "" : std::string(what) + ": " + a + ", and " + b;
}

const char* word(Direction direction) {
    switch (direction) {
        case Direction::both: return "both ways";
        case Direction::encode: return "encode";
        case Direction::decode: break;
    }
    return "decode";
}

const char* way(const Report& report) {
    if (report.network.empty()) return "in memory";
    return report.stream ? "streamed over a network" : "over a network";
}

}  // namespace

std::string unlike(const Report& a, const Report& b) {
    for (std::string difference :
         {differ("direction", word(a.direction), word(b.direction)),
          differ("where", way(a), way(b)), differ("decode", a.decode_into, b.decode_into),
          differ("threads", std::to_string(a.threads), std::to_string(b.threads)),
          differ("whitespace", a.whitespace, b.whitespace),
          differ("deflate", a.deflate_library, b.deflate_library)}) {
        if (!difference.empty()) return difference;
    }
    return a.links == b.links ? "" : "links: other ones";
}

Report merge_reports(std::vector<Report> reports) {
    if (reports.size() == 1) return std::move(reports.front());
    Report merged;
    for (Report& report : reports) {
        std::vector<FileReport> files = std::exchange(report.files, {});
        std::vector<Report> parts = std::exchange(report.parts, {});
        for (FileReport& file : files) {
            file.part += merged.parts.size();
            merged.files.push_back(std::move(file));
        }
        if (parts.empty()) parts.push_back(std::move(report));
        for (Report& part : parts)
            merged.parts.push_back(std::move(part));
    }
    // What holds for all, and of the rest what the first says.
    std::vector<FileReport> files = std::move(merged.files);
    std::vector<Report> parts = std::move(merged.parts);
    merged = parts.front();
    merged.files = std::move(files);
    for (const Report& part : parts) {
        merged.partial = merged.partial || part.partial;
        if (merged.exit_code == 0) merged.exit_code = part.exit_code;
    }
    merged.messages.clear();
    merged.parts = std::move(parts);
    return merged;
}

}  // namespace perfrelay::client
