// What a worker makes of servers that fall silent, close, or come back: servers of the test's own, driven by calls.
#include "tandem/servers/server_link.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <zmq.hpp>

#include "tandem/core/steady_seconds.h"
#include "tandem/servers/frame_socket.h"
#include "tandem/servers/plan_test.h"
#include "tandem/servers/server_client.h"
#include "tandem/servers/server_talk.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/on_threads.h"

namespace tandem::servers {
namespace {

using testing::message_of;

// A server whose socket can be closed and opened again, on a thread of its own.
class OpenServer {
 public:
  OpenServer() {
    open("tcp://127.0.0.1:*");
    thread_ = std::thread([this] { serve(); });
  }
  ~OpenServer() {
    stopping_ = true;
    thread_.join();
  }
  std::string address() const { return endpoint_.substr(std::string("tcp://").size()); }

  std::atomic<bool> silent = false;   // takes nothing any more
  std::atomic<bool> away = false;     // its socket is closed
  std::atomic<bool> forgets = false;  // says nothing to pushes
  std::atomic<int64_t> keeps = 0;     // but to these blocks, the first ones

 private:
  void open(const std::string& endpoint) {
    socket_ = std::make_unique<zmq::socket_t>(context_, zmq::socket_type::router);
    socket_->set(zmq::sockopt::linger, 0);
    socket_->set(zmq::sockopt::router_handover, true);
    socket_->bind(endpoint);
    endpoint_ = socket_->get(zmq::sockopt::last_endpoint);
  }
  void serve() {
    while (!stopping_) {
      if (away) socket_.reset();
      if (!away && !socket_) open(endpoint_);
      if (silent || !socket_) {
        std::this_thread::yield();
        continue;
      }
      zmq::pollitem_t item{*socket_, 0, ZMQ_POLLIN, 0};
      zmq::poll(&item, 1, std::chrono::milliseconds(5));
      for (auto frames = receive_frames(*socket_); !frames.empty(); frames = receive_frames(*socket_)) {
        const std::string who(frames[0].text());
        frames.erase(frames.begin());
        talk_.hear(who, frames, steady_seconds());
      }
    }
  }

  zmq::context_t context_;
  std::unique_ptr<zmq::socket_t> socket_;
  std::string endpoint_;
  ServerTalk talk_{
      1000, [this](const std::string& who, const Header& header, std::vector<Frame> more) {
        if (header.kind == Kind::params && header.outcome == Outcome::applied && forgets && header.block >= keeps) {
          ++forgotten;
          return;
        }
        more.insert(more.begin(), {Frame::of(who), Frame::of(encode(header))});
        send_frames(*socket_, more);
      }};
  std::atomic<bool> stopping_ = false;
  std::thread thread_;

