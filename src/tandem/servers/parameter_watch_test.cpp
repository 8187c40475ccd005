// One that looks at servers while workers train, over real sockets.
#include "tandem/servers/parameter_watch.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <thread>

#include "tandem/servers/desk_client.h"
#include "tandem/servers/plan_test.h"
#include "tandem/servers/server.h"
#include "tandem/servers/watched_statistics.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/on_threads.h"

namespace tandem::servers {
namespace {

using testing::message_of;

constexpr int64_t kNever = 1 << 30;

class ParameterWatchTest : public ::testing::Test {
 protected:
  ServerPlan start(int64_t count, ServerPlan wishes) {
    std::vector<std::string> addresses;
    for (int64_t s = 0; s < count; ++s) {
      servers_.push_back(std::make_unique<Server>());
      addresses.push_back(servers_.back()->address());
    }
    client_.servers = addresses;
    return plan_of("Adam", Config::object(), std::move(wishes), count, 64);
  }
  // Steps of one worker until `steps` are made or `goes_on` is false.
  void work(const ServerPlan& plan, int64_t w, int64_t steps, const std::function<bool()>& goes_on = {}) const {
    ServerClient client({.servers = client_.servers, .worker = w});
    Tensor parameters = at::zeros({plan.elements});
    client.begin(plan, parameters);
    for (int64_t step = 0; step < steps && (!goes_on || goes_on()); ++step) {
      const auto gradients = some_gradients(plan, plan.workers, step)[static_cast<std::size_t>(w)];
      for (int64_t b = plan.blocks() - 1; b >= 0; --b) client.push(b, gradients);
      client.finish(parameters);
    }
    client.leave();
  }
  static Tensor plain(const ServerPlan& plan, int64_t steps) {
    PlainTraining training(plan);
    for (int64_t step = 0; step < steps; ++step) training.update(tree_sum(some_gradients(plan, plan.workers, step)));
    return training.parameters().clone();
  }
  void expect_served_end() {
    for (auto& server : servers_) server->wait();
  }

