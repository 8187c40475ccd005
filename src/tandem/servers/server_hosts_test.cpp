// Topology per-host over real sockets: servers with workers of their own, as threads of this process.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>

#include "tandem/servers/desk_client.h"
#include "tandem/servers/hosts_test.h"
#include "tandem/testing/on_threads.h"

namespace tandem::servers {
namespace {

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
      for (int64_t i = 0; i < 3 * host; ++i) client.pull(parameters);  // hosts of different speeds
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
    std::latch stepped(3), looked(3);
    testing::on_threads(3, [&](int64_t host) {
      ServerClient client(hosts.client(host));
      Tensor parameters = at::zeros({plan.elements});
      client.begin(plan, parameters);
      step(client, plan, at::full({plan.elements}, static_cast<double>(100 * host)), parameters);  // rate 0.01
      EXPECT_TRUE(parameters.eq(-host).all().item<bool>());
      stepped.arrive_and_wait();
      client.average();
      client.pull(parameters);
      EXPECT_TRUE(parameters.eq(-1).all().item<bool>()) << way << parameters[0];
      const auto figures = client.figures()[0];
      if (way == "async-scatter-sum") {  // as many as ask, or fewer
        EXPECT_GE(figures.bytes_to_servers, figures.rounds * 2 * plan.elements * 4);
      } else {
        EXPECT_EQ(figures.rounds, 1);
        EXPECT_EQ(figures.bytes_to_servers, way == "ring" ? 2 * 2 * plan.elements * 4 / 3 : 2 * plan.elements * 4);
      }
      looked.arrive_and_wait();  // nothing is sent to those that have left
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
        if (worker == 0 && s == 20) client.average();                    // while worker 1 goes on
        for (int64_t i = 0; i < 2 - host; ++i) client.pull(parameters);  // the slowest has least to do
        step(client, plan, at::ones({plan.elements}), parameters);
      }
      trained.arrive_and_wait();
      if (worker == 0) {
        client.average();
        client.pull(parameters);
        results[host] = parameters.clone();
      }
      client.leave();
    });
    hosts.wait();
    double sum = 0;
    for (int64_t host = 0; host < kHosts; ++host) sum += static_cast<double>(kWorkers * steps_of(host)) * 0.25;
    for (const auto& result : results) {
      // Servers may have made one round more than others, of equal parameters.
      EXPECT_LE((result + sum / kHosts).abs().max().item<double>(), 1e-5 * sum) << result[0];
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

// Others of its workers may still use the work desk of its server.
TEST(ServerHosts, OneWhoseDeskIsUsedIsNotWaitedFor) {
  for (const std::string way : {"all-reduce", "ring"}) {
    const auto plan = host_plan(ServerMode::async, 1);
    Hosts hosts(2, false, {.server_sync = way});
    DeskClient desk(hosts.client(0, 1));
    desk.say("fit", "goes on");
    testing::on_threads(2, [&](int64_t host) {
      ServerClient client(hosts.client(host));
      Tensor parameters = at::zeros({plan.elements});
      client.begin(plan, parameters);
      for (int64_t s = 0; s < 1 + 4 * host; ++s) step(client, plan, at::ones({plan.elements}), parameters);
      client.leave();
    });
    EXPECT_EQ(desk.hear("fit"), "goes on");
  }
}

TEST(ServerHosts, OneWhoseWorkersRestJoinsWithWhatItHas) {
  for (const std::string way : {"all-reduce", "ring"}) {
    const auto plan = host_plan(ServerMode::async, 1);
    Hosts hosts(2, false, {.server_sync = way});
    std::latch rests(2), done(2);
    testing::on_threads(2, [&](int64_t host) {
      ServerClient client(hosts.client(host));
      Tensor parameters = at::zeros({plan.elements});
      client.begin(plan, parameters);
      if (host == 0) client.rest();
      rests.arrive_and_wait();
      if (host == 1) step(client, plan, at::ones({plan.elements}), parameters);
      if (host == 1) step(client, plan, at::ones({plan.elements}), parameters);
      done.arrive_and_wait();
      client.pull(parameters);
      EXPECT_TRUE(parameters.eq(-0.25).all().item<bool>()) << way << parameters[0];  // half of each step
      EXPECT_EQ(client.figures()[0].rounds, 2);
      client.leave();
    });
    hosts.wait();
  }
}

// Where each trained as long as it liked, and nobody does now.
TEST(ServerHosts, TheRoundBehindTheLastThatWasBegunMakesAllTheSame) {
  for (const std::string way : {"all-reduce", "ring", "async-scatter-sum"}) {
    constexpr int64_t kHosts = 3, kWorkers = 2;
    const auto plan = host_plan(ServerMode::async, kWorkers);
    Hosts hosts(kHosts, true, {.server_sync = way, .sync_every = 3});
    std::latch rest(kHosts * kWorkers);
    std::atomic<int64_t> begun{0};
    Tensor results[kHosts * kWorkers];
    testing::on_threads(kHosts * kWorkers, [&](int64_t i) {
      const int64_t host = i / kWorkers;
      ServerClient client(hosts.client(host, i % kWorkers));
      Tensor parameters = at::zeros({plan.elements});
      client.begin(plan, parameters);
      for (int64_t s = 0; s < 7 + 10 * host; ++s) step(client, plan, gradient_of(parameters, host, i), parameters);
      client.rest();
      const int64_t own = client.figures()[0].rounds_begun;
      for (auto most = begun.load(); most < own && !begun.compare_exchange_weak(most, own);) {
      }
      rest.arrive_and_wait();
      client.average(begun + 1);  // each worker asks
      client.pull(parameters);
      results[i] = parameters.clone();
      EXPECT_EQ(client.figures()[0].rounds, begun + 1);
      rest.wait();
      client.leave();
    });
    for (const auto& result : results) EXPECT_TRUE(result.equal(results[0])) << way;
    hosts.wait();
  }
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

}  // namespace
}  // namespace tandem::servers
