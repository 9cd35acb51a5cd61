#include "client/runner.h"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "client/format_subject.h"
#include "client/inputs.h"
#include "client/local_relay.h"
#include "client/relay_connection.h"
#include "proto/wire/frames.h"
#include "proto/xml/loader.h"

namespace perfrelay::client {

namespace {

constexpr int k_pings = 20;
constexpr const char* k_no_memory = "not enough memory for this document";

class Runner {
  public:
    Runner(const Options& options, const FormatTable& formats, const std::atomic<int>& stop,
           Progress& progress, std::ostream& talk)
        : options_(options), formats_(formats), stop_(stop), progress_(progress), talk_(talk) {}

    RunResult run() {
        start_report();
        if (options_.network && !connect()) return finish();
        for (std::size_t i = 0; i < options_.inputs.size() && may_go_on(); ++i)
            measure_file(i);
        return finish();
    }

  private:
    bool may_go_on() const { return stop_ == 0 && bench_.lost.empty(); }

    // The gravest of all that happened decides: a lower number is not graver, this order is.
    void worsen(ExitCode code) {
        constexpr std::array k_gravest_first = {
            ExitCode::usage,     ExitCode::connection, ExitCode::verification,
            ExitCode::bad_input, ExitCode::partial,    ExitCode::not_converged,
            ExitCode::ok};
        const auto rank = [&](ExitCode c) { return std::ranges::find(k_gravest_first, c); };
        if (rank(code) < rank(result_.code)) result_.code = code;
    }

    void say(const std::string& line) {
        progress_.clear();
        talk_ << "perfclient: " << line << std::endl;
    }

    void start_report() {
        Report& report = result_.report;
        report.version = PERFRELAY_VERSION;
        report.direction = options_.direction;
        report.decode_into = options_.decode_into_tape ? "materialise" : "parse";
        report.schedule = options_.schedule;
        report.deflate_library =
            options_.codecs.deflate == DeflateLibrary::zlib ? "zlib" : "libdeflate";
        report.clock_cost_ns = measure::clock_cost();
        report.stream = options_.stream;
        bench_.direction = options_.direction;
        bench_.stream = options_.stream;
        bench_.materialise = options_.decode_into_tape;
        bench_.reconnect = [this] { return open_session(bench_.lost); };
    }

    bool start_local_relay(Address& address) {
        const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): one thread
        std::string no_program;
        const std::string program = find_perfrelay("", path != nullptr ? path : "", no_program);
        std::string why;
        // Even without a program: a relay that listens already will do.
        local_relay_ = LocalRelay::start(program, address.port, why);
        if (local_relay_ == nullptr) {
            say(program.empty() ? no_program : why);
            return false;
        }
        address = local_relay_->address();
        return true;
    }

    bool connect() {
        Address address = options_.network->address;
        result_.report.network = address.port != 0 ? address.text() : address.host;
        if (options_.network->start_local && !start_local_relay(address)) {
            worsen(ExitCode::connection);
            return false;
        }
        address_ = address;
        std::string why;
        if (!open_session(why)) {
            if (local_relay_ != nullptr) {
                if (auto dead = local_relay_->why_dead()) why = *dead;
            }
            if (stop_ >= 2) return false;
            say(why);
            worsen(ExitCode::connection);
            return false;
        }
        auto rtt = connection_->ping(k_pings);
        if (!rtt) {
            bench_.lost = connection_->last_error();
            lose(bench_.lost);
            return false;
        }
        result_.report.rtt_ns = *rtt;
        return true;
    }

    bool open_session(std::string& why) {
        ConnectOptions how;
        how.cut_through = options_.cut_through;
        how.stop = &stop_;
        bench_.relay = nullptr;
        connection_.reset();
        auto opened = RelayConnection::open(address_, how, why);
        if (!opened && another_local_relay(opened.error())) {
            opened = RelayConnection::open(address_, how, why);
        }
        if (!opened) return false;
        const std::string lacking = (*opened)->peer().lacks(needed());
        if (!lacking.empty()) {
            why = address_.text() + " cannot do " + lacking + ", which this run needs";
            return false;
        }
        connection_ = std::move(*opened);
        const PeerInfo& peer = connection_->peer();
        bench_.relay = connection_.get();
        bench_.stored.clear();
        bench_.stored_any = false;
        bench_.used_at = measure::now();
        bench_.renew_at = peer.longest == 0 ? measure::k_never : bench_.used_at + peer.longest / 2;
        bench_.quiet = peer.idle == 0 ? measure::k_never : peer.idle / 2;
        result_.report.relay = peer.address + ", protocol " + std::to_string(peer.major) + "." +
                               std::to_string(peer.minor);
        return true;
    }