  std::vector<std::unique_ptr<Server>> servers_;
  ClientOptions client_;
};

TEST_F(ParameterWatchTest, SeesTheUpdateItAsksForAndTheLastOne) {
  const auto plan = start(2, {.workers = 2});
  ParameterWatch watch(client_);
  watch.begin();  // before the workers
  watch.ask(3);
  testing::on_threads(2, [&](int64_t w) { work(plan, w, 7); });
  auto look = watch.take();
  EXPECT_EQ(look.updates, 3);
  EXPECT_FALSE(look.done);
  EXPECT_TRUE(look.plan == plan);
  EXPECT_TRUE(look.parameters.equal(plain(plan, 3)));
  watch.ask(kNever);
  look = watch.take();
  EXPECT_EQ(look.updates, 7);
  EXPECT_TRUE(look.done);
  EXPECT_TRUE(look.parameters.equal(plain(plan, 7)));
  expect_served_end();
}

// Whichever it meets: what it gets is of one update on all servers.
TEST_F(ParameterWatchTest, SeesOneUpdateOnAllServersInSync) {
  const auto plan = start(3, {.workers = 2});
  int64_t looks = 0;
  std::thread watcher([&] {
    ParameterWatch watch(client_);
    watch.begin();
    for (bool done = false; !done; ++looks) {
      watch.ask(0);
      const auto look = watch.take();
      EXPECT_TRUE(look.parameters.equal(plain(plan, look.updates))) << look.updates;
      done = look.done;
    }
  });
  testing::on_threads(2, [&](int64_t w) { work(plan, w, 60); });
  watcher.join();
  EXPECT_GE(looks, 1);
  expect_served_end();
}

TEST_F(ParameterWatchTest, IsNoWorker) {
  const auto plan = start(2, {.mode = ServerMode::async, .workers = 1});
  // Two that come and go, and one that asks for nothing: it is told at the end.
  ParameterWatch idle(client_);
  idle.begin();
  {
    ParameterWatch leaves(client_), asks(client_);
    leaves.begin();
    asks.begin();
    asks.ask(kNever);
  }
  work(plan, 0, 5);
  expect_served_end();
  for (auto& server : servers_) {
    EXPECT_EQ(server->figures().updates, 5);
    EXPECT_EQ(server->figures().max_staleness, 0);
    EXPECT_EQ(server->figures().gradients(), 5);
  }
  idle.ask(1);
  const auto look = idle.take();
  EXPECT_TRUE(look.done);
  EXPECT_EQ(look.updates, 5);
}

TEST_F(ParameterWatchTest, HasWhatWorkerZeroSaysOfItsMovingAverages) {
  const auto plan = start(2, {.workers = 1});
  const std::vector<Tensor> averages{at::arange(5, at::kFloat), at::full({1}, 7, at::kLong)};
  ParameterWatch watch(client_);
  watch.begin();
  watch.ask(2);
  {
    DeskClient desk({.servers = client_.servers});
    desk.say(kStatisticsTopic, encode_statistics(averages));
    work(plan, 0, 2);
  }
  const auto look = watch.take();
  ASSERT_EQ(look.statistics.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(look.statistics[i].equal(averages[i].to(at::kDouble))) << i;
  EXPECT_THROW(decode_statistics("abcd"), DataError);
}

TEST_F(ParameterWatchTest, IsToldWhyThereIsNoMore) {
  const auto plan = start(1, {.workers = 2});
  ParameterWatch watch(client_);
  watch.begin();
  watch.ask(kNever);
  ServerClient client({.servers = client_.servers, .worker = 0});
  Tensor parameters = at::zeros({plan.elements});
  client.begin(plan, parameters);
  servers_[0]->stop();
  const auto said = message_of<PeerError>([&] { watch.take(); });
  EXPECT_EQ(said, "server 0 of 1 (" + client_.servers[0] + "): it has been stopped");
}

TEST_F(ParameterWatchTest, IsToldWhereNoWorkerComes) {
  servers_.push_back(std::make_unique<Server>(ServerOptions{.start_seconds = 0.5}));
  client_.servers = {servers_[0]->address()};
  ParameterWatch watch(client_);
  watch.begin();  // is nobody that the server would wait for
  watch.ask(kNever);
  EXPECT_EQ(message_of<PeerError>([&] { watch.take(); }),
            "server 0 of 1 (" + client_.servers[0] + "): no worker has come");
  expect_served_end();
}

TEST_F(ParameterWatchTest, NamesWhomItCannotReach) {
  ParameterWatch watch({.servers = {"127.0.0.1:1"}, .begin_seconds = 0.2});
  EXPECT_EQ(message_of<PeerError>([&] { watch.begin(); }),
            "evaluator got no answer of server 0 of 1 (127.0.0.1:1) after 0.2 s, which cannot be reached");
  EXPECT_EQ(message_of([] { ParameterWatch none({}); }), "parameter servers: there must be one, got no address");
}

TEST_F(ParameterWatchTest, RefusesServersOfAnotherNumberOrOrder) {
  const auto plan = start(2, {.workers = 1});
  ParameterWatch one({.servers = {client_.servers[0]}}), turned({.servers = {client_.servers[1], client_.servers[0]}});
  for (auto* watch : {&one, &turned}) {
    watch->begin();
    watch->ask(1);
  }
  work(plan, 0, 2);
  EXPECT_EQ(message_of([&] { one.take(); }), "evaluator: must be given the 2 servers that the workers have, got 1");
  EXPECT_EQ(message_of([&] { turned.take(); }),
            "evaluator: server 0 of 2 (" + client_.servers[1] +
                ") is number 1 of its job: servers must be named in the workers' order");
}

// A server that is asked to end lets its workers end by themselves.
TEST_F(ParameterWatchTest, AStopLetsWorkersEndFirst) {
  const auto plan = start(1, {.mode = ServerMode::async, .workers = 1});
  std::latch trains(1);
  std::thread worker([&] {
    DeskClient desk({.servers = client_.servers});
    bool stopped = false;
    work(plan, 0, kNever, [&] {
      stopped = desk.take(0, kNever, {}, false).deal == Deal::stopped;
      if (!stopped && trains.try_wait() == false) trains.count_down();
      return !stopped;
    });
    EXPECT_TRUE(stopped);
  });
  trains.wait();
  servers_[0]->stop_after(60);
  worker.join();
  servers_[0]->wait();  // no failure
  EXPECT_TRUE(servers_[0]->done());
}

}  // namespace
}  // namespace tandem::servers
