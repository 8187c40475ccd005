// Servers and workers over real sockets: threads of this process over tcp and within it.
#include "tandem/servers/server.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <thread>

#include "tandem/core/steady_seconds.h"
#include "tandem/servers/plan_test.h"
#include "tandem/servers/server_client.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/on_threads.h"

namespace tandem::servers {
namespace {

using testing::message_of;

std::vector<std::unique_ptr<Server>> some_servers(int64_t count, bool within_process, ServerOptions options = {}) {
  static std::atomic<int> number = 0;
  std::vector<std::unique_ptr<Server>> servers;
  for (int64_t s = 0; s < count; ++s) {
    if (within_process) options.address = "inproc://server-" + std::to_string(++number);
    servers.push_back(std::make_unique<Server>(options));
  }
  return servers;
}

std::vector<std::string> addresses_of(const std::vector<std::unique_ptr<Server>>& servers) {
  std::vector<std::string> addresses;
  for (const auto& server : servers) addresses.push_back(server->address());
  return addresses;
}

void push_all(ServerClient& client, const ServerPlan& plan, const Tensor& gradients, const PushOptions& options = {}) {
  for (int64_t b = plan.blocks() - 1; b >= 0; --b) client.push(b, gradients, options);  // as backward makes them
}

void train_sync(const ServerPlan& plan, bool within_process, const std::string& what) {
  constexpr int kSteps = 4;
  const auto servers = some_servers(plan.servers(), within_process);
  const auto addresses = addresses_of(servers);
  PlainTraining plain(plan);
  for (int step = 0; step < kSteps; ++step) plain.update(tree_sum(some_gradients(plan, plan.workers, step)));
  testing::on_threads(plan.workers, [&](int64_t w) {
    ServerClient client({.servers = addresses, .worker = w});
    // Only worker 0's parameters count.
    Tensor parameters = at::full({plan.elements}, static_cast<double>(w));
    client.begin(plan, parameters);
    EXPECT_TRUE(parameters.equal(at::zeros({plan.elements})));
    for (int step = 0; step < kSteps; ++step) {
      const auto gradients = some_gradients(plan, plan.workers, step)[static_cast<std::size_t>(w)];
      push_all(client, plan, gradients);
      std::vector<bool> seen(static_cast<std::size_t>(plan.blocks()));
      const auto outcome = client.finish(parameters, [&](int64_t b) { seen[static_cast<std::size_t>(b)] = true; });
      EXPECT_EQ(outcome.applied, plan.blocks());
      EXPECT_EQ(std::count(seen.begin(), seen.end(), true), plan.blocks());
    }
    EXPECT_TRUE(parameters.equal(plain.parameters())) << what;
    EXPECT_EQ(client.bytes_sent(), kSteps * plan.elements * 4);
    EXPECT_EQ(client.bytes_received(), (kSteps + 1) * plan.elements * 4);
    if (w == 0) {
      for (const auto& figures : client.figures()) EXPECT_EQ(figures.updates, kSteps);
    }
    client.leave();
  });
  for (const auto& server : servers) server->wait();
}

TEST(Server, ThreadsThatNoMachineHasAreRefused) {
  for (const int64_t threads : {0, 1025, 100'000}) {
    EXPECT_EQ(message_of<InvalidArgument>([&] { Server({.address = "127.0.0.1:0", .threads = threads}); }),
              "server at 127.0.0.1:0: threads must be from 1 to 1024, got " + std::to_string(threads));
  }
}

TEST(Server, SyncEqualsThePlainOptimizerToTheBit) {
  for (const auto& [name, config] : rules()) {
    for (const int64_t servers : {1, 3}) {
      for (const bool within_process : {true, false}) {
        const auto what = name + config.shown() + " on " + std::to_string(servers);
        train_sync(plan_of(name, config, {.workers = servers == 1 ? 4 : 3}, servers, 64), within_process, what);
      }
    }
  }
}

TEST(Server, LargeBlocksGoWithoutCopies) {
  ServerPlan wishes{.workers = 2, .weights = {{"w", 0, {3000, 301}}}, .elements = 3000 * 301 + 4};
  train_sync(divide_among_servers(wishes, *Optimizer::make("sgd"), 2), false, "large");
  train_sync(divide_among_servers(wishes, *Optimizer::make("sgd"), 2), true, "large");
}

TEST(Server, AsyncWorkersJoinAndLeaveAsTheyLike) {
  const auto plan =
      plan_of("SGD", Config::object({{"learning_rate", 1.0}}), {.mode = ServerMode::async, .workers = 3}, 2, 64);
  const auto servers = some_servers(2, false);
  const auto ones = at::ones({plan.elements});
  Tensor parameters = at::zeros({plan.elements});
  ServerClient first({.servers = addresses_of(servers), .worker = 0});
  first.begin(plan, parameters);
  push_all(first, plan, ones);
  first.finish(parameters);
  {
    ServerClient second({.servers = addresses_of(servers), .worker = 2});
    second.begin(plan, parameters);
    EXPECT_TRUE(parameters.equal(-ones));
    push_all(second, plan, ones);
    second.finish(parameters);
    second.leave();
  }
  push_all(first, plan, ones, {.rate = 0.5, .scale = 2});
  const auto outcome = first.finish(parameters);
  EXPECT_EQ(outcome.max_staleness, 1);
  EXPECT_TRUE(parameters.equal(-3 * ones));
  ServerClient again({.servers = addresses_of(servers), .worker = 2});
  again.begin(plan, parameters);
  push_all(again, plan, ones);
  again.finish(parameters);
  EXPECT_TRUE(parameters.equal(-4 * ones));
  for (const auto& figures : again.figures()) EXPECT_EQ(figures.by_staleness, (std::vector<int64_t>{3, 1}));
}

TEST(Server, StalenessStaysWithinItsBoundAmongThreads) {
  const auto plan = plan_of("SGD", Config::object(), {.mode = ServerMode::stale, .workers = 4, .staleness = 2}, 2, 64);
  const auto servers = some_servers(2, true);
  testing::on_threads(4, [&](int64_t w) {
    ServerClient client({.servers = addresses_of(servers), .worker = w});
    Tensor parameters = at::zeros({plan.elements});
    client.begin(plan, parameters);
    for (int step = 0; step < (w == 3 ? 10 : 100); ++step) {
      push_all(client, plan, at::ones({plan.elements}));
      client.finish(parameters);
    }
    client.rest();
    for (const auto& figures : client.figures()) EXPECT_LE(figures.max_staleness, 2);
    client.leave();
  });
  for (const auto& server : servers) server->wait();
}

TEST(Server, StateIsGatheredAndGivenBack) {
  const auto plan = plan_of("Adam", Config::object(), {}, 2, 64);
  PlainTraining plain(plan);
  RangeState state;
  Tensor parameters = at::zeros({plan.elements});
  for (int step = 0; step < 2; ++step) {  // each on servers of its own
    const auto servers = some_servers(2, true);
    ServerClient client({.servers = addresses_of(servers)});
    client.begin(plan, parameters);
    if (step > 0) client.set_state(state);
    const auto gradients = some_gradients(plan, 1, step)[0];
    push_all(client, plan, gradients);
    client.finish(parameters);
    state = client.state();
    plain.update(gradients.clone());
    client.leave();
  }
  EXPECT_EQ(state.iterations, 2);
  EXPECT_TRUE(parameters.equal(plain.parameters()));
  ASSERT_EQ(state.slots.size(), plain.slots().size());
  for (std::size_t s = 0; s < state.slots.size(); ++s) EXPECT_TRUE(state.slots[s].equal(plain.slots()[s]));
}

TEST(Server, AStepThatIsGivenUpLeavesNothingBehind) {
  for (const auto mode : {ServerMode::sync, ServerMode::async}) {
    const auto plan = plan_of("SGD", Config::object({{"learning_rate", 1.0}}), {.mode = mode, .workers = 2}, 2, 64);
    const auto servers = some_servers(2, true);
    ServerClient first({.servers = addresses_of(servers), .worker = 0});
    ServerClient second({.servers = addresses_of(servers), .worker = 1});
    Tensor own = at::zeros({plan.elements}), other = own.clone();
    first.begin(plan, own);
    second.begin(plan, other);
    // The first has pushed all but one block when the second fails.
    for (int64_t b = 1; b < plan.blocks(); ++b) first.push(b, at::ones({plan.elements}));
    first.abort("the second has failed");
    if (mode == ServerMode::sync) {
      first.push(0, at::ones({plan.elements}));
      EXPECT_EQ(message_of<PeerError>([&] { first.finish(own); }), "worker 0: the second has failed");
    }
    first.give_up();
    second.give_up();
    first.set_parameters(at::full({plan.elements}, 5.0));
    std::latch pulled(2);  // in async the other's push would show
    testing::on_threads(2, [&](int64_t w) {
      auto& client = w == 0 ? first : second;
      auto& parameters = w == 0 ? own : other;
      client.pull(parameters);
      pulled.arrive_and_wait();
      EXPECT_TRUE(parameters.eq(5).all().item<bool>());
      if (mode == ServerMode::async && w == 1) return client.rest();
      push_all(client, plan, at::full({plan.elements}, 0.5));
      client.finish(parameters);
    });
    const double steps = mode == ServerMode::sync ? 2 : 1;
    EXPECT_TRUE(own.eq(5 - 0.5 * steps).all().item<bool>()) << own;
  }
}

// Each server takes the two gradients that come to it first, which need not be of the same workers. Two passes, of
// which the workers make unequal parts: the last updates have fewer gradients.
TEST(Server, WithBackupWorkersNobodyWaitsForEverWhoeverComesFirstWhere) {
  const auto plan =
      plan_of("SGD", Config::object({{"learning_rate", 0.0}}), {.workers = 4, .backup_workers = 2}, 3, 64);
  const auto servers = some_servers(3, false);
  std::atomic<int64_t> pushed = 0;
  std::latch first_ended(4), second_ended(4);
  testing::on_threads(4, [&](int64_t w) {
    ServerClient client({.servers = addresses_of(servers), .worker = w, .wait_seconds = 60});
    Tensor parameters = at::zeros({plan.elements});
    client.begin(plan, parameters);
    for (int64_t pass = 1; pass <= 2; ++pass) {
      client.pull(parameters, pass);
      for (int64_t step = 0; step < 40 * (w + 1); ++step) {
        for (int64_t i = 0; i < plan.blocks(); ++i) client.push((i + w * 7) % plan.blocks(), at::ones({plan.elements}));
        client.finish(parameters);
        ++pushed;
      }
      client.rest(pass);
      (pass == 1 ? first_ended : second_ended).arrive_and_wait();
    }
    if (w == 0) {
      for (const auto& figures : client.figures()) {
        EXPECT_EQ(figures.gradients() + figures.dropped, pushed);
        EXPECT_EQ(figures.dropped_rows, figures.dropped);  // of one row each
        EXPECT_LE(figures.gradients(), 2 * figures.updates);
      }
    }
    client.leave();
  });
}

TEST(Server, SpeaksOnlyWithThoseThatHaveTheKey) {
  const auto key = comm::JobKey::fresh();
  const auto plan = plan_of("SGD", Config::object(), {}, 1, 64);
  Server server({.key = key});
  Tensor parameters = at::zeros({plan.elements});
  for (const auto& wrong : {std::optional<comm::JobKey>(), std::optional(comm::JobKey::fresh())}) {
    ServerClient client({.servers = {server.address()}, .key = wrong, .wait_seconds = 20});
    const auto message = message_of<PeerError>([&] { client.begin(plan, parameters); });
    EXPECT_NE(message.find("server 0 of 1 (" + server.address() + "): refuses to speak with us"), std::string::npos)
        << message;
  }
  ServerClient client({.servers = {server.address()}, .key = key});
  client.begin(plan, parameters);
  push_all(client, plan, at::ones({plan.elements}));
  client.finish(parameters);
  EXPECT_TRUE(at::allclose(parameters, at::full({plan.elements}, -0.01)));
  client.leave();
  server.wait();
}

// Also where it has heard so before it says the first word.
TEST(Server, WithAKeyOnOneSideAloneNobodySpeaks) {
  const auto plan = plan_of("SGD", Config::object(), {}, 1, 64);
  Tensor parameters = at::zeros({plan.elements});
  for (const bool has_key : {true, false}) {
    const auto key = std::optional(comm::JobKey::fresh()), none = std::optional<comm::JobKey>();
    Server server({.key = has_key ? key : none});
    ServerClient client({.servers = {server.address()}, .key = has_key ? none : key, .wait_seconds = 20});
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const auto message = message_of<PeerError>([&] { client.begin(plan, parameters); });
    EXPECT_EQ(message, "server 0 of 1 (" + server.address() +
                           "): refuses to speak with us: both must have the same key, or none");
  }
}

TEST(Server, AddressesThatCannotBeAreRefused) {
  EXPECT_EQ(message_of([] { Server({.address = "127.0.0.1:99999"}); }),
            "server address, port of '127.0.0.1:99999': must be from 0 to 65535, got 99999");
  EXPECT_EQ(message_of([] {
              Server({.hosts = {"127.0.0.1:1", "127.0.0.1:1"}});
            }),
            "server: hosts: every server must have an address of its own, got 127.0.0.1:1 twice");
}

TEST(Server, ListensBeyondLoopbackOnlyWithAKey) {
  EXPECT_EQ(message_of([] { Server({.address = "example.org:0"}); }),
            "server at example.org:0: a key must be given to listen beyond loopback");
  EXPECT_EQ(message_of([] { Server({.address = "no-such-host.invalid:0", .key = comm::JobKey::fresh()}); }),
            "server at no-such-host.invalid:0: its host must be known, with a way to it, got 'no-such-host.invalid'");
  const Server server;
  EXPECT_NE(message_of([&] { Server({.address = server.address()}); }).find("cannot listen there"), std::string::npos);
}

TEST(Server, AStoppedOneIsNamedAtOnce) {
  for (const bool within_process : {true, false}) {
    const auto plan = plan_of("SGD", Config::object(), {.workers = 2}, 2, 64);
    auto servers = some_servers(2, within_process);
    const auto addresses = addresses_of(servers);
    std::atomic<int> pushed = 0;
    std::atomic<bool> done = false;
    testing::on_threads(2, [&](int64_t w) {
      ServerClient client({.servers = addresses, .worker = w});
      Tensor parameters = at::zeros({plan.elements});
      client.begin(plan, parameters);
      if (w == 0) push_all(client, plan, parameters.clone());
      ++pushed;
      if (w == 1) {
        while (pushed < 2) std::this_thread::yield();
        servers[1]->stop();
        done.wait(false);  // or the other would hear first that this one has left
        return;
      }
      const auto message = message_of<PeerError>([&] { client.finish(parameters); });
      EXPECT_EQ(message.find("server 1 of 2 (" + addresses[1] + "): it has been stopped"), 0) << message;
      done = true;
      done.notify_all();
    });
  }
}

TEST(Server, InSyncAWorkerThatLeavesIsNamedToTheOthers) {
  const auto plan = plan_of("SGD", Config::object(), {.workers = 2}, 1, 64);
  const auto servers = some_servers(1, false);
  testing::on_threads(2, [&](int64_t w) {
    ServerClient client({.servers = addresses_of(servers), .worker = w});
    Tensor parameters = at::zeros({plan.elements});
    client.begin(plan, parameters);
    if (w == 1) return;
    push_all(client, plan, parameters.clone());
    const auto message = message_of<PeerError>([&] { client.finish(parameters); });
    EXPECT_NE(message.find("worker 1 has left"), std::string::npos) << message;
  });
  EXPECT_NE(message_of<PeerError>([&] { servers[0]->wait(); }).find("worker 1 has left"), std::string::npos);
}

TEST(Server, NamesWhomItWaitsFor) {
  const auto plan = plan_of("SGD", Config::object(), {.workers = 2}, 1, 64);
  const auto servers = some_servers(1, false);
  std::atomic<bool> done = false;
  testing::on_threads(2, [&](int64_t w) {
    ServerClient client({.servers = addresses_of(servers), .worker = w, .wait_seconds = 2.5});
    Tensor parameters = at::zeros({plan.elements});
    client.begin(plan, parameters);
    if (w == 1) {
      done.wait(false);
      return;
    }
    push_all(client, plan, parameters.clone());
    const auto message = message_of<PeerError>([&] { client.finish(parameters); });
    EXPECT_NE(message.find("after 2.5 s, which waits for worker 1"), std::string::npos) << message;
    done = true;
    done.notify_all();
  });
}

TEST(Server, PlansMustAgree) {
  const auto plan = plan_of("SGD", Config::object(), {.mode = ServerMode::async, .workers = 2}, 1, 64);
  const auto servers = some_servers(1, true);
  ServerClient first({.servers = addresses_of(servers)});
  Tensor parameters = at::zeros({plan.elements});
  first.begin(plan, parameters);
  ServerClient second({.servers = addresses_of(servers), .worker = 1});
  auto other = plan_of("Adam", Config::object(), {.mode = ServerMode::async, .workers = 2}, 1, 64);
  EXPECT_NE(message_of([&] { second.begin(other, parameters); }).find("plan differs from worker 0's"),
            std::string::npos);
}

TEST(ServerClient, NamesWhatItCannotDo) {
  const auto plan = plan_of("SGD", Config::object(), {}, 1, 64);
  const auto servers = some_servers(1, true);
  EXPECT_THROW(ServerClient({}), InvalidArgument);
  ServerClient client({.servers = addresses_of(servers)});
  Tensor parameters = at::zeros({plan.elements});
  EXPECT_NE(message_of([&] { client.push(0, parameters); }).find("begin must be called first"), std::string::npos);
  client.begin(plan, parameters);
  EXPECT_NE(message_of([&] { client.push(99, parameters); }).find("got 99"), std::string::npos);
  Tensor few = at::zeros({3});
  EXPECT_NE(message_of([&] { client.push(0, few); }).find("of 128 elements"), std::string::npos);
  EXPECT_NE(message_of([&] { client.finish(parameters); }).find("block 0 must be pushed before"), std::string::npos);
  client.push(0, parameters);
  EXPECT_NE(message_of([&] { client.push(0, parameters); }).find("has been pushed already"), std::string::npos);
}

TEST(ServerClient, GivesUpAtOnceWhatHasNotBegun) {  // it would wait for an answer of one that was never there
  const auto plan = plan_of("SGD", Config::object(), {}, 1, 64);
  const auto address = [] { return Server().address(); }();
  ServerClient client({.servers = {address}, .begin_seconds = 0.3, .wait_seconds = 1});
  Tensor parameters = at::zeros({plan.elements});
  EXPECT_NE(message_of<PeerError>([&] { client.begin(plan, parameters); }).find("worker 0 was not greeted by server 0"),
            std::string::npos);
  EXPECT_NO_THROW(client.give_up());
}

TEST(ServerClient, ToldToEndDoesNotWaitForServersThatAreNotThere) {
  const auto plan = plan_of("SGD", Config::object(), {}, 1, 64);
  const auto address = [] { return Server().address(); }();
  std::stop_source stops;
  ServerClient client({.servers = {address}, .begin_seconds = 600, .stop = stops.get_token()});
  Tensor parameters = at::zeros({plan.elements});
  std::jthread other([&] { stops.request_stop(); });
  EXPECT_EQ(message_of<Stopped>([&] { client.begin(plan, parameters); }),
            "worker 0: was told to end before all servers had answered");
}

TEST(ServerClient, HearsThatAServerIsBeingStopped) {
  const auto plan = plan_of("SGD", Config::object(), {.mode = ServerMode::async, .workers = 1}, 2, 64);
  const auto servers = some_servers(2, false);
  ServerClient client({.servers = addresses_of(servers)});
  Tensor parameters = at::zeros({plan.elements});
  client.begin(plan, parameters);
  EXPECT_FALSE(client.servers_stop());
  servers[1]->stop_after(60);
  const double begin = steady_seconds();
  while (!client.servers_stop() && steady_seconds() - begin < 30) client.pull(parameters);
  EXPECT_TRUE(client.servers_stop());
  client.leave();
  servers[1]->wait();
  EXPECT_TRUE(servers[1]->done());
}

}  // namespace
}  // namespace tandem::servers
