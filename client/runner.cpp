#include "client/runner.h"

#include <algorithm>
#include <ctime>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/budget.h"
#include "client/emulator.h"
#include "client/format_subject.h"
#include "client/read_document.h"
#include "client/report/layout.h"
#include "client/report/shown.h"
#include "client/run_report.h"
#include "client/saved_files.h"
#include "client/sessions.h"
#include "client/threaded_subject.h"
#include "client/untimed.h"
#include "common/base/crc32c.h"
#include "common/cli/units.h"
#include "proto/wire/frames.h"

namespace perfrelay::client {

namespace {

// "1c291ca3"
std::string hexadecimal(std::uint32_t number) {
    constexpr std::string_view k_digits = "0123456789abcdef";
    std::string text;
    for (unsigned shift = 32; shift > 0; shift -= 4)
        text += k_digits[number >> (shift - 4) & 15U];
    return text;
}

constexpr const char* k_no_memory = "not enough memory for this document";

// Told of every turn: passes it on, and looks at the machine once a round of main.
class Watch final : public measure::Observer {
  public:
    explicit Watch(measure::Observer& progress) : progress_(progress) {}
    void turn(measure::Stage stage, std::size_t subject, const measure::Series& so_far,
              const measure::Minimum& wanted) override {
        progress_.turn(stage, subject, so_far, wanted);
    }
    void round() override {
        if (!meter_) meter_.emplace();
        meter_->sample();
    }
    measure::Noise noise() { return meter_ ? meter_->finish() : measure::Noise{}; }

  private:
    measure::Observer& progress_;
    std::optional<measure::NoiseMeter> meter_;
};

class Runner {
  public:
    Runner(const Options& options, const FormatTable& formats, const std::atomic<int>& stop,
           Progress& progress, std::ostream& talk)
        : options_(options),
          formats_(formats),
          stop_(stop),
          progress_(progress),
          talk_(talk),
          sessions_(options, stop, [this](const std::string& line) { say(line); }) {
        if (options.threads != 0) crew_ = std::make_unique<measure::Crew>(options.threads);
    }

    RunResult run() {
        begin_report(options_, untimed_, result_.report);
        if (!options_.plan && !open_saved()) return finish();
        if (!options_.plan && options_.network && !connect()) return finish();
        for (std::size_t i = 0; i < options_.inputs.size() && may_go_on(); ++i)
            measure_file(i);
        return finish();
    }

  private:
    bool may_go_on() const { return stop_ == 0 && sessions_.lost().empty(); }

    // The gravest of all that happened decides.
    void worsen(ExitCode code) { result_.code = graver(result_.code, code); }

    void say(const std::string& line) {
        progress_.clear();
        talk_ << "perfclient: " << printable(line) << std::endl;
        result_.report.messages.push_back(line);
    }

    // --save. False: there is no such directory.
    bool open_saved() {
        if (options_.save.empty()) return true;
        std::string why;
        saved_ = SavedFiles::open(options_.save, options_.inputs, why);
        if (saved_) return true;
        say(why);
        worsen(ExitCode::partial);
        return false;
    }

    void save(const Input& input, Bytes encoded, Row& row) {
        if (!saved_) return;
        std::string why;
        row.saved = saved_->save(input, row.codec.spec, encoded, stop_, why);
        if (why.empty() || stop_ != 0) return;
        say("--save: " + why);
        worsen(ExitCode::partial);
    }

    bool connect() {
        std::string why;
        if (sessions_.connect(result_.report, why)) return true;
        if (why.empty()) return false;
        say(why);
        worsen(ExitCode::connection);
        return false;
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
        const auto read = load(input, file);
        if (!read) return;

        try {
            measure_rows(read->document, index, file);
        } catch (const std::bad_alloc&) {
            // Beside the rows, which look after themselves: samples, or their names.
            sessions_.first().bench().no_memory = true;
            result_.report.partial = true;
        }
        count_from_start(file);
        if (std::ranges::any_of(sessions_.lanes(),
                                [](const auto& l) { return l->bench().no_memory; })) {
            say(file.name + ": not enough memory for every row");
            worsen(ExitCode::bad_input);
        }
        if (const std::string why = sessions_.lost(); !why.empty()) lose(why);
        report_failures(file);
    }

