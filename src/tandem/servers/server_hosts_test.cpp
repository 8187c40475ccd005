// Topology per-host over real sockets: servers with workers of their own, as threads of this process.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <zmq.hpp>

#include "tandem/cluster/free_port.h"
#include "tandem/servers/frame_socket.h"
#include "tandem/servers/plan_test.h"
#include "tandem/servers/server.h"
#include "tandem/servers/server_client.h"
#include "tandem/servers/server_message.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/on_threads.h"

namespace tandem::servers {
namespace {

using testing::message_of;

struct Hosts {
  Hosts(int64_t count, bool within_process, ServerOptions options) {
    static std::atomic<int> number = 0;
    for (int64_t h = 0; h < count; ++h)
      options.hosts.push_back(within_process ? "inproc://host-" + std::to_string(++number)
                                             : "127.0.0.1:" + std::to_string(cluster::free_port()));
    addresses = options.hosts;
    for (options.host = 0; options.host < count; ++options.host) servers.push_back(std::make_unique<Server>(options));
  }
  ClientOptions client(int64_t host, int64_t worker = 0) const {
    return {.servers = {addresses[static_cast<std::size_t>(host)]}, .worker = worker, .wait_seconds = 60};
  }
  void wait() {
    for (const auto& server : servers) server->wait();
  }
  std::string name(int64_t host) const {
    return "server " + std::to_string(host) + " of " + std::to_string(addresses.size()) + " (" +
           addresses[static_cast<std::size_t>(host)] + ")";
  }

