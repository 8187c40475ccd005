// Topology per-host: servers that stop, fall silent, close, or are not of the group.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <latch>
#include <zmq.hpp>

#include "tandem/cluster/free_port.h"
#include "tandem/servers/frame_socket.h"
#include "tandem/servers/hosts_test.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/on_threads.h"

namespace tandem::servers {
namespace {

using testing::message_of;

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
    testing::on_threads(2, [&](int64_t host) {
      ServerClient client({.servers = {first.hosts[static_cast<std::size_t>(host)]}, .wait_seconds = 30});
      Tensor parameters = at::full({plan.elements}, host == 0 ? 0 : begin);
      try {
        client.begin(plan, parameters);
        step(client, plan, parameters.clone(), parameters);
      } catch (const PeerError&) {  // one that comes late finds no server any more, which says the rest
      }
    });
    return message_of<PeerError>([&] { servers[0].wait(); }) + message_of<PeerError>([&] { servers[1].wait(); });
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