    // One row of the file, on one thread or on several.
    struct Timed {
        std::unique_ptr<FormatSubject> one;
        std::unique_ptr<ThreadedSubject> many;
        measure::Nanoseconds verified_in = 0;
    };

    // Of all rows that can be timed.
    std::vector<RowEstimate> estimates(const std::vector<Timed>& prepared,
                                       const FileReport& file) const {
        // Verifying encodes once and decodes three times.
        constexpr measure::Nanoseconds k_runs = 2;
        std::vector<RowEstimate> all;
        for (std::size_t i = 0; i < prepared.size(); ++i) {
            if (prepared[i].one == nullptr && prepared[i].many == nullptr) continue;
            all.push_back({.title = file.rows[i].codec.title,
                           .size = static_cast<std::size_t>(file.rows[i].size),
                           .run = prepared[i].verified_in / k_runs,
                           .subjects = sessions_.lanes().size() > 1 ? 2U : 1U});
        }
        return all;
    }

    void measure_rows(const Document& document, std::size_t index, FileReport& file) {
        std::vector<Timed> prepared = prepare_rows(document, options_.inputs[index], file);
        if (!may_go_on()) return;
        const std::vector<RowEstimate> rows_expected = estimates(prepared, file);
        const measure::Nanoseconds until = file_deadline(options_, began_, index);
        const Share share = share_out(options_, rows_expected,
                                      until == measure::k_never ? until : until - measure::now());
        file.cuts = share.cuts;
        if (options_.plan) {
            result_.plan += (result_.plan.empty() ? "" : "\n") +
                            plan_text(options_, file.name, rows_expected, share);
            return;
        }
        std::vector<measure::Subject*> subjects;
        std::vector<std::size_t> rows;
        std::vector<std::string> titles;
        const auto add = [&](std::size_t row, measure::Subject& subject, const std::string& how) {
            subjects.push_back(&subject);
            rows.push_back(row);
            titles.push_back(file.rows[row].codec.title + how);
        };
        for (std::size_t i = 0; i < prepared.size(); ++i) {
            const Timed& row = prepared[i];
            if (row.one != nullptr && row.one->store()) add(i, *row.one, "");
            if (row.many == nullptr || !row.many->store()) continue;
            add(i, *row.many, " x" + std::to_string(sessions_.lanes().size()));
            if (sessions_.lanes().size() > 1) add(i, row.many->alone(), " x1");
        }
        if (subjects.empty() || !sessions_.lost().empty()) return;
        const measure::ScheduleOptions schedule =
            schedule_within(options_, share, measure::now(), until);
        std::string label = file.name;
        if (options_.processes > 1) {
            label += " (process " + std::to_string(options_.process + 1) + " of " +
                     std::to_string(options_.processes) + ")";
        }
        progress_.begin_file(index + 1, options_.inputs.size(), label, titles, schedule);
        Watch watch(progress_);
        auto outcomes = measure::run_schedule(subjects, schedule, stop_, &watch);
        progress_.clear();
        file.noise = watch.noise();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            Row& row = file.rows[rows[i]];
            const ThreadedSubject* const many = prepared[rows[i]].many.get();
            if (i > 0 && rows[i] == rows[i - 1]) {
                if (row.status == RowStatus::timed) row.alone = std::move(outcomes[i].main);
                continue;
            }
            take(std::move(outcomes[i]), row);
            if (many != nullptr) row.threads = many->last(row.main.samples.size());
        }
        if (options_.budget != 0) note_short_rows(share, file);
        emulate_links(prepared, index, share, file);
    }

