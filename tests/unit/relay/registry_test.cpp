#include "relay/registry.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace perfrelay::relay {
namespace {

class FakeGuest final : public Guest, private Session::Host {
  public:
    FakeGuest(Registry& registry, std::string address)
        : registry_(registry),
          address_(std::move(address)),
          session_(registry.limits(), registry.memory(), *this) {
        registry_.add(*this);
    }
    FakeGuest(const FakeGuest&) = delete;
    FakeGuest& operator=(const FakeGuest&) = delete;
    ~FakeGuest() override { registry_.remove(*this); }

    Session& session() override { return session_; }
    const std::string& host_address() const override { return address_; }
    bool drained_some() override { return std::exchange(drained, false); }
    void poke() override { ++pokes; }

    // Says HELLO. True when it has become a session.
    bool hello() {
        const auto bytes = wire::encode(wire::Hello{});
        const auto room = session_.input();
        std::copy(bytes.begin(), bytes.end(), room.begin());
        session_.received(bytes.size());
        return session_.admitted();
    }

    int pokes = 0;
    bool drained = false;

  private:
    Verdict admit() override { return registry_.admit(*this); }
    wire::Nonce nonce() override { return {}; }
    wire::Status status() override { return registry_.status(); }
    void reclaim() override { registry_.reclaim(); }
    measure::Nanoseconds coarse_now() const override { return registry_.coarse_now(); }

    Registry& registry_;
    std::string address_;
    Session session_;
};

TEST(Registry, SessionsAreCountedOnceTheyHaveSaidHello) {
    Limits limits;
    limits.max_sessions = 2;
    Places places(limits);
    Registry registry(places, limits.max_strangers);
    FakeGuest stranger(registry, "a");
    FakeGuest first(registry, "a");
    auto second = std::make_unique<FakeGuest>(registry, "b");
    FakeGuest third(registry, "c");
    EXPECT_TRUE(first.hello());
    EXPECT_TRUE(second->hello());
    EXPECT_EQ(registry.sessions(), 2U);
    EXPECT_FALSE(third.hello());
    EXPECT_TRUE(third.session().closing());
    second.reset();
    EXPECT_EQ(registry.sessions(), 1U);
    FakeGuest fourth(registry, "c");
    EXPECT_TRUE(fourth.hello());
    const wire::Status status = registry.status();
    EXPECT_EQ(status.sessions, 2U);
    EXPECT_EQ(status.sessions_served, 3U);
    EXPECT_EQ(status.sessions_refused, 1U);
    EXPECT_EQ(status.bytes_in, 4 * wire::k_hello_size - wire::k_hello_size);
}

TEST(Registry, OneAddressCannotTakeAllPlaces) {
    Limits limits;
    limits.max_per_address = 1;
    Places places(limits);
    Registry registry(places, limits.max_strangers);
    auto first = std::make_unique<FakeGuest>(registry, "a");
    FakeGuest same(registry, "a");
    FakeGuest other(registry, "b");
    EXPECT_TRUE(first->hello());
    EXPECT_FALSE(same.hello());
    EXPECT_TRUE(other.hello());
    first.reset();
    FakeGuest again(registry, "a");
    EXPECT_TRUE(again.hello());
}

TEST(Registry, OldestStrangerMakesRoom) {
    Limits limits;
    limits.max_strangers = 3;
    Places places(limits);
    Registry registry(places, limits.max_strangers);
    std::vector<std::unique_ptr<FakeGuest>> strangers;
    for (int i = 0; i < 3; ++i)
        strangers.push_back(std::make_unique<FakeGuest>(registry, "evil"));
    FakeGuest honest(registry, "good");
    EXPECT_TRUE(strangers[0]->session().closed());
    EXPECT_EQ(strangers[0]->pokes, 1);
    EXPECT_FALSE(strangers[1]->session().closed());
    // Before the first is gone another arrives: the next oldest goes, not the same one again.
    FakeGuest late(registry, "good");
    EXPECT_TRUE(strangers[1]->session().closed());
    EXPECT_TRUE(honest.hello());
    EXPECT_TRUE(late.hello());
}

TEST(Registry, SessionsAreNotShownOutForStrangers) {
    Limits limits;
    limits.max_strangers = 1;
    Places places(limits);
    Registry registry(places, limits.max_strangers);
    FakeGuest session(registry, "a");
    EXPECT_TRUE(session.hello());
    std::vector<std::unique_ptr<FakeGuest>> strangers;
    for (int i = 0; i < 10; ++i)
        strangers.push_back(std::make_unique<FakeGuest>(registry, "b"));
    EXPECT_FALSE(session.session().closed());
    EXPECT_EQ(session.pokes, 0);
}

TEST(Registry, SweepShowsOutTheSilent) {
    Limits limits;
    Places places(limits);
    Registry registry(places, limits.max_strangers);
    FakeGuest silent(registry, "a");
    FakeGuest session(registry, "b");
    EXPECT_TRUE(session.hello());
    registry.sweep(registry.coarse_now() + limits.handshake + 1);
    EXPECT_TRUE(silent.session().closed());
    EXPECT_EQ(silent.pokes, 1);
    EXPECT_EQ(session.pokes, 0);
}

TEST(Registry, WhatStillReachesThePeerIsProgress) {
    Limits limits;
    Places places(limits);
    Registry registry(places, limits.max_strangers);
    FakeGuest slow(registry, "a");
    FakeGuest stuck(registry, "b");
    EXPECT_TRUE(slow.hello());
    EXPECT_TRUE(stuck.hello());
    for (measure::Nanoseconds passed = 0; passed <= limits.idle; passed += limits.idle / 4) {
        slow.drained = true;
        registry.sweep(registry.coarse_now() + limits.idle / 4);
    }
    EXPECT_EQ(slow.pokes, 0);
    EXPECT_EQ(stuck.pokes, 1);
}

TEST(Registry, ShutDownAsksThenInsists) {
    Places places{Limits{}};
    Registry registry(places, Limits{}.max_strangers);
    FakeGuest silent(registry, "a");
    registry.shut_down(false);
    EXPECT_TRUE(silent.session().closed());
    FakeGuest session(registry, "b");
    EXPECT_TRUE(session.hello());
    registry.shut_down(true);
    EXPECT_TRUE(session.session().closed());
    EXPECT_FALSE(registry.empty());
}

}  // namespace
}  // namespace perfrelay::relay
