#include "client/emulator.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include <sys/prctl.h>

#include "common/net/shaper.h"

namespace perfrelay::client {

namespace {

using measure::Nanoseconds;

constexpr int k_pathfinders = 3;

// Sleeping is precise to the timer while this lives.
class PreciseSleep {
  public:
    PreciseSleep() { prctl(PR_SET_TIMERSLACK, 1UL); }
    PreciseSleep(const PreciseSleep&) = delete;
    PreciseSleep& operator=(const PreciseSleep&) = delete;
    ~PreciseSleep() { prctl(PR_SET_TIMERSLACK, 0UL); }  // 0: as before
};

}  // namespace

struct Emulator::Turn {
    FormatSubject* subject = nullptr;
    Row* row = nullptr;
    Nanoseconds path = 0;  // a transfer as fast as it goes
    // On the present link.
    LinkPlan plan{};
    std::size_t repeats_left = 0;
    Nanoseconds left = 0;  // of its time

    bool good() const { return row->status == RowStatus::timed; }
    std::size_t size() const { return subject->payload().size(); }
};

Emulator::Emulator(const Options& options, const LinkTerms& terms, Bench& bench,
                   const std::atomic<int>& stop, Progress& progress)
    : options_(options), terms_(terms), bench_(bench), stop_(stop), progress_(progress) {}

std::size_t Emulator::run(std::span<const Emulated> rows, std::size_t file,
                          const std::string& name) {
    file_ = file;
    name_ = name;
    const PreciseSleep precise;
    std::vector<Turn> turns;
    for (const Emulated& each : rows) {
        Turn turn{.subject = each.subject, .row = each.row};
        each.row->on_links.resize(options_.links.size());
        if (going_on() && time_path(turn)) turns.push_back(turn);
    }
    for (std::size_t link = 0; link < options_.links.size() && going_on(); ++link)
        emulate(turns, link);
    std::size_t left_out = 0;
    if (going_on() && !options_.stream && rows.size() > 1) left_out = verify_curves(turns);
    progress_.clear();
    if (bench_.relay != nullptr && bench_.lost.empty()) {
        (void)bench_.relay->emulate(nullptr, 0);
    }
    return left_out;
}

bool Emulator::has_time(Nanoseconds transfer) const {
    return going_on() && transfer <= terms_.until - measure::now();
}

// The least that a transfer takes here. What the relay cannot take costs the row its emulation,
// not its times.
bool Emulator::time_path(Turn& turn) {
    const RowStatus before = turn.row->status;
    for (int i = 0; i < k_pathfinders; ++i) {
        measure::Sample sample;
        if (!turn.subject->store() || !bench_.relay->emulate(nullptr, 0) ||
            !turn.subject->run(1, sample)) {
            if (turn.row->status == RowStatus::not_representable) {
                turn.row->status = before;
                for (OnLink& found : turn.row->on_links)
                    found.modelled = turn.row->why;
                turn.row->why.clear();
            }
            return false;
        }
        const Nanoseconds took =
            options_.stream ? sample.total : sample.phase[k_up] + sample.phase[k_down];
        if (i == 0 || took < turn.path) turn.path = took;
    }
    return true;
}

void Emulator::emulate(std::vector<Turn>& turns, std::size_t link) {
    const net::Link& profile = options_.links[link];
    std::vector<Turn*> active;
    std::vector<std::string> titles;
    std::size_t most = 0;
    for (Turn& turn : turns) {
        if (!turn.good()) continue;
        turn.plan = plan_link(terms_, profile, turn.size(), turn.path);
        turn.row->on_links[link].modelled = turn.plan.modelled;
        if (!turn.plan.modelled.empty()) continue;
        turn.left = std::max(terms_.link_time, turn.plan.transfer);
        turn.repeats_left = turn.plan.runs;
        most = std::max(most, turn.plan.runs);
        active.push_back(&turn);
        titles.push_back(turn.row->codec.title);
    }
    if (active.empty()) return;
    const measure::Minimum minimum{.time = 0, .runs = most};
    progress_.begin_file(file_ + 1, options_.inputs.size(), name_ + " on " + profile.name, titles,
                         {.warmup = {0, 0}, .main = minimum});
    for (Turn* const turn : active) {
        OnLink warm;
        if (!turn->plan.warm_up || !has_time(2 * turn->plan.transfer)) continue;
        (void)run_once(*turn, ways_of_draw(terms_, profile, 0), warm);
    }
    std::mt19937_64 random(options_.schedule.seed);
    std::vector<std::size_t> order(active.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t run = 0; run < most; ++run) {
        std::ranges::shuffle(order, random);
        for (const std::size_t i : order) {
            Turn& turn = *active[i];
            OnLink& found = turn.row->on_links[link];
            const bool time_left = run == 0 || turn.left >= turn.plan.transfer;
            if (!turn.good() || run >= turn.plan.runs || !time_left) continue;
            if (!has_time(turn.plan.transfer)) {
                if (going_on() && run == 0) found.modelled = "--budget left no time for it";
                continue;
            }
            if (!run_once(turn, ways_of_draw(terms_, profile, run), found)) continue;
            repeat_missed(turn, link, run);
            progress_.turn(measure::Stage::main, i, found.runs, minimum);
        }
    }
}

// False: it failed, and the row or the bench says why; nothing is recorded.
bool Emulator::run_once(Turn& turn, const net::LinkWays& ways, OnLink& found) {
    if (!turn.subject->store()) return false;
    if (!bench_.relay->emulate(&ways, terms_.path_rtt)) {
        bench_.lost = bench_.relay->last_error();
        return false;
    }
    measure::Sample sample;
    if (!turn.subject->run(1, sample)) return false;
    Nanoseconds delivered = sample.phase[k_up] + sample.phase[k_down];
    Nanoseconds plan = 0;
    if (options_.stream) {
        delivered += sample.phase[k_encode];
        plan = delivered - turn.subject->answered_late();
    } else {
        plan = planned_transfer(terms_, ways, turn.size());
    }
    turn.left -= sample.total;
    found.runs.samples.push_back(sample);
    found.planned.push_back(plan);
    found.delivered.push_back(delivered);
    return true;
}

void Emulator::repeat_missed(Turn& turn, std::size_t link, std::size_t run) {
    OnLink& found = turn.row->on_links[link];
    while (!on_time(found.planned.back(), found.delivered.back()) && turn.repeats_left > 0 &&
           turn.left >= turn.plan.transfer && has_time(turn.plan.transfer)) {
        --turn.repeats_left;
        if (!run_once(turn, ways_of_draw(terms_, options_.links[link], run), found)) return;
        // In place of the one before.
        const auto last = static_cast<std::ptrdiff_t>(found.planned.size()) - 2;
        found.runs.samples.erase(found.runs.samples.begin() + last);
        found.planned.erase(found.planned.begin() + last);
        found.delivered.erase(found.delivered.begin() + last);
        ++found.repeated;
    }
}

// Three points of each row's curve: transfers that take most of its time, a fifth, and a little.
std::size_t Emulator::verify_curves(std::vector<Turn>& turns) {
    constexpr std::array k_shares = {0.8, 0.17, 0.03};
    std::size_t left_out = 0;
    if (turns.empty()) return left_out;
    const Nanoseconds time = terms_.curve_time / static_cast<Nanoseconds>(turns.size());
    for (Turn& turn : turns) {
        for (const double share : k_shares) {
            const auto transfer = static_cast<Nanoseconds>(share * static_cast<double>(time));
            if (!going_on() || !turn.good()) break;
            if (!has_time(transfer)) {
                ++left_out;
                continue;
            }
            const net::Link link = link_of_time(terms_, turn.size(), transfer);
            if (!plan_link(terms_, link, turn.size(), turn.path).modelled.empty()) continue;
            OnLink sent;
            for (int i = 0; i < 2 && going_on(); ++i) {
                if (!run_once(turn, ways_of_draw(terms_, link, 0), sent)) break;
                if (on_time(sent.planned.back(), sent.delivered.back())) break;
            }
            if (sent.planned.empty()) continue;
            turn.row->curve.push_back({.rate = link.up,
                                       .modelled = sent.planned.back(),
                                       .delivered = sent.delivered.back(),
                                       .total = sent.runs.samples.back().total});
        }
    }
    return left_out;
}

}  // namespace perfrelay::client