  std::vector<std::string> addresses;
  std::vector<std::unique_ptr<Server>> servers;
};

ServerPlan host_plan(ServerMode mode, int64_t workers, const std::string& optimizer = "SGD") {
  return plan_of(optimizer, Config::object({{"learning_rate", 0.25}}), {.mode = mode, .workers = workers}, 1, 64);
}

PushOutcome step(ServerClient& client, const ServerPlan& plan, const Tensor& gradient, Tensor& parameters) {
  for (int64_t b = plan.blocks() - 1; b >= 0; --b) client.push(b, gradient);
  return client.finish(parameters);
}

// Of parameters: what a worker pushes depends on what it was given, so that it must have been the average.
Tensor gradient_of(const Tensor& parameters, int64_t host, int64_t worker) {
  return parameters.mul(0.5).add_(static_cast<double>(1 + host) + 0.3 * static_cast<double>(worker));
}

std::vector<Tensor> plain_average(std::vector<Tensor> hosts) {
  const auto average = tree_sum(hosts).div_(static_cast<double>(hosts.size()));
  return std::vector<Tensor>(hosts.size(), average);
}

// Local SGD without servers: parameters of each host after each step.
std::vector<std::vector<Tensor>> plain_steps(const ServerPlan& plan, int64_t hosts, int64_t every, int64_t steps) {
  std::vector<std::vector<Tensor>> all;
  std::vector<Tensor> now(static_cast<std::size_t>(hosts), at::zeros({plan.elements}));
  for (int64_t i = 1; i <= steps; ++i) {
    for (int64_t h = 0; h < hosts; ++h) {
      auto& own = now[static_cast<std::size_t>(h)];
      std::vector<Tensor> gradients;
      for (int64_t w = 0; w < plan.workers; ++w) gradients.push_back(gradient_of(own, h, w));
      own = own.sub(tree_sum(gradients), 0.25);
    }
    if (i % every == 0) now = plain_average(now);
    all.push_back(now);
  }
  return all;
}

void train_together(const std::string& way, int64_t count, int64_t workers, int64_t every, bool within_process) {
  constexpr int64_t kSteps = 6;
  const auto plan = host_plan(ServerMode::sync, workers);
  const auto expected = plain_steps(plan, count, every, kSteps);
  Hosts hosts(count, within_process, {.server_sync = way, .sync_every = every});
  std::vector<std::vector<Tensor>> last(static_cast<std::size_t>(count));
  testing::on_threads(count * workers, [&](int64_t i) {
    const int64_t host = i / workers, worker = i % workers;
    ServerClient client(hosts.client(host, worker));
    Tensor parameters = at::zeros({plan.elements});
    client.begin(plan, parameters);
    for (int64_t s = 0; s < kSteps; ++s) {
      EXPECT_EQ(step(client, plan, gradient_of(parameters, host, worker), parameters).applied, plan.blocks());
      const auto& wanted = expected[static_cast<std::size_t>(s)][static_cast<std::size_t>(host)];
      if (way == "all-reduce") {
        EXPECT_TRUE(parameters.equal(wanted)) << count << " hosts, step " << s;
      } else {
        EXPECT_TRUE(at::allclose(parameters, wanted, 1e-6, 1e-6)) << count << " hosts, step " << s;
      }
      if (worker == 0 && (s + 1) % every == 0) last[static_cast<std::size_t>(host)].push_back(parameters.clone());
    }
    if (worker == 0) {
      const auto figures = client.figures()[0];
      const int64_t rounds = kSteps / every;
      EXPECT_EQ(figures.updates, kSteps);
      EXPECT_EQ(figures.rounds, rounds);
      // 128 elements are two parts of 64 at most: rings of more have empty ones.
      if (way == "all-reduce") {
        EXPECT_EQ(figures.bytes_to_servers, rounds * (count - 1) * plan.elements * 4);
      } else if (count <= 2) {
        EXPECT_EQ(figures.bytes_to_servers, rounds * 2 * (count - 1) * plan.elements * 4 / count);
      }
    }
    client.leave();
  });
  for (const auto& host : last) {
    ASSERT_EQ(host.size(), last[0].size());
    for (std::size_t r = 0; r < host.size(); ++r) EXPECT_TRUE(host[r].equal(last[0][r])) << way << ", round " << r;
  }
  hosts.wait();
}

TEST(ServerHosts, GoOnFromTheAverage) {
  for (const std::string way : {"all-reduce", "ring"}) {
    for (int64_t count = 1; count <= 4; ++count) {
      train_together(way, count, 1, 1, true);
      train_together(way, count, count == 3 ? 1 : 2, 2, false);
    }
  }
}

TEST(ServerHosts, LargeParametersGoInPieces) {
  ServerPlan wishes{.workers = 1, .weights = {{"w", 0, {3072, 1000}}}, .elements = 3072 * 1000};
  const auto plan = divide_among_servers(wishes, *Optimizer::make("sgd"), 1);
  for (const std::string way : {"all-reduce", "ring", "async-scatter-sum"}) {
    Hosts hosts(3, false, {.server_sync = way, .sync_every = 0});
    testing::on_threads(3, [&](int64_t host) {
      ServerClient client(hosts.client(host));
      Tensor parameters = at::zeros({plan.elements});
      client.begin(plan, parameters);
      step(client, plan, at::full({plan.elements}, static_cast<double>(100 * host)), parameters);  // rate 0.01
      EXPECT_TRUE(parameters.eq(-host).all().item<bool>());
      client.average();
      client.pull(parameters);
      EXPECT_TRUE(parameters.eq(-1).all().item<bool>()) << way << parameters[0];
      const auto figures = client.figures()[0];
      EXPECT_EQ(figures.rounds, 1);
      EXPECT_EQ(figures.bytes_to_servers, way == "ring" ? 2 * 2 * plan.elements * 4 / 3 : 2 * plan.elements * 4);
      client.leave();
    });
    hosts.wait();
  }
}

// Each update takes a constant away, wherever it is made: what the average of all must be does not depend on when.
TEST(ServerHosts, AsyncScatterSumLosesNoUpdate) {
  for (const bool within_process : {true, false}) {
    constexpr int64_t kHosts = 3, kWorkers = 2;
    const auto plan = host_plan(ServerMode::async, kWorkers);
    Hosts hosts(kHosts, within_process, {.server_sync = "async-scatter-sum", .sync_every = 4});
    const auto steps_of = [](int64_t host) { return 40 * (host + 1); };  // of each worker
    std::latch trained(kHosts * kWorkers);
    Tensor results[kHosts];
    testing::on_threads(kHosts * kWorkers, [&](int64_t i) {
      const int64_t host = i / kWorkers, worker = i % kWorkers;
      ServerClient client(hosts.client(host, worker));
      Tensor parameters = at::zeros({plan.elements});
      client.begin(plan, parameters);
      for (int64_t s = 0; s < steps_of(host); ++s) {
        if (worker == 0 && s == 20) client.average();  // while worker 1 goes on
        step(client, plan, at::ones({plan.elements}), parameters);
      }
      trained.arrive_and_wait();
      if (worker == 0) {
        // Servers have come to different rounds by themselves; all come to the one that is as far as any is, and to as
        // many more as bring them level.
        for (int64_t r = client.figures()[0].rounds; r < 100; r = client.figures()[0].rounds) client.average();
        client.pull(parameters);
        results[host] = parameters.clone();
      }
      client.leave();
    });
    hosts.wait();
    double sum = 0;
    for (int64_t host = 0; host < kHosts; ++host) sum += static_cast<double>(kWorkers * steps_of(host)) * 0.25;
    for (const auto& result : results) {
      EXPECT_TRUE(result.equal(results[0]));
      EXPECT_LE((result + sum / kHosts).abs().max().item<double>(), 1e-3 * sum) << result[0];
    }
  }
}

TEST(ServerHosts, SlotsStayTheServersOwn) {
  const auto plan = plan_of("SGD", Config::object({{"learning_rate", 1.0}, {"momentum", 0.5}}), {}, 1, 64);
  Hosts hosts(2, true, {});
  testing::on_threads(2, [&](int64_t host) {
    ServerClient client(hosts.client(host));
    Tensor parameters = at::zeros({plan.elements});
    client.begin(plan, parameters);
    step(client, plan, at::full({plan.elements}, host == 0 ? 1.0 : 3.0), parameters);
    EXPECT_TRUE(parameters.eq(-2).all().item<bool>());  // of -1 and -3
    const auto state = client.state();
    EXPECT_EQ(state.iterations, 1);
    EXPECT_TRUE(state.slots.at(0).eq(host == 0 ? -1 : -3).all().item<bool>());
    client.leave();
  });
  hosts.wait();
}

TEST(ServerHosts, OneWhoseWorkersAreDoneIsNotWaitedFor) {
  for (const std::string way : {"all-reduce", "ring", "async-scatter-sum"}) {
    const auto plan = host_plan(ServerMode::sync, 1);
    Hosts hosts(3, false, {.server_sync = way});
    testing::on_threads(3, [&](int64_t host) {
      ServerClient client(hosts.client(host));
      Tensor parameters = at::zeros({plan.elements});
      client.begin(plan, parameters);
      for (int64_t s = 0; s < 2 + 3 * host; ++s) step(client, plan, at::ones({plan.elements}), parameters);
      if (way != "async-scatter-sum") {
        EXPECT_EQ(client.figures()[0].rounds, 2 + 3 * host);
        EXPECT_TRUE(at::allclose(parameters, at::full({plan.elements}, -0.25 * static_cast<double>(2 + 3 * host))));
      }
      client.leave();
    });
    hosts.wait();
  }
}

TEST(ServerHosts, AStoppedOneIsNamedByTheOthers) {
  for (const std::string way : {"all-reduce", "ring"}) {
    for (const bool within_process : {true, false}) {
      const auto plan = host_plan(ServerMode::sync, 1);
      Hosts hosts(3, within_process, {.server_sync = way});
      std::latch begun(3), done(2);
      testing::on_threads(3, [&](int64_t host) {
        ServerClient client(hosts.client(host));
        Tensor parameters = at::zeros({plan.elements});
        client.begin(plan, parameters);
        begun.arrive_and_wait();
        if (host == 1) {
          hosts.servers[1]->stop();
          return done.wait();
        }
        const auto message = message_of<PeerError>([&] { step(client, plan, parameters.clone(), parameters); });
        EXPECT_NE(message.find(hosts.name(1) + ": it has been stopped"), std::string::npos) << message;
        done.count_down();
      });
    }
  }
}

// A socket that greets nobody, says nothing, and is closed when told.
class Mute {
 public:
  explicit Mute(const std::string& address) : address_(address), context_(context_for(address)) {
    socket_ = std::make_unique<zmq::socket_t>(*context_, zmq::socket_type::router);
    socket_->set(zmq::sockopt::linger, 0);
    socket_->bind(is_within_process(address) ? address : "tcp://" + address);
  }
  // Returns when somebody has said something.
  void hear() {
    zmq::pollitem_t item{*socket_, 0, ZMQ_POLLIN, 0};
    ASSERT_GT(zmq::poll(&item, 1, std::chrono::seconds(30)), 0);
  }
  void close() { socket_.reset(); }

