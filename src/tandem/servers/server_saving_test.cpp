// Servers that save, end, and go on; and workers whose processes end.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <latch>
#include <thread>
#include <zmq.hpp>

#include "tandem/servers/frame_socket.h"
#include "tandem/servers/plan_test.h"
#include "tandem/servers/server.h"
#include "tandem/servers/server_client.h"
#include "tandem/servers/server_message.h"
#include "tandem/servers/server_talk.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/on_threads.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::servers {
namespace {

using testing::message_of;

ServerPlan counting_plan(ServerMode mode, int64_t workers, int64_t servers) {
  return plan_of("SGD", Config::object({{"learning_rate", 1.0}}), {.mode = mode, .workers = workers}, servers, 64);
}

// A step by a gradient of ones: each parameter is minus the number of gradients.
void count_on(ServerClient& client, const ServerPlan& plan, Tensor& parameters) {
  const auto ones = at::ones({plan.elements});
  for (int64_t b = 0; b < plan.blocks(); ++b) client.push(b, ones);
  client.finish(parameters);
}

// One that has begun and counted on so many times.
std::unique_ptr<ServerClient> counting_client(const ClientOptions& options, const ServerPlan& plan, Tensor& parameters,
                                              int steps) {
  auto client = std::make_unique<ServerClient>(options);
  client->begin(plan, parameters);
  EXPECT_EQ(client->resumed(), 0);
  for (int step = 0; step < steps; ++step) count_on(*client, plan, parameters);
  return client;
}

// Servers that save in one folder every 2 updates.
struct Saving {
  explicit Saving(int64_t count) {
    for (int64_t s = 0; s < count; ++s) servers.push_back(start("127.0.0.1:0"));
    for (const auto& server : servers) addresses.push_back(server->address());
  }
  std::unique_ptr<Server> start(const std::string& address) const {
    return std::make_unique<Server>(
        ServerOptions{.address = address, .save = {.folder = folder.path(), .every_updates = 2}});
  }
  bool holds_files() const { return !std::filesystem::is_empty(folder.path()); }

