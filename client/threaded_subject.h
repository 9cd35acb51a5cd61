#pragma once
// ThreadedSubject: one row measured by several threads at once, each with its own codec, buffers
// and, over the network, its own session.
//
// A run is one run of each, begun at the same moment. The sample's phases and total are means over
// the threads, `wall` is the time in which all of them were done. `alone` is the same row on one
// thread, for the schedule to interleave: what several gain is then known from one run of the
// program.
// Tested by tests/unit/client/threaded_subject_test.cpp.

#include <memory>
#include <vector>

#include "client/format_subject.h"
#include "common/measure/crew.h"

namespace perfrelay::client {

class ThreadedSubject final : public measure::Subject {
  public:
    // A codec and a bench for each of the crew. All references outlive the subject.
    ThreadedSubject(measure::Crew& crew, std::vector<std::unique_ptr<Codec>> codecs,
                    const Document& document, const std::vector<Bench*>& benches, Row& row,
                    std::uint32_t key);

    // As FormatSubject's, of all threads.
    bool prepare();
    bool store();
    bool run(std::uint32_t batch, measure::Sample& sample) override;
    Bytes payload() const { return members_.front().subject->payload(); }

    measure::Subject& alone() { return alone_; }
    // Of each thread, the samples of its last `runs` runs.
    std::vector<measure::Series> last(std::size_t runs) const;

  private:
    struct Member {
        Row row;
        std::unique_ptr<FormatSubject> subject;
        measure::Sample sample;
        bool good = false;
        measure::Series series;
    };
    class Alone final : public measure::Subject {
      public:
        explicit Alone(ThreadedSubject& all) : all_(all) {}
        bool run(std::uint32_t batch, measure::Sample& sample) override;

      private:
        ThreadedSubject& all_;
    };

    // Whether all did well; if not, the row says what the first one did not.
    bool judge();

    measure::Crew& crew_;
    Row& row_;
    std::vector<Member> members_;
    Alone alone_{*this};
};

}  // namespace perfrelay::client