    // The relay of another perfclient, which has gone and takes no new sessions: one of our own.
    bool another_local_relay(const Error& error) {
        const bool gone = error.code == Errc::refused || error.code == Errc::closed;
        if (!gone || local_relay_ == nullptr || local_relay_->started()) return false;
        Address address = options_.network->address;
        if (!start_local_relay(address)) return false;
        address_ = address;
        return true;
    }

    // WIRE 2: capabilities.
    std::uint32_t needed() const {
        switch (options_.direction) {
            case Direction::both:
                return options_.cut_through ? wire::k_can_cut_through : wire::k_can_echo;
            case Direction::encode: return wire::k_can_sink;
            case Direction::decode: return wire::k_can_source;
        }
        return 0;
    }

    void lose(const std::string& why) {
        if (stop_ >= 2) return;  // not lost: the user would not wait for it
        say("lost the relay: " + why);
        worsen(ExitCode::connection);
        result_.report.partial = true;
    }

    void measure_file(std::size_t index) {
        const Input& input = options_.inputs[index];
        FileReport& file = result_.report.files.emplace_back();
        file.name = input.path;
        file.schema = input.schema;
        Document document;
        if (!load(input, document, file)) return;

        try {
            measure_rows(document, index, file);
        } catch (const std::bad_alloc&) {
            // Beside the rows, which look after themselves: samples, or their names.
            bench_.no_memory = true;
            result_.report.partial = true;
        }
        if (bench_.no_memory) {
            say(file.name + ": not enough memory for every row");
            worsen(ExitCode::bad_input);
        }
        if (!bench_.lost.empty()) lose(bench_.lost);
        report_failures(file);
    }

    void measure_rows(const Document& document, std::size_t index, FileReport& file) {
        std::vector<std::unique_ptr<FormatSubject>> subjects = prepare_rows(document, file);
        if (!may_go_on()) return;
        std::vector<measure::Subject*> timed;
        std::vector<std::size_t> rows;
        std::vector<std::string> titles;
        for (std::size_t i = 0; i < subjects.size(); ++i) {
            if (subjects[i] == nullptr || !subjects[i]->store()) continue;
            timed.push_back(subjects[i].get());
            rows.push_back(i);
            titles.push_back(file.rows[i].codec.title);
        }
        if (timed.empty() || !bench_.lost.empty()) return;
        progress_.begin_file(index + 1, options_.inputs.size(), file.name, titles,
                             options_.schedule);
        auto outcomes = measure::run_schedule(timed, options_.schedule, stop_, &progress_);
        progress_.clear();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            take(std::move(outcomes[i]), file.rows[rows[i]]);
        }
    }

    bool read_and_load(const Input& input, Document& document, FileReport& file,
                       std::string& why) const {
        try {
            auto read = read_input(input.path, options_.codecs.limits, &stop_, why);
            if (!read) return false;
            document = std::move(*read);
            file.bytes = document.source.size();
            auto loaded = xml::load(document, options_.codecs.limits);
            if (loaded) return true;
            why = document.name + ": " + describe(loaded.error());
        } catch (const std::bad_alloc&) {
            document = {};
            why = input.path + ": " + k_no_memory;
        }
        return false;
    }

    bool load(const Input& input, Document& document, FileReport& file) {
        std::string why;
        if (read_and_load(input, document, file, why)) return true;
        if (stop_ != 0) {
            result_.report.partial = true;
            worsen(ExitCode::partial);
        } else {
            worsen(ExitCode::bad_input);
        }
        file.error = why;
        say(why);
        return false;
    }