  testing::TemporaryFolder folder;
  std::vector<std::unique_ptr<Server>> servers;
  std::vector<std::string> addresses;
};

// One of two servers ends after 5 updates; the other goes back with the new one to what both have saved.
TEST(ServerSaving, InSyncAllGoOnFromOneUpdate) {
  const auto plan = counting_plan(ServerMode::sync, 2, 2);
  Saving job(2);
  std::latch counted(2);
  testing::on_threads(2, [&](int64_t w) {
    const ClientOptions options{.servers = job.addresses, .worker = w};
    Tensor parameters = at::zeros({plan.elements});
    {
      const auto client = counting_client(options, plan, parameters, 5);
      EXPECT_TRUE(parameters.eq(-10).all().item<bool>());
      counted.arrive_and_wait();  // the other has its parameters, too
      if (w == 0) job.servers[1].reset();
      EXPECT_NE(message_of<PeerError>([&] { count_on(*client, plan, parameters); }), "");
    }
    if (w == 0) job.servers[1] = job.start(job.addresses[1]);
    ServerClient client(options);
    parameters.fill_(77);
    client.begin(plan, parameters);
    EXPECT_EQ(client.resumed(), 4);
    EXPECT_TRUE(parameters.eq(-8).all().item<bool>()) << parameters;
    count_on(client, plan, parameters);
    EXPECT_TRUE(parameters.eq(-10).all().item<bool>()) << parameters;
    client.leave();
  });
  for (const auto& server : job.servers) {
    server->wait();
    EXPECT_EQ(server->figures().updates, 5);
  }
  EXPECT_FALSE(job.holds_files());
}

TEST(ServerSaving, InAsyncEachGoesOnFromItsOwn) {
  const auto plan = counting_plan(ServerMode::async, 1, 2);
  Saving job(2);
  Tensor parameters = at::zeros({plan.elements});
  {
    const auto client = counting_client({.servers = job.addresses}, plan, parameters, 3);
    job.servers[1].reset();
    EXPECT_NE(message_of<PeerError>([&] { count_on(*client, plan, parameters); }), "");
  }
  job.servers[1] = job.start(job.addresses[1]);
  ServerClient client({.servers = job.addresses});
  client.begin(plan, parameters);
  const auto part = [&](int64_t s) {
    return parameters.narrow(0, plan.server_begin(s), plan.server_begin(s + 1) - plan.server_begin(s));
  };
  EXPECT_EQ(client.resumed(), 4);
  // The server that was there has made the fourth update.
  EXPECT_TRUE(part(0).eq(-4).all().item<bool>()) << parameters;
  EXPECT_TRUE(part(1).eq(-2).all().item<bool>()) << parameters;
  client.leave();
  for (const auto& server : job.servers) server->wait();
  EXPECT_FALSE(job.holds_files());
}

TEST(ServerSaving, ALostWorkerTakesSyncBackToWhatIsSaved) {
  const auto plan = counting_plan(ServerMode::sync, 2, 1);
  Saving job(1);
  testing::on_threads(2, [&](int64_t w) {
    const ClientOptions options{.servers = job.addresses, .worker = w};
    Tensor parameters = at::zeros({plan.elements});
    {
      const auto client = counting_client(options, plan, parameters, 3);
      if (w == 1) client->abort("no more");
      const auto message = message_of<PeerError>([&] {
        if (w == 0) count_on(*client, plan, parameters);
        while (w == 1) client->pull(parameters);  // one may have been answered before the order is seen
      });
      EXPECT_NE(message.find(w == 0 ? "worker 1 could not go on" : "no more"), std::string::npos) << message;
    }
    ServerClient client(options);
    client.begin(plan, parameters);
    EXPECT_EQ(client.resumed(), 2);
    EXPECT_TRUE(parameters.eq(-4).all().item<bool>()) << parameters;
    count_on(client, plan, parameters);
    EXPECT_TRUE(parameters.eq(-6).all().item<bool>()) << parameters;
    client.leave();
  });
  job.servers[0]->wait();
}

TEST(ServerSaving, AnotherModelDoesNotGoOn) {
  const auto plan = counting_plan(ServerMode::async, 1, 1);
  Saving job(1);
  Tensor parameters = at::zeros({plan.elements});
  {
    ServerClient client({.servers = job.addresses});
    client.begin(plan, parameters);
    for (int step = 0; step < 2; ++step) count_on(client, plan, parameters);
    job.servers[0].reset();
  }
  job.servers[0] = job.start(job.addresses[0]);
  ServerClient client({.servers = job.addresses});
  const auto other = plan_of("SGD", Config::object(), {.mode = ServerMode::async}, 1, 64);
  const auto message = message_of<DataError>([&] { client.begin(other, parameters); });
  EXPECT_NE(message.find("was saved by a job with another model, optimizer, mode"), std::string::npos) << message;
}

// What a worker hears that does not notice that the server is another one, by calls.
TEST(ServerSaving, APushThatIsInTheSnapshotIsNotAppliedAgain) {
  const auto plan = counting_plan(ServerMode::sync, 1, 1);
  const testing::TemporaryFolder folder;
  Header last;
  Tensor values;
  const auto send = [&](const std::string&, const Header& header, const std::vector<Frame>& payload) {
    last = header;
    if (header.kind == Kind::params) values = payload.at(0).floats().clone();
  };
  const auto say = [](ServerTalk& talk, const Header& header, std::vector<Frame> payload) {
    payload.insert(payload.begin(), Frame::of(encode(header)));
    talk.hear("worker-0-run", payload, 0);
  };
  const auto push = [&](ServerTalk& talk, uint64_t id, int64_t version) {
    for (int64_t b = 0; b < plan.blocks(); ++b)
      say(talk, {.kind = Kind::push, .id = id, .block = b, .version = version, .rows = 1},
          {Frame::of(at::ones({plan.block_elements(b)}))});
  };
  {
    SnapshotFiles files({folder.path(), 1});
    ServerTalk talk(10, send, &files);
    std::vector<Frame> hello{Frame::of(plan.encode())};
    for (int64_t b = 0; b < plan.blocks(); ++b) hello.push_back(Frame::of(at::zeros({plan.block_elements(b)})));
    say(talk, {.kind = Kind::hello}, hello);
    say(talk, {.kind = Kind::resume}, {});
    push(talk, 1, 0);
    EXPECT_EQ(last.outcome, Outcome::applied);
  }
  SnapshotFiles files({folder.path(), 1});
  ServerTalk talk(10, send, &files);
  push(talk, 1, 0);
  EXPECT_EQ(last.outcome, Outcome::duplicate);
  EXPECT_TRUE(values.eq(-1).all().item<bool>());
  push(talk, 2, 1);
  EXPECT_EQ(last.outcome, Outcome::applied);
  EXPECT_TRUE(values.eq(-2).all().item<bool>());
}

// Likewise of several workers, one of which computes meanwhile.
TEST(ServerSaving, WorkersOfAServerThatIsBackAtOnceGoOn) {
  for (const auto mode : {ServerMode::async, ServerMode::stale}) {
    const auto plan =
        plan_of("SGD", Config::object({{"learning_rate", 1.0}}), {.mode = mode, .workers = 2, .staleness = 1}, 1, 64);
    const testing::TemporaryFolder folder;
    Header last;
    const auto send = [&](const std::string&, const Header& header, const std::vector<Frame>&) { last = header; };
    const auto say = [](ServerTalk& talk, const Header& header, std::vector<Frame> payload, double now = 0) {
      payload.insert(payload.begin(), Frame::of(encode(header)));
      talk.hear(header.worker == 0 ? "worker-0-run" : "worker-1-run", payload, now);
    };
    const auto push = [&](ServerTalk& talk, int32_t worker, uint64_t id, int64_t version) {
      for (int64_t b = 0; b < plan.blocks(); ++b)
        say(talk, {.kind = Kind::push, .worker = worker, .id = id, .block = b, .version = version, .rows = 1},
            {Frame::of(at::ones({plan.block_elements(b)}))});
      EXPECT_EQ(last.kind, Kind::params);
    };
    {
      SnapshotFiles files({folder.path(), 1});
      ServerTalk talk(10, send, &files);
      for (int32_t w = 0; w < 2; ++w) {
        std::vector<Frame> hello{Frame::of(plan.encode())};
        for (int64_t b = 0; w == 0 && b < plan.blocks(); ++b)
          hello.push_back(Frame::of(at::zeros({plan.block_elements(b)})));
        say(talk, {.kind = Kind::hello, .worker = w}, hello);
        say(talk, {.kind = Kind::pull, .worker = w, .id = 1}, {});
      }
      push(talk, 0, 1, 0);
      push(talk, 1, 1, 0);
    }
    SnapshotFiles files({folder.path(), 1});
    ServerTalk talk(10, send, &files);
    EXPECT_FALSE(talk.anybody_came());
    push(talk, 1, 1, 0);
    EXPECT_EQ(last.outcome, Outcome::duplicate);
    EXPECT_TRUE(talk.anybody_came());
    push(talk, 1, 2, 2);
    EXPECT_EQ(last.outcome, mode == ServerMode::stale ? Outcome::held : Outcome::applied);
    say(talk, {.kind = Kind::ping, .worker = 0}, {}, 9);
    talk.look(9);
    push(talk, 0, 2, 1);
    EXPECT_EQ(talk.figures().gradients(), 4);
    EXPECT_EQ(talk.figures().max_staleness, mode == ServerMode::stale ? 1 : 2);
  }
}

// One that has gone while there was no server is not waited for for ever.
TEST(ServerSaving, AWorkerThatDoesNotComeBackIsGivenUp) {
  const auto plan = plan_of("SGD", Config::object(), {.mode = ServerMode::stale, .workers = 2, .staleness = 1}, 1, 64);
  const testing::TemporaryFolder folder;
  Header last;
  const auto send = [&](const std::string&, const Header& header, const std::vector<Frame>&) { last = header; };
  {
    SnapshotFiles files({folder.path(), 1});
    files.save({.plan_text = plan.encode(),
                .version = 1,
                .used = {1, 0},
                .given = {1, 0},
                .names = {"worker-0-run", "worker-1-run"},
                .parameters = at::zeros({plan.elements})});
  }
  SnapshotFiles files({folder.path(), 1});
  ServerTalk talk(10, send, &files);
  for (int64_t b = 0; b < plan.blocks(); ++b)
    talk.hear("worker-0-run",
              {Frame::of(encode({.kind = Kind::push, .id = 2, .block = b, .version = 1, .rows = 1})),
               Frame::of(at::ones({plan.block_elements(b)}))},
              0.5);
  EXPECT_EQ(last.outcome, Outcome::held);
  for (double now = 1; now < 11; now += 0.5) {
    talk.hear("worker-0-run", {Frame::of(encode({.kind = Kind::ping}))}, now);
    talk.look(now);
    EXPECT_EQ(talk.figures().gradients(), now > 10.5 ? 1 : 0) << now;
  }
}

// The process of a worker ends without a word: silence is not waited for.
TEST(Server, AClosedConnectionIsNoticed) {
  for (const auto mode : {ServerMode::sync, ServerMode::async}) {
    const auto plan = counting_plan(mode, 2, 1);
    Server server({.silence_seconds = 1000, .gone_seconds = 0.1});
    ServerClient client({.servers = {server.address()}, .silence_seconds = 1000});
    Tensor parameters = at::zeros({plan.elements});
    client.begin(plan, parameters);
    {
      zmq::context_t context;
      zmq::socket_t other(context, zmq::socket_type::dealer);
      other.set(zmq::sockopt::linger, 0);
      other.connect("tcp://" + server.address());
      send_frames(other, {Frame::of(encode({.kind = Kind::hello, .worker = 1})), Frame::of(plan.encode())});
      zmq::message_t greeted;
      ASSERT_TRUE(other.recv(greeted));
    }
    if (mode == ServerMode::sync) {
      const auto message = message_of<PeerError>([&] { count_on(client, plan, parameters); });
      EXPECT_NE(message.find("worker 1 has gone: its connection closed, and mode sync needs all workers"),
                std::string::npos)
          << message;
    } else {
      client.leave();
      server.wait();  // which only ends without workers
      EXPECT_TRUE(server.done());
    }
  }
}

}  // namespace
}  // namespace tandem::servers