    // The rows that have times, over each link of --link.
    void emulate_links(const std::vector<Timed>& prepared, std::size_t index, const Share& share,
                       FileReport& file) {
        Report& report = result_.report;
        if (options_.links.empty() || !report.not_emulated.empty() || !may_go_on()) return;
        std::vector<Emulated> rows;
        for (std::size_t i = 0; i < prepared.size(); ++i) {
            if (prepared[i].one == nullptr || file.rows[i].status != RowStatus::timed) continue;
            rows.push_back({prepared[i].one.get(), &file.rows[i]});
        }
        Lane& lane = sessions_.first();
        std::string& why = report.not_emulated;
        if (rows.empty() || (!options_.network && !sessions_.open_for_links(why))) return;
        const PeerInfo& peer = lane.connection()->peer();
        report.link_relay = peer.address;
        if (const std::string lacking = peer.lacks(wire::k_can_link); !lacking.empty()) {
            why = "the relay at " + peer.address + " cannot do " + lacking;
        } else if (const auto rtt = lane.connection()->ping(k_pings); rtt) {
            LinkTerms terms = link_terms(options_);
            terms.path_rtt = *rtt;
            terms.quiet = lane.bench().quiet;
            // A session is renewed when half of its time has passed.
            if (peer.longest != 0) terms.longest = peer.longest / 2 - peer.longest / 20;
            terms.link_time = share.link_time;
            terms.curve_time = share.curve_time;
            terms.until = file_deadline(options_, began_, index);
            Emulator emulator(options_, terms, lane.bench(), stop_, progress_);
            const std::size_t left_out = emulator.run(rows, index, file.name);
            if (left_out != 0) {
                file.cuts.push_back(std::to_string(left_out) +
                                    " points of the curves were not sent");
            }
        } else {
            lane.bench().lost = lane.connection()->last_error();
        }
        if (stop_ != 0) {
            report.partial = true;
            worsen(ExitCode::partial);
        }
        if (options_.network) return;
        // What was measured in memory does without this relay.
        why += std::exchange(lane.bench().lost, "");
        lane.close();
    }

    // Samples say when they began: since the program did.
    void count_from_start(FileReport& file) const {
        const auto in = [&](measure::Series& series) {
            for (measure::Sample& sample : series.samples)
                sample.start -= began_;
        };
        for (Row& row : file.rows) {
            for (measure::Series* series : {&row.cold, &row.warmup, &row.main, &row.alone})
                in(*series);
            std::ranges::for_each(row.threads, in);
            for (OnLink& sent : row.on_links)
                in(sent.runs);
        }
    }

    std::optional<ReadDocument> read_and_load(const Input& input, FileReport& file,
                                              std::string& why) {
        try {
            auto read = read_document(input, options_, formats_, schemas_, &stop_, why);
            if (!read) return read;
            codecs_ = read->codecs;
            file.schema = read->schema;
            file.schema_by = read->schema_by;
            file.name = read->document.name;
            file.bytes = read->file_bytes;
            file.content = hexadecimal(crc32c(read->document.source.view()));
            apply_policy(options_.whitespace, read->document);
            file.whitespace_dropped = read->document.whitespace_dropped;
            make_models(*read, file);
            return read;
        } catch (const std::bad_alloc&) {
            why = input.path + ": " + k_no_memory;
        }
        return std::nullopt;
    }

    // Events and objects, as the rows need them.
    void make_models(ReadDocument& read, FileReport& file) const {
        const Document& document = read.document;
        for (const std::string& spec : options_.formats) {
            std::string why;
            const auto codec = formats_.make(spec, codecs_, why);
            if (codec == nullptr) continue;
            if ((codec->model() == Model::objects) == document.source_is_objects) continue;
            make_model(read, codec->model(), options_);
            file.mapping = describe_mapping(document, options_.binding);
            return;
        }
    }

