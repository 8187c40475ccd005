// What servers of several hosts make of rounds, by calls: no sockets, and a clock of the test's own.
#include "tandem/servers/server_group.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/servers/two_hosts_test.h"

namespace tandem::servers {
namespace {

void expect_values(const std::vector<Answer>& answers, const ServerPlan& plan, double value) {
  ASSERT_EQ(static_cast<int64_t>(answers.size()), plan.blocks());
  for (const auto& answer : answers)
    EXPECT_TRUE(answer.payload.at(0).floats().eq(value).all().item<bool>()) << answer.payload[0].floats()[0];
}

TEST(ServerGroup, WorkersWaitForTheAverageAndPushesForTheEndOfTheRound) {
  for (const std::string way : {"all-reduce", "ring"}) {
    TwoHosts two(ServerMode::async, way, 1, 2);
    two.push(0, 0, 1, 0, 2);
    EXPECT_TRUE(two.hosts[0].group->holds());
    two.push(0, 1, 1, 0, 10);
    two.say(0, {.kind = Kind::ping});
    EXPECT_EQ(two.hosts[0].answers.size(), 1);
    EXPECT_EQ(two.hosts[0].answers.back().payload[0].text(), "server 1 of 2 (b:2)");
    two.push(1, 0, 1, 0, 4);
    two.deliver();
    expect_values(two.answers(0, 0, Kind::params), two.plan, -3);
    expect_values(two.answers(1, 0, Kind::params), two.plan, -3);
    // The other worker's push made the next update: of the average.
    EXPECT_TRUE(two.hosts[0].group->holds());
    EXPECT_TRUE(two.answers(0, 1, Kind::params).empty());
    two.push(1, 1, 1, 0, 0);
    two.deliver();
    expect_values(two.answers(0, 1, Kind::params), two.plan, -8);
    expect_values(two.answers(1, 1, Kind::params), two.plan, -8);
    two.say(0, {.kind = Kind::figures});
    const auto figures = ServerFigures::decode(two.answers(0, 0, Kind::figures).at(0).payload[0].text());
    EXPECT_EQ(figures.rounds, 2);
    EXPECT_EQ(figures.bytes_to_servers, 2 * two.plan.elements * 4);
  }
}

TEST(ServerGroup, HoldsNoMoreThanAWorkersMessages) {
  TwoHosts two(ServerMode::async, "all-reduce", 1, 2);
  two.push(0, 0, 1, 0, 1);
  const int64_t most = 2 * two.plan.blocks() + 16;
  for (int64_t i = 0; i < most; ++i) two.say(0, {.kind = Kind::figures, .worker = 1});
  EXPECT_TRUE(two.hosts[0].answers.empty());
  two.say(0, {.kind = Kind::figures, .worker = 1});
  EXPECT_EQ(two.answers(0, 1, Kind::error).at(0).payload[0].text(),
            "worker 1: must send at most " + std::to_string(most) + " messages while the servers average");
}

TEST(ServerGroup, QuestionsToTheWorkDeskDoNotWaitForARound) {
  TwoHosts two(ServerMode::async, "all-reduce", 1, 2);
  two.push(0, 0, 1, 0, 1);
  EXPECT_TRUE(two.hosts[0].group->holds());
  two.say(0, {.kind = Kind::desk, .worker = 1, .id = 7, .block = static_cast<int64_t>(DeskAsk::say)},
          {Frame::of(std::string("topic")), Frame::of(std::string("text"))});
  const auto answers = two.answers(0, 1, Kind::desk);
  ASSERT_EQ(answers.size(), 1);
  EXPECT_EQ(answers[0].header.id, 7);
}

TEST(ServerGroup, AWorkerWhoseConnectionClosesInARoundIsLostAfterIt) {
  TwoHosts two(ServerMode::sync, "all-reduce", 1, 2);
  for (int32_t w = 0; w < 2; ++w) two.push(0, w, 1, 0, 1);
  two.hosts[0].talk->closed("worker-1");
  two.hosts[0].talk->look(0.1);
  EXPECT_TRUE(two.hosts[0].talk->failure().empty());
  for (int32_t w = 0; w < 2; ++w) two.push(1, w, 1, 0, 2);
  two.deliver();
  expect_values(two.answers(0, 0, Kind::params), two.plan, -3);
  two.hosts[0].talk->look(0.2);
  two.deliver();
  const std::string why = "worker 1 has gone: its connection closed, and mode sync needs all workers";
  EXPECT_EQ(two.answers(0, 0, Kind::error).at(0).payload[0].text(), why);
  EXPECT_EQ(two.answers(1, 0, Kind::error).at(0).payload[0].text(), "server 0 of 2 (a:1): " + why);
  EXPECT_TRUE(two.hosts[0].talk->over() && two.hosts[1].talk->over());
}

TEST(ServerGroup, AsyncWorkersGoOnWithWhatIsThere) {
  TwoHosts two(ServerMode::async, "async-scatter-sum", 1, 1);
  for (uint64_t id = 1; id <= 3; ++id) two.push(0, 0, id, static_cast<int64_t>(id) - 1, 1);
  const auto answers = two.answers(0, 0, Kind::params);
  EXPECT_EQ(static_cast<int64_t>(answers.size()), 3 * two.plan.blocks());
  EXPECT_TRUE(answers.back().payload[0].floats().eq(-3).all().item<bool>());
  two.push(1, 0, 1, 0, 5);
  two.deliver();
  // The average of -1 and -5 is -3; the first has taken 2 away since it sent its own, and so comes to a second round,
  // which the other one joins: of -5 and -3.
  two.say(0, {.kind = Kind::pull, .id = 1});
  const auto pulled = two.answers(0, 0, Kind::params).back();
  EXPECT_EQ(two.hosts[1].group->rounds(), 2);
  EXPECT_TRUE(pulled.payload[0].floats().eq(-4).all().item<bool>()) << pulled.payload[0].floats()[0];
  EXPECT_EQ(pulled.header.version, 3);  // a round is no update
}

TEST(ServerGroup, WhatAConnectionLostIsSentAgain) {
  for (const std::string way : {"all-reduce", "ring", "async-scatter-sum"}) {
    for (int lost = 0; lost < 3; ++lost) {  // at first, when the others have come, or in the midst
      TwoHosts two(ServerMode::sync, way, 1, 1);
      two.push(0, 0, 1, 0, 2);
      two.push(1, 0, 1, 0, 4);
      for (int i = 0; i < lost; ++i) {
        const auto frames = std::exchange(two.hosts[0].queue, {});
        for (const auto& message : frames) two.hosts[0].talk->hear("server", message, 0);
      }
      two.lose();
      for (int i = 0; i < 2; ++i) {  // what is there already is left out
        two.hosts[0].group->send_again(1);
        two.hosts[1].group->send_again(0);
        two.deliver();
      }
      for (std::size_t h = 0; h < 2; ++h) {
        EXPECT_EQ(two.hosts[h].group->rounds(), 1) << way << " " << lost;
        two.say(h, {.kind = Kind::pull, .id = 1});
        EXPECT_TRUE(two.answers(h, 0, Kind::params).back().payload[0].floats().eq(-3).all().item<bool>());
      }
    }
  }
}

TEST(ServerGroup, AverageIsAnsweredWhenItHasTakenEffectAndOnce) {
  TwoHosts two(ServerMode::sync, "all-reduce", 0, 1);
  two.push(0, 0, 1, 0, 2);
  expect_values(two.answers(0, 0, Kind::params), two.plan, -2);  // no round by itself
  for (int i = 0; i < 2; ++i) two.say(0, {.kind = Kind::average, .id = 1});
  two.deliver();
  EXPECT_TRUE(two.answers(0, 0, Kind::average).empty());
  two.say(1, {.kind = Kind::average, .id = 1});
  two.deliver();
  EXPECT_EQ(two.answers(0, 0, Kind::average).size(), 2U);  // as often as asked, by one round
  EXPECT_EQ(two.answers(1, 0, Kind::average).size(), 1U);
  two.say(0, {.kind = Kind::average, .id = 1});  // sent again by a new connection
  EXPECT_FALSE(two.hosts[0].group->holds());
  EXPECT_EQ(two.hosts[0].group->rounds(), 1);
  EXPECT_EQ(two.answers(0, 0, Kind::average).size(), 3U);
}

TEST(ServerGroup, AStepThatIsGivenUpByHalfStopsNoRound) {
  TwoHosts two(ServerMode::sync, "all-reduce", 2, 2);
  for (int32_t w = 0; w < 2; ++w) two.push(0, w, 1, 0, 1, 1);  // the first block is updated, no other
  for (int32_t w = 0; w < 2; ++w) two.say(0, {.kind = Kind::rest, .worker = w});
  std::vector<Frame> zeros;
  for (int64_t b = 0; b < two.plan.blocks(); ++b) zeros.push_back(Frame::of(at::zeros({two.plan.block_elements(b)})));
  two.say(0, {.kind = Kind::set_parameters}, zeros);
  two.hosts[0].answers.clear();
  for (int32_t w = 0; w < 2; ++w) {
    two.push(0, w, 2, 1, 1, 1);
    for (int64_t b = 1; b < two.plan.blocks(); ++b)
      two.say(0, {.kind = Kind::push, .worker = w, .id = 2, .block = b, .rows = 1},
              {Frame::of(at::ones({two.plan.block_elements(b)}))});
  }
  EXPECT_TRUE(two.hosts[0].group->holds());
  two.say(1, {.kind = Kind::average, .id = 1});
  two.deliver();
  expect_values(two.answers(0, 0, Kind::params), two.plan, -1);
}

TEST(ServerGroup, ASilentWorkerIsNamedWhenTheRoundHasEnded) {
  TwoHosts two(ServerMode::sync, "all-reduce", 1, 1);
  two.push(0, 0, 1, 0, 2);
  for (double now = 0.5; now < 30; now += 0.5) two.hosts[0].talk->look(now);
  EXPECT_TRUE(two.hosts[0].talk->failure().empty());
  two.push(1, 0, 1, 0, 2);
  two.deliver();
  two.hosts[0].talk->look(30.5);
  EXPECT_EQ(two.hosts[0].talk->failure(), "worker 0 has been silent for 10 s, and mode sync needs all workers");
  two.deliver();
  EXPECT_EQ(two.hosts[1].talk->failure(), "server 0 of 2 (a:1): " + two.hosts[0].talk->failure());
}

TEST(ServerGroup, OneThatHasBegunAnewIsNamed) {
  for (const std::string way : {"ring", "async-scatter-sum"}) {
    TwoHosts two(ServerMode::sync, way, 1, 1);
    two.hosts[0].talk->hear("server", {Frame::of(encode({.kind = Kind::peer, .worker = 1, .version = 1}))}, 0);
    EXPECT_TRUE(two.hosts[0].group->is_gone(1) || way == "ring");
    EXPECT_EQ(two.hosts[0].talk->failure(),
              way == "ring" ? "server 1 of 2 (b:2): has begun anew, without the others' rounds" : "");
  }
}

TEST(ServerGroup, EndsWhenTheOthersKnow) {
  TwoHosts two(ServerMode::sync, "all-reduce", 1, 1);
  two.hosts[0].group->leave();
  EXPECT_FALSE(two.hosts[0].group->may_end());
  two.deliver();
  EXPECT_TRUE(two.hosts[0].group->may_end());
  EXPECT_TRUE(two.hosts[1].group->is_gone(0));
  two.push(1, 0, 1, 0, 2);  // alone
  expect_values(two.answers(1, 0, Kind::params), two.plan, -2);
  EXPECT_EQ(two.hosts[1].group->rounds(), 1);
  two.hosts[1].group->leave();
  EXPECT_TRUE(two.hosts[1].group->may_end());
  two.say(0, {.kind = Kind::leave});
  two.hello(0, 0);
  EXPECT_EQ(two.answers(0, 0, Kind::error).at(0).payload[0].text(),
            "worker 0: comes when this server has left those of the other hosts");
}

}  // namespace
}  // namespace tandem::servers