 public:
  std::atomic<int64_t> forgotten = 0;
};

ServerPlan one_server() { return plan_of("SGD", Config::object({{"learning_rate", 1.0}}), {}, 1, 1 << 20); }

TEST(ServerLink, ASilentServerIsNamed) {
  OpenServer server;
  const auto plan = one_server();
  ServerClient client({.servers = {server.address()}, .silence_seconds = 1.5});
  Tensor parameters = at::zeros({plan.elements});
  client.begin(plan, parameters);
  server.forgets = server.silent = true;
  client.push(0, parameters.clone());
  EXPECT_EQ(message_of<PeerError>([&] { client.finish(parameters); }),
            "server 0 of 1 (" + server.address() + "): has been silent for 1.5 s");
}

// Whenever it falls silent between two signs of life: the silence counts from the last one.
TEST(ServerLink, SilenceCountsFromTheLastSignOfLife) {
  OpenServer server;
  ServerLink link("server", server.address(), "worker", {}, 10);
  double before = 0;
  const auto answered = [&] {
    before = steady_seconds();
    link.check(before);
    link.ping(0, before);
    return link.receive() || !link.waits_for().empty();
  };
  while (!answered()) std::this_thread::yield();
  const double heard = steady_seconds();
  server.silent = true;
  link.ping(0, heard + 1);
  link.check(before + 9.8);
  EXPECT_EQ(message_of<PeerError>([&] { link.check(heard + 10); }), "server: has been silent for 10 s");
}

TEST(ServerLink, AClosedServerIsNamed) {
  OpenServer server;
  const auto plan = one_server();
  ServerClient client({.servers = {server.address()}});
  Tensor parameters = at::zeros({plan.elements});
  client.begin(plan, parameters);
  server.forgets = server.away = true;
  client.push(0, parameters.clone());
  EXPECT_EQ(message_of<PeerError>([&] { client.finish(parameters); }),
            "server 0 of 1 (" + server.address() + "): its connection closed and did not come back within 2 s");
}

TEST(ServerLink, WhatWasNotAnsweredIsSentAgainAndAppliedOnce) {
  OpenServer server;
  const auto plan = one_server();
  ServerClient client({.servers = {server.address()}});
  Tensor parameters = at::zeros({plan.elements});
  client.begin(plan, parameters);
  server.forgets = true;
  client.push(0, at::ones({plan.elements}));
  while (!server.forgotten) std::this_thread::yield();  // applied, and the answer is lost
  server.away = true;
  std::thread returns([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // so that the worker sees it close
    server.forgets = false;
    server.away = false;
  });
  const auto outcome = client.finish(parameters);
  returns.join();
  EXPECT_EQ(outcome.duplicate, 1);
  EXPECT_TRUE(parameters.equal(at::full({plan.elements}, -1.0)));
  client.push(0, at::ones({plan.elements}));
  EXPECT_EQ(client.finish(parameters).applied, 1);
  EXPECT_TRUE(parameters.equal(at::full({plan.elements}, -2.0)));
}

// Of two workers' pushes one block was answered each, of different versions; the others are made up for by the newest.
TEST(ServerLink, WorkersGoOnThatHaveBlocksOfDifferentVersions) {
  for (const auto mode : {ServerMode::async, ServerMode::stale}) {
    OpenServer server;
    const auto plan =
        plan_of("SGD", Config::object({{"learning_rate", 1.0}}), {.mode = mode, .workers = 2, .staleness = 2}, 1, 64);
    ASSERT_GT(plan.blocks(), 1);
    std::atomic<int> began = 0, pushed = 0;
    const auto all = [](std::atomic<int>& count) {
      for (++count; count < 2;) std::this_thread::yield();
    };
    server.keeps = 1;
    testing::on_threads(2, [&](int64_t w) {
      ServerClient client({.servers = {server.address()}, .worker = w});
      Tensor parameters = at::zeros({plan.elements});
      client.begin(plan, parameters);
      all(began);
      const auto push = [&] {
        for (int64_t b = 0; b < plan.blocks(); ++b) client.push(b, at::ones({plan.elements}));
      };
      server.forgets = true;
      push();
      all(pushed);
      while (server.forgotten < 2 * (plan.blocks() - 1)) std::this_thread::yield();
      if (w == 0) {
        server.away = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(300));  // so that the workers see it close
        server.forgets = server.away = false;
      }
      EXPECT_EQ(client.finish(parameters).duplicate, plan.blocks() - 1);
      push();
      const auto outcome = client.finish(parameters);
      EXPECT_EQ(outcome.applied + outcome.held, plan.blocks());
      client.rest();
      const auto figures = client.figures()[0];
      EXPECT_LE(figures.max_staleness, 2);
      client.leave();
    });
  }
}

TEST(ServerLink, AServerThatNeverComesIsNamed) {
  const auto address = [] { return OpenServer().address(); }();
  const auto plan = one_server();
  ServerClient client({.servers = {address}, .wait_seconds = 0.3});
  Tensor parameters = at::zeros({plan.elements});
  EXPECT_EQ(message_of<PeerError>([&] { client.begin(plan, parameters); }),
            "worker 0 was not greeted by server 0 of 1 (" + address + ") after 0.3 s, which cannot be reached");
  EXPECT_THROW(ServerClient({.servers = {"nowhere"}}), InvalidArgument);
}

}  // namespace
}  // namespace tandem::servers
