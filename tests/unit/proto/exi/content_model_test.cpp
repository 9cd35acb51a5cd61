// Content models: from particles to states, by EXI 8.5.4.1.5 to 8.5.4.3.
#include "proto/exi/schema/content_model.h"

#include <string>

#include <gtest/gtest.h>

namespace perfrelay::exi {
namespace {

using Compositor = ModelGroup::Compositor;
constexpr std::uint32_t k_many = Particle::k_unbounded;

// Elements a, b, .. by number; particles by functions.
class Models : public ::testing::Test {
  protected:
    Models() {
        for (std::uint32_t i = 0; i < 8; ++i) {
            from_.elements.push_back({.name = {"", std::string(1, static_cast<char>('a' + i))}});
            names_.of_element.push_back(i);
            names_.substitutes.push_back({i});
        }
        names_.of_wildcard.resize(from_.wildcards.size());
    }
    static Particle element(std::uint32_t index, std::uint32_t min = 1, std::uint32_t max = 1) {
        return {Particle::Term::element, index, min, max};
    }
    Particle group(Compositor compositor, std::vector<Particle> particles, std::uint32_t min = 1,
                   std::uint32_t max = 1) {
        from_.groups.push_back({compositor, std::move(particles)});
        return {Particle::Term::group, static_cast<std::uint32_t>(from_.groups.size() - 1), min,
                max};
    }
    void make(const Particle& particle, std::size_t room = 100'000) {
        ASSERT_TRUE(model_.make(from_, names_, particle, room));
    }
    // The productions behind a sequence of elements: "a b EE"; "-" when it is none of the model's.
    std::string behind(const std::string& path) const {
        std::uint32_t at = 0;
        for (const char c : path) {
            const ContentModel::State& state = model_.states()[at];
            bool found = false;
            for (const ContentModel::Step& step : state.steps) {
                if (step.name != static_cast<std::uint32_t>(c - 'a')) continue;
                at = step.next;
                found = true;
            }
            if (!found) return "-";
        }
        std::string out;
        for (const ContentModel::Step& step : model_.states()[at].steps)
            out += step.event == Event::any_element
                       ? "* "
                       : std::string(1, static_cast<char>('a' + step.name)) + ' ';
        if (model_.states()[at].end) out += "EE ";
        if (!out.empty()) out.pop_back();
        return out;
    }

    Components from_;
    ContentNames names_;
    ContentModel model_;
};

TEST_F(Models, SequenceWithOptional) {
    make(group(Compositor::sequence, {element(0, 0), element(1), element(2, 0, k_many)}));
    EXPECT_EQ(behind(""), "a b");
    EXPECT_EQ(behind("a"), "b");
    EXPECT_EQ(behind("ab"), "c EE");
    EXPECT_EQ(behind("bcc"), "c EE");
}

TEST_F(Models, OccurrencesAreCounted) {
    make(element(0, 2, 4));
    EXPECT_EQ(behind(""), "a");
    EXPECT_EQ(behind("a"), "a");
    EXPECT_EQ(behind("aa"), "a EE");
    EXPECT_EQ(behind("aaa"), "a EE");
    EXPECT_EQ(behind("aaaa"), "EE");
}

TEST_F(Models, RepeatedGroupThatMayBeEmpty) {
    // (a? b?){3}: any of the three may be empty, so that it is at most three.
    make(group(Compositor::sequence, {element(0, 0), element(1, 0)}, 3, 3));
    EXPECT_EQ(behind(""), "a b EE");
    EXPECT_EQ(behind("a"), "a b EE");
    EXPECT_EQ(behind("bb"), "a b EE");
    EXPECT_EQ(behind("bbb"), "EE");
    EXPECT_EQ(behind("bba"), "b EE");
}

TEST_F(Models, NestedOccurrencesKeepBothCounts) {
    // ((a){1,2} b){2}
    make(group(Compositor::sequence, {element(0, 1, 2), element(1)}, 2, 2));
    EXPECT_EQ(behind("a"), "a b");
    EXPECT_EQ(behind("aa"), "b");
    EXPECT_EQ(behind("aab"), "a");
    EXPECT_EQ(behind("aaba"), "a b");
    EXPECT_EQ(behind("aabab"), "EE");
}

TEST_F(Models, UnboundedChoiceIsTwoStates) {
    make(group(Compositor::choice, {element(2), element(0), element(1)}, 0, k_many));
    EXPECT_EQ(behind(""), "c a b EE");  // schema order
    EXPECT_EQ(behind("ab"), "c a b EE");
    EXPECT_EQ(model_.states().size(), 2U);
}

TEST_F(Models, AllIsALoop) {
    // EXI 8.5.4.1.8.3: neither order nor number are kept.
    make(group(Compositor::all, {element(0), element(1, 0)}));
    EXPECT_EQ(behind(""), "a b EE");
    EXPECT_EQ(behind("aab"), "a b EE");
}

TEST_F(Models, SameNameTwiceIsOneProduction) {
    // (a b)? (a c)? after normalisation: both are behind one SE(a).
    make(group(Compositor::choice, {group(Compositor::sequence, {element(0), element(1)}),
                                    group(Compositor::sequence, {element(0), element(2)})}));
    EXPECT_EQ(behind(""), "a");
    EXPECT_EQ(behind("a"), "b c");
    EXPECT_EQ(behind("ab"), "EE");
}

TEST_F(Models, SubstitutesStandForTheHead) {
    names_.substitutes[0] = {3, 0, 1};
    make(element(0));
    EXPECT_EQ(behind(""), "d a b");
    EXPECT_EQ(behind("d"), "EE");
}

TEST_F(Models, NothingIsTheEnd) {
    make(group(Compositor::choice, {}));
    EXPECT_EQ(behind(""), "EE");
    make(element(0, 0, 0));
    EXPECT_EQ(behind(""), "EE");
}

TEST_F(Models, HugeNumbersAreBounded) {
    make(element(0, 0, 50'000), 200'000);
    EXPECT_EQ(behind(std::string(50'000, 'a')), "EE");
    std::size_t room = 100'000;
    const Particle inner = group(Compositor::sequence, {element(0, 500, 500)}, 500, 500);
    EXPECT_FALSE(ContentModel().make(from_, names_, inner, room));
    Particle deep = element(0);
    for (std::size_t i = 0; i < ContentModel::k_most_depth + 1; ++i)
        deep = group(Compositor::sequence, {deep});
    room = 100'000;
    EXPECT_FALSE(ContentModel().make(from_, names_, deep, room));
}

}  // namespace
}  // namespace perfrelay::exi
