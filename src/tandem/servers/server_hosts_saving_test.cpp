// Topology per-host: servers that save, are lost, and go on, as threads of this process.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <latch>

#include "tandem/servers/hosts_test.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/on_threads.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::servers {
namespace {

using testing::message_of;

constexpr int64_t kEvery = 2;

ServerOptions saving(const testing::TemporaryFolder& folder, const std::string& way) {
  return {.server_sync = way, .sync_every = kEvery, .save = {.folder = folder.path(), .every_updates = 4}};
}

ServerPlan momentum_plan(ServerMode mode, int64_t workers) {
  return plan_of("SGD", Config::object({{"learning_rate", 0.25}, {"momentum", 0.5}}),
                 {.mode = mode, .workers = workers}, 1, 64);
}

std::vector<std::string> names_in(const testing::TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

// Begins, and goes on to the update `last`; gives the update that it began from.
int64_t go_on(ServerClient& client, const ServerPlan& plan, int64_t host, int64_t worker, Tensor& parameters,
              int64_t last) {
  parameters.fill_(client.resumed());
  client.begin(plan, parameters);
  for (int64_t update = client.resumed(); update < last; ++update) {
    const auto gradient = parameters.mul(0.5).add_(static_cast<double>(1 + host) + 0.3 * static_cast<double>(worker));
    step(client, plan, gradient, parameters);
  }
  return client.resumed();
}

// Of all workers, after so many updates.
std::vector<Tensor> train_to_the_end(const Hosts& hosts, const ServerPlan& plan, int64_t last, int64_t begins_from) {
  const auto workers = plan.workers;
  std::vector<Tensor> all(hosts.servers.size() * static_cast<std::size_t>(workers));
  testing::on_threads(static_cast<int64_t>(all.size()), [&](int64_t i) {
    ServerClient client(hosts.client(i / workers, i % workers));
    auto& parameters = all[static_cast<std::size_t>(i)] = at::zeros({plan.elements});
    EXPECT_EQ(go_on(client, plan, i / workers, i % workers, parameters, last), begins_from);
    client.leave();
  });
  return all;
}

// Trains, and then server 1 is lost; what workers of others are told.
std::vector<std::string> train_and_lose(Hosts hosts, const ServerPlan& plan, int64_t last) {
  const auto workers = plan.workers;
  const auto count = static_cast<int64_t>(hosts.servers.size()) * workers;
  std::latch trained(count), lost(1);
  std::vector<std::string> told(static_cast<std::size_t>(count));
  testing::on_threads(count, [&](int64_t i) {
    ServerClient client(hosts.client(i / workers, i % workers));
    Tensor parameters = at::zeros({plan.elements});
    EXPECT_EQ(go_on(client, plan, i / workers, i % workers, parameters, last), 0);
    trained.arrive_and_wait();
    if (i == workers) {
      hosts.servers[1]->stop();
      lost.count_down();
    }
    lost.wait();
    told[static_cast<std::size_t>(i)] = message_of<PeerError>([&] {
      for (;;) step(client, plan, parameters.clone(), parameters);
    });
  });
  for (int64_t i = 0; i < count; ++i) {
    if (i / workers != 1) {
      EXPECT_NE(told[static_cast<std::size_t>(i)].find(hosts.name(1) + ": it has been stopped"), std::string::npos)
          << told[static_cast<std::size_t>(i)];
    }
  }
  for (const auto& server : hosts.servers)
    EXPECT_NE(message_of<PeerError>([&] { server->wait(); }).find("it has been stopped"), std::string::npos);
  return told;
}

TEST(ServerHostsSaving, TheyGoOnAsIfNothingHadHappened) {
  for (const std::string way : {"all-reduce", "ring"}) {
    for (const bool within_process : {true, false}) {
      const auto plan = momentum_plan(ServerMode::sync, 2);
      Hosts whole(3, within_process, {.server_sync = way, .sync_every = kEvery});
      const auto expected = train_to_the_end(whole, plan, 13, 0);
      whole.wait();  // figures are there at the end
      const testing::TemporaryFolder folder;
      train_and_lose(Hosts(3, within_process, saving(folder, way)), plan, 11);
      EXPECT_EQ(names_in(folder),
                (std::vector<std::string>{"host-0-of-3-round-2.snapshot", "host-0-of-3-round-4.snapshot",
                                          "host-1-of-3-round-2.snapshot", "host-1-of-3-round-4.snapshot",
                                          "host-2-of-3-round-2.snapshot", "host-2-of-3-round-4.snapshot"}));
      Hosts again(3, within_process, saving(folder, way));
      const auto got = train_to_the_end(again, plan, 13, 8);
      again.wait();
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(got[i].equal(expected[i])) << way << " " << i;
      EXPECT_EQ(again.servers[2]->figures().updates, 13);
      EXPECT_EQ(again.servers[2]->figures().rounds, 6);
      EXPECT_EQ(again.servers[2]->figures().bytes_to_servers, whole.servers[2]->figures().bytes_to_servers);
      EXPECT_EQ(names_in(folder), std::vector<std::string>());
    }
  }
}

// One whose workers have made no update has saved, too, and the first worker's parameters are not taken.
TEST(ServerHostsSaving, OneWhoseWorkersRestGoesOnWithTheOthers) {
  const auto plan = host_plan(ServerMode::async, 1);
  const testing::TemporaryFolder folder;
  for (const bool again : {false, true}) {
    Hosts hosts(2, true, saving(folder, "all-reduce"));
    std::latch rests(2), done(2), both(2);
    testing::on_threads(2, [&](int64_t host) {
      ServerClient client(hosts.client(host));
      Tensor parameters = at::full({plan.elements}, again ? 77.0 : 0.0);
      client.begin(plan, parameters);
      EXPECT_EQ(client.resumed(), again ? (host == 0 ? 1 : 4) : 0);
      EXPECT_TRUE(parameters.eq(again ? -0.5 : 0).all().item<bool>()) << parameters[0];  // half of each update
      if (host == 0) client.rest();
      rests.arrive_and_wait();
      for (int s = 0; s < 4 && host == 1; ++s) step(client, plan, at::ones({plan.elements}), parameters);
      done.arrive_and_wait();
      client.pull(parameters);
      EXPECT_TRUE(parameters.eq(again ? -1 : -0.5).all().item<bool>()) << parameters[0];
      both.arrive_and_wait();
      if (again) return client.leave();
      hosts.servers[static_cast<std::size_t>(host)]->stop();
    });
    if (again) hosts.wait();
  }
  EXPECT_EQ(names_in(folder), std::vector<std::string>());
}

// It keeps what it has saved until they are done, too, since one of them may still be lost.
TEST(ServerHostsSaving, OneWhoseWorkersAreDoneWaitsForTheOthers) {
  const auto plan = momentum_plan(ServerMode::sync, 1);
  for (const bool lost : {true, false}) {
    const testing::TemporaryFolder folder;
    Hosts hosts(2, false, saving(folder, "all-reduce"));
    testing::on_threads(2, [&](int64_t host) {
      ServerClient client(hosts.client(host));
      Tensor parameters = at::zeros({plan.elements});
      go_on(client, plan, host, 0, parameters, host == 0 ? 5 : 40);
      EXPECT_FALSE(hosts.servers[0]->has_ended());
      if (host == 1 && lost) return hosts.servers[1]->stop();
      client.leave();
    });
    if (lost) {
      const auto message = message_of<PeerError>([&] { hosts.servers[0]->wait(); });
      EXPECT_NE(message.find(hosts.name(1)), std::string::npos) << message;
      EXPECT_EQ(names_in(folder),
                (std::vector<std::string>{"host-0-of-2-round-2.snapshot", "host-1-of-2-round-2.snapshot"}));
    } else {
      hosts.wait();
      EXPECT_EQ(names_in(folder), std::vector<std::string>());
    }
  }
}

// What both workers are told when they begin with such servers; all of them end.
std::string refused_beginning(std::vector<ServerOptions> options, const ServerPlan& plan) {
  static int number = 0;
  std::vector<std::string> addresses;
  for (std::size_t h = 0; h < options.size(); ++h) addresses.push_back("inproc://refused-" + std::to_string(++number));
  std::vector<std::unique_ptr<Server>> servers;
  for (std::size_t h = 0; h < options.size(); ++h) {
    options[h].hosts = addresses;
    options[h].host = static_cast<int64_t>(h);
    servers.push_back(std::make_unique<Server>(options[h]));
  }
  std::vector<std::string> told(options.size());
  testing::on_threads(static_cast<int64_t>(options.size()), [&](int64_t host) {
    const auto h = static_cast<std::size_t>(host);
    ServerClient client({.servers = {addresses[h]}, .begin_seconds = 5});
    Tensor parameters = at::zeros({plan.elements});
    told[h] = message_of<Error>([&] {
      client.begin(plan, parameters);
      for (int s = 0; s < 2; ++s) step(client, plan, parameters.clone(), parameters);
    });
  });
  std::string all;
  for (const auto& one : told) all += one + "\n";
  for (const auto& server : servers) EXPECT_NE(message_of<PeerError>([&] { server->wait(); }), "nothing was thrown");
  return all;
}

TEST(ServerHostsSaving, NameWhatDoesNotFit) {
  const auto plan = momentum_plan(ServerMode::sync, 1);
  const testing::TemporaryFolder folder, none;
  train_and_lose(Hosts(2, true, saving(folder, "all-reduce")), plan, 9);
  const auto expect = [&](const std::string& part, std::vector<ServerOptions> options, const ServerPlan& its) {
    const auto told = refused_beginning(std::move(options), its);
    EXPECT_NE(told.find(part), std::string::npos) << told;
  };
  const auto good = saving(folder, "all-reduce");
  const std::string first = folder.file("host-0-of-2-round-4.snapshot");
  expect(first +
             ": was saved by server 0 of 2 with server_sync all-reduce and sync_every 2, this is server 0 of 2 with "
             "server_sync ring and sync_every 2; give another folder",
         {saving(folder, "ring"), saving(folder, "ring")}, plan);
  expect(": was saved by a job with 2 servers that average, this one has 3 servers that average", {good, good, good},
         plan);
  expect(first + ": was saved by a job with another model, optimizer, mode or number of workers", {good, good},
         host_plan(ServerMode::sync, 1));
  expect("which this one does", {good, {.sync_every = kEvery}}, plan);
  expect("parameter servers must go on from one round that all have saved; server 0 of 2 (inproc://refused-",
         {good, saving(none, "all-reduce")}, plan);
  testing::TemporaryFolder one;
  one.write("server-0-of-1-update-4.snapshot", "");
  expect("server-0-of-1-update-4.snapshot: was saved by a job with 1 servers, this one has 2 servers that average",
         {saving(one, "all-reduce"), saving(one, "all-reduce")}, plan);
  const auto bytes = testing::file_bytes(first);
  folder.write("host-0-of-2-round-4.snapshot", bytes.substr(0, bytes.size() - 4));
  expect(first + ": is damaged", {good, good}, plan);
  folder.write("host-0-of-2-round-4.snapshot", testing::file_bytes(folder.file("host-1-of-2-round-4.snapshot")));
  expect(first + ": was saved by server 1 of 2 ", {good, good}, plan);
  // What was refused is still there.
  folder.write("host-0-of-2-round-4.snapshot", bytes);
  Hosts again(2, true, good);
  train_to_the_end(again, plan, 10, 8);
  again.wait();
}

}  // namespace
}  // namespace tandem::servers