    // A subject for every row that can be timed, null for the others; the rows say why.
    std::vector<std::unique_ptr<FormatSubject>> prepare_rows(const Document& document,
                                                             FileReport& file) {
        // Keys start anew with each file: what the last one stored at the relay is replaced.
        std::uint32_t key = 0;
        bench_.stored.clear();
        bench_.store_one = false;
        bench_.no_memory = false;
        std::vector<std::unique_ptr<FormatSubject>> subjects(options_.formats.size());
        file.rows.resize(options_.formats.size());
        for (std::size_t i = 0; i < subjects.size(); ++i) {
            std::string why;
            auto codec = formats_.make(options_.formats[i], options_.codecs, why);
            Row& row = file.rows[i];
            if (codec == nullptr) {
                row.codec.spec = row.codec.title = options_.formats[i];
                row.status = RowStatus::failed;
                row.why = why;
                continue;
            }
            auto subject =
                std::make_unique<FormatSubject>(std::move(codec), document, bench_, row, key++);
            if (!may_go_on()) continue;
            if (subject->prepare()) subjects[i] = std::move(subject);
        }
        return subjects;
    }

    static void take(measure::Outcome outcome, Row& row) {
        // Its times are not to be believed, or not complete.
        if (row.status == RowStatus::failed || row.status == RowStatus::not_representable) return;
        row.warmup = std::move(outcome.warmup);
        row.main = std::move(outcome.main);
        row.complete = outcome.complete;
        if (!row.main.samples.empty()) row.status = RowStatus::timed;
    }

    void report_failures(const FileReport& file) {
        for (const Row& row : file.rows) {
            if (row.status != RowStatus::failed) continue;
            say(file.name + ": " + row.codec.spec + ": verification failed: " + row.why);
            worsen(ExitCode::verification);
        }
    }

    // Rows there are, and none of them could be represented.
    static bool nothing_representable(const Report& report) {
        bool any = false;
        for (const FileReport& file : report.files) {
            for (const Row& row : file.rows) {
                if (row.status != RowStatus::not_representable) return false;
                any = true;
            }
        }
        return any;
    }

    RunResult finish() {
        Report& report = result_.report;
        if (options_.verbose && local_relay_ != nullptr && local_relay_->started()) {
            connection_.reset();  // so that the relay tells of this session, too
            talk_ << local_relay_->log();
        }
        if (nothing_representable(report)) {
            const auto file = std::ranges::find_if(
                report.files, [](const FileReport& each) { return !each.rows.empty(); });
            say(file->name + ": no format here can represent it: " + file->rows.front().why);
            worsen(ExitCode::bad_input);
        }
        const bool interrupted =
            stop_ != 0 && (report.files.size() < options_.inputs.size() ||
                           std::ranges::any_of(report.files, [](const FileReport& file) {
                               return std::ranges::any_of(file.rows, [](const Row& row) {
                                   return row.status == RowStatus::unmeasured ||
                                          (row.status == RowStatus::timed && !row.complete);
                               });
                           }));
        if (interrupted) {
            report.partial = true;
            worsen(ExitCode::partial);
        }
        if (options_.require_convergence && result_.code == ExitCode::ok && !converged(report)) {
            say("not converged: an interval is wider than 1 % of its median (2 % over a network); "
                "measure longer with -t or -r");
            worsen(ExitCode::not_converged);
        }
        return std::move(result_);
    }

    const Options& options_;
    const FormatTable& formats_;
    const std::atomic<int>& stop_;
    Progress& progress_;
    std::ostream& talk_;

    RunResult result_;
    Bench bench_;
    std::unique_ptr<LocalRelay> local_relay_;  // outlives the connection
    Address address_;                          // of the relay, once one is known
    std::unique_ptr<RelayConnection> connection_;
};

}  // namespace

bool converged(const Report& report) {
    const double bound = report.network.empty() ? 0.01 : 0.02;
    for (const FileReport& file : report.files) {
        for (const Row& row : file.rows) {
            if (row.status != RowStatus::timed) continue;
            const auto total = measure::summarise(row.main.total_per_document());
            if (!total.has_interval) return false;
            if (total.high - total.low > 2 * bound * total.median) return false;
        }
    }
    return true;
}

RunResult run(const Options& options, const FormatTable& formats, const std::atomic<int>& stop,
              Progress& progress, std::ostream& talk) {
    return Runner(options, formats, stop, progress, talk).run();
}

}  // namespace perfrelay::client