 private:
  std::string address_;
  std::shared_ptr<zmq::context_t> context_;
  std::unique_ptr<zmq::socket_t> socket_;
};

TEST(ServerHosts, ASilentOneAndAClosedOneAreNamed) {
  const auto plan = host_plan(ServerMode::sync, 1);
  for (const bool closes : {false, true}) {
    const std::vector<std::string> addresses{"127.0.0.1:" + std::to_string(cluster::free_port()),
                                             "127.0.0.1:" + std::to_string(cluster::free_port())};
    Mute other(addresses[1]);
    Server server({.silence_seconds = closes ? 30 : 1.5, .hosts = addresses});
    ServerClient client({.servers = {addresses[0]}, .wait_seconds = 30});
    Tensor parameters = at::zeros({plan.elements});
    client.begin(plan, parameters);
    for (int64_t b = 0; b < plan.blocks(); ++b) client.push(b, parameters);
    if (closes) {
      other.hear();
      other.close();
    }
    const auto message = message_of<PeerError>([&] { client.finish(parameters); });
    const auto why = closes ? "its connection closed and did not come back within 2 s" : "has been silent for 1.5 s";
    EXPECT_NE(message.find("server 1 of 2 (" + addresses[1] + "): " + why), std::string::npos) << message;
  }
}

TEST(ServerHosts, AsyncTrainsOnWithoutOneThatIsGone) {
  const auto plan = host_plan(ServerMode::async, 1);
  const std::vector<std::string> addresses{"127.0.0.1:" + std::to_string(cluster::free_port()),
                                           "127.0.0.1:" + std::to_string(cluster::free_port())};
  Mute other(addresses[1]);
  Server server({.silence_seconds = 1.5, .hosts = addresses, .server_sync = "async-scatter-sum"});
  ServerClient client({.servers = {addresses[0]}, .wait_seconds = 30});
  Tensor parameters = at::zeros({plan.elements});
  client.begin(plan, parameters);
  for (int s = 0; s < 10; ++s) step(client, plan, at::ones({plan.elements}), parameters);
  client.average();
  EXPECT_GE(client.figures()[0].rounds, 1);
  client.pull(parameters);
  EXPECT_TRUE(parameters.eq(-2.5).all().item<bool>());
  client.leave();
  server.wait();
}

TEST(ServerHosts, SpeakOnlyWithThoseThatHaveTheKey) {
  const auto plan = host_plan(ServerMode::sync, 1);
  const std::vector<std::string> addresses{"127.0.0.1:" + std::to_string(cluster::free_port()),
                                           "127.0.0.1:" + std::to_string(cluster::free_port())};
  const auto key = comm::JobKey::fresh();
  for (const auto& others : {std::optional(key), std::optional(comm::JobKey::fresh()), std::optional<comm::JobKey>()}) {
    Server first({.key = key, .hosts = addresses, .host = 0});
    Server second({.key = others, .hosts = addresses, .host = 1});
    testing::on_threads(2, [&](int64_t host) {
      ServerClient client({.servers = {addresses[static_cast<std::size_t>(host)]},
                           .key = host == 0 ? key : others,
                           .wait_seconds = 30});
      Tensor parameters = at::zeros({plan.elements});
      client.begin(plan, parameters);
      if (others && others->secret == key.secret) {
        step(client, plan, at::full({plan.elements}, static_cast<double>(host)), parameters);
        EXPECT_TRUE(parameters.eq(-0.125).all().item<bool>());
        return client.leave();
      }
      const auto message = message_of<PeerError>([&] { step(client, plan, parameters.clone(), parameters); });
      EXPECT_NE(message.find("refuses to speak with us: both must have the same key, or none"), std::string::npos)
          << message;
    });
  }
}

TEST(ServerHosts, MustAgree) {
  const auto refusal = [](ServerOptions first, ServerOptions second, double begin) {
    const auto plan = host_plan(ServerMode::sync, 1);
    static int number = 0;
    first.hosts =
        second.hosts = {"inproc://agree-" + std::to_string(++number), "inproc://agree-" + std::to_string(++number)};
    second.host = 1;
    Server servers[]{Server(first), Server(second)};
    std::string messages[2];
    testing::on_threads(2, [&](int64_t host) {
      ServerClient client({.servers = {first.hosts[static_cast<std::size_t>(host)]}, .wait_seconds = 30});
      Tensor parameters = at::full({plan.elements}, host == 0 ? 0 : begin);
      messages[host] = message_of<PeerError>([&] {
        client.begin(plan, parameters);
        step(client, plan, parameters.clone(), parameters);
      });
    });
    return messages[0] + messages[1];
  };
  EXPECT_NE(refusal({}, {.server_sync = "ring"}, 0).find("must have server_sync"), std::string::npos);
  EXPECT_NE(refusal({}, {.sync_every = 3}, 0).find("must have sync_every"), std::string::npos);
  EXPECT_NE(refusal({}, {}, 1).find("must begin with the same parameters"), std::string::npos);
  EXPECT_EQ(message_of([] {
              Server({.hosts = {"inproc://a", "inproc://b"}, .host = 2});
            }),
            "server: host must be from 0 to 1, got 2");
  EXPECT_EQ(message_of([] { Server({.hosts = {"inproc://a"}, .sync_every = -1}); }),
            "server: sync_every must be at least 0, got -1");
}

}  // namespace
}  // namespace tandem::servers
