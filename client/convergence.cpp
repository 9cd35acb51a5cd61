#include "client/convergence.h"

#include "client/report/layout.h"
#include "client/report/shown.h"
#include "common/cli/units.h"

namespace perfrelay::client {

double precision_wanted(const Report& report) {
    if (report.schedule.precision > 0) return report.schedule.precision;
    return usual_precision(!report.network.empty());
}

bool converged(const Report& report) {
    const double bound = precision_wanted(report);
    for (const FileReport& file : report.files) {
        for (const Row& row : file.rows) {
            if (row.status != RowStatus::timed) continue;
            const measure::Summary total = summary(row.main, Quantity::total);
            if (total.relative_half_width() > bound) return false;
        }
    }
    return true;
}

void require_convergence(RunResult& result, std::ostream& talk) {
    if (result.code != ExitCode::ok || converged(result.report)) return;
    const std::string line = "not converged: an interval is wider than " +
                             format_fixed(100 * precision_wanted(result.report), 1) +
                             " % of its median either way; measure longer, with -t, -r or "
                             "--precision";
    talk << "perfclient: " << line << std::endl;
    result.report.messages.push_back(line);
    result.code = ExitCode::not_converged;
}

}  // namespace perfrelay::client
