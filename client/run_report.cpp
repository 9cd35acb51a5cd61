#include "client/run_report.h"

#include <ctime>

#include "client/report/layout.h"
#include "common/cli/units.h"

namespace perfrelay::client {

void begin_report(const Options& options, const Untimed& untimed, Report& report) {
    report.version = PERFRELAY_VERSION;
    report.started = date_text(std::time(nullptr));
    report.direction = options.direction;
    report.decode_into = options.decode_into_tape ? "materialise" : "parse";
    report.schedule = options.schedule;
    report.whitespace = whitespace_name(options.whitespace);
    report.deflate_library = options.codecs.deflate == DeflateLibrary::zlib ? "zlib" : "libdeflate";
    report.environment = measure::environment();
    report.no_instructions = untimed.no_instructions();
    report.clock_cost_ns = measure::clock_cost();
    report.stream = options.stream;
    report.links = options.links;
    report.link_time = options.link_time;
    report.cut_through = options.cut_through;
    report.price = options.price;
    report.message_count = options.messages;
    report.budget = options.budget;
    if (options.link_time == 0 && !options.emulate) {
        report.not_emulated = "--link-time 0";
    } else if (options.threads > 1) {
        report.not_emulated = "several threads share the link";
    }
    report.threads = options.threads;
}

bool nothing_representable(const Report& report) {
    bool any = false;
    for (const FileReport& file : report.files) {
        for (const Row& row : file.rows) {
            if (row.status != RowStatus::not_representable) return false;
            any = true;
        }
    }
    return any;
}

}  // namespace perfrelay::client