    std::optional<ReadDocument> load(const Input& input, FileReport& file) {
        std::string why;
        if (auto read = read_and_load(input, file, why)) return read;
        if (stop_ != 0) {
            result_.report.partial = true;
            worsen(ExitCode::partial);
        } else {
            worsen(ExitCode::bad_input);
        }
        file.error = why;
        say(why);
        return std::nullopt;
    }

    // A subject for every row that can be timed, none for the others; the rows say why.
    std::vector<Timed> prepare_rows(const Document& document, const Input& input,
                                    FileReport& file) {
        // Keys start anew with each file: what the last one stored at the relay is replaced.
        std::uint32_t key = 0;
        std::vector<Bench*> benches;
        for (const auto& lane : sessions_.lanes()) {
            lane->bench().stored.clear();
            lane->bench().store_one = false;
            lane->bench().no_memory = false;
            benches.push_back(&lane->bench());
        }
        std::vector<Timed> timed(options_.formats.size());
        file.rows.resize(options_.formats.size());
        for (std::size_t i = 0; i < timed.size(); ++i) {
            Row& row = file.rows[i];
            row.group = formats_.group_of(options_.formats[i]);
            std::vector<std::unique_ptr<Codec>> codecs = make_codecs(options_.formats[i], row);
            if (codecs.empty()) continue;
            const measure::Nanoseconds start = measure::now();
            if (crew_ == nullptr) {
                auto one = std::make_unique<FormatSubject>(std::move(codecs.front()), document,
                                                           *benches.front(), row, key++);
                if (!may_go_on() || !one->prepare()) continue;
                timed[i].verified_in = measure::now() - start;
                save(input, one->payload(), row);
                untimed_.count(codec_maker(options_.formats[i]), document, one->payload(),
                               options_.direction, row);
                timed[i].one = std::move(one);
            } else {
                auto many = std::make_unique<ThreadedSubject>(*crew_, std::move(codecs), document,
                                                              benches, row, key++);
                if (!may_go_on() || !many->prepare()) continue;
                timed[i].verified_in = measure::now() - start;
                save(input, many->payload(), row);
                untimed_.count(codec_maker(options_.formats[i]), document, many->payload(),
                               options_.direction, row);
                timed[i].many = std::move(many);
            }
        }
        return timed;
    }

    Untimed::MakeCodec codec_maker(const std::string& spec) const {
        return [this, spec] {
            std::string why;
            return formats_.make(spec, codecs_, why);
        };
    }

    // One for each thread; none, and the row failed, when there is no such format.
    std::vector<std::unique_ptr<Codec>> make_codecs(const std::string& spec, Row& row) const {
        std::vector<std::unique_ptr<Codec>> codecs;
        for (std::size_t i = 0; i < sessions_.lanes().size(); ++i) {
            std::string why;
            codecs.push_back(formats_.make(spec, codecs_, why));
            if (codecs.back() != nullptr) continue;
            // The command line was tried with the schema that some file has.
            row.codec.spec = row.codec.title = spec;
            row.status = RowStatus::not_representable;
            row.why = why;
            return {};
        }
        return codecs;
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

    RunResult finish() {
        Report& report = result_.report;
        if (options_.verbose) sessions_.end(talk_);
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
        return std::move(result_);
    }

    const Options& options_;
    const FormatTable& formats_;
    const std::atomic<int>& stop_;
    Progress& progress_;
    std::ostream& talk_;

    const measure::Nanoseconds began_ = measure::now();
    SchemaShelf schemas_{options_.catalogue};
    CodecOptions codecs_ = options_.codecs;  // with the schema of the file that is measured
    RunResult result_;
    Sessions sessions_;
    std::optional<SavedFiles> saved_;  // --save
    Untimed untimed_;
    std::unique_ptr<measure::Crew> crew_;  // null: no threads asked for
};

}  // namespace

RunResult run(const Options& options, const FormatTable& formats, const std::atomic<int>& stop,
              Progress& progress, std::ostream& talk) {
    return Runner(options, formats, stop, progress, talk).run();
}

}  // namespace perfrelay::client
