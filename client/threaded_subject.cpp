#include "client/threaded_subject.h"

#include <algorithm>
#include <utility>

namespace perfrelay::client {

ThreadedSubject::ThreadedSubject(measure::Crew& crew, std::vector<std::unique_ptr<Codec>> codecs,
                                 const Document& document, const std::vector<Bench*>& benches,
                                 Row& row, std::uint32_t key)
    : crew_(crew), row_(row), members_(crew.size()) {
    row_.codec = codecs.front()->info();
    row_.model = codecs.front()->model();
    for (std::size_t i = 0; i < members_.size(); ++i) {
        members_[i].subject = std::make_unique<FormatSubject>(std::move(codecs[i]), document,
                                                              *benches[i], members_[i].row, key);
    }
}

bool ThreadedSubject::judge() {
    const auto failed = std::ranges::find_if(members_, [](const Member& m) { return !m.good; });
    if (failed == members_.end()) return true;
    row_.status = failed->row.status;
    row_.why = failed->row.why;
    return false;
}

bool ThreadedSubject::prepare() {
    crew_.run([this](std::size_t i) { members_[i].good = members_[i].subject->prepare(); });
    if (!judge()) return false;
    const Row& first = members_.front().row;
    row_.codec = first.codec;
    row_.size = first.size;
    row_.events = first.events;
    row_.from_source = first.from_source;
    row_.cold = first.cold;
    return true;
}

bool ThreadedSubject::store() {
    crew_.run([this](std::size_t i) { members_[i].good = members_[i].subject->store(); });
    return judge();
}

bool ThreadedSubject::run(std::uint32_t batch, measure::Sample& sample) {
    crew_.run([this, batch](std::size_t i) {
        Member& member = members_[i];
        member.good = member.subject->run(batch, member.sample);
    });
    if (!judge()) return false;
    const auto count = static_cast<measure::Nanoseconds>(members_.size());
    measure::Nanoseconds start = members_.front().sample.start;
    measure::Nanoseconds end = start;
    sample = {};
    sample.batch = batch;
    for (Member& member : members_) {
        const measure::Sample& own = member.sample;
        for (std::size_t phase = 0; phase < measure::k_max_phases; ++phase)
            sample.phase[phase] += own.phase[phase];
        sample.total += own.total;
        start = std::min(start, own.start);
        end = std::max(end, own.start + own.total);
        member.series.samples.push_back(own);
    }
    for (measure::Nanoseconds& phase : sample.phase)
        phase /= count;
    sample.total /= count;
    sample.start = start;
    sample.wall = end - start;
    return true;
}

bool ThreadedSubject::Alone::run(std::uint32_t batch, measure::Sample& sample) {
    Member& first = all_.members_.front();
    first.good = first.subject->run(batch, sample);
    return all_.judge();
}

std::vector<measure::Series> ThreadedSubject::last(std::size_t runs) const {
    std::vector<measure::Series> all;
    for (const Member& member : members_) {
        const auto& samples = member.series.samples;
        const std::size_t from = samples.size() - std::min(runs, samples.size());
        all.push_back({{samples.begin() + static_cast<std::ptrdiff_t>(from), samples.end()}});
    }
    return all;
}

}  // namespace perfrelay::client
