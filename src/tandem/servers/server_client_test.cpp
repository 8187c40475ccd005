// What a worker's side refuses at once: each would be a wait for a server that does not answer, or a riddle.
#include "tandem/servers/server_client.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tandem/servers/plan_test.h"
#include "tandem/servers/server.h"
#include "tandem/testing/message_of.h"

namespace tandem::servers {
namespace {

using testing::message_of;

std::string refusal_of(const ClientOptions& options) {
  return message_of([&] { ServerClient client(options); });
}

TEST(ServerClient, OptionsThatCannotWorkAreRefused) {
  EXPECT_EQ(refusal_of({.servers = {}}), "parameter servers: there must be one, got no address");
  EXPECT_EQ(refusal_of({.servers = {"127.0.0.1:1"}, .worker = -1}), "worker: must be at least 0, got -1");
  EXPECT_EQ(refusal_of({.servers = {"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:1"}}),
            "parameter servers: every server must have an address of its own, got 127.0.0.1:1 twice");
  const auto seconds = [](double silence, double begin, double wait) {
    return refusal_of(
        {.servers = {"127.0.0.1:1"}, .silence_seconds = silence, .begin_seconds = begin, .wait_seconds = wait});
  };
  const std::string positive = "parameter servers: seconds must be positive, got silence ";
  EXPECT_EQ(seconds(0, 1, 1), positive + "0, begin 1, wait 1");
  EXPECT_EQ(seconds(1, -1, 1), positive + "1, begin -1, wait 1");
  EXPECT_EQ(seconds(1, 1, std::nan("")), positive + "1, begin 1, wait nan");
}

TEST(ServerClient, BeyondLoopbackAKeyIsNeeded) {
  EXPECT_EQ(refusal_of({.servers = {"127.0.0.1:1", "10.1.1.1:22"}}),
            "server 1 of 2 (10.1.1.1:22): a key must be given to speak with it beyond loopback, got none");
  EXPECT_EQ(refusal_of({.servers = {"10.1.1.1:22"}, .key = comm::JobKey::fresh()}), "nothing was thrown");
}

TEST(ServerClient, BeginComesFirst) {
  Server server({.address = "inproc://begin comes first"});
  ServerClient client({.servers = {server.address()}});
  const auto plan = plan_of("SGD", Config::object(), {.mode = ServerMode::async}, 1, 64);
  Tensor parameters = at::zeros({plan.elements});
  const auto refused = [&] {
    const std::string first = "parameter servers: begin must be called first";
    EXPECT_EQ(message_of([&] { client.push(0, parameters); }), first);
    EXPECT_EQ(message_of([&] { client.push_rows(0, {}); }), first);
    EXPECT_EQ(message_of([&] { client.finish(parameters); }), first);
    EXPECT_EQ(message_of([&] { client.pull(parameters); }), first);
    EXPECT_EQ(message_of([&] { client.pull_rows(0, parameters); }), first);
    EXPECT_EQ(message_of([&] { client.pull_table(0, parameters); }), first);
    EXPECT_EQ(message_of([&] { client.set_parameters(parameters); }), first);
    EXPECT_EQ(message_of([&] { client.average(); }), first);
    EXPECT_EQ(message_of([&] { client.rest(); }), first);
    EXPECT_EQ(message_of([&] { client.give_up(); }), first);
    EXPECT_EQ(message_of([&] { client.state(); }), first);
    EXPECT_EQ(message_of([&] { client.set_state({}); }), first);
    EXPECT_EQ(message_of([&] { client.figures(); }), first);
  };
  refused();
  EXPECT_EQ(message_of([&] { client.begin(ServerPlan{}, parameters); }),
            "parameter servers: the plan must be of divide_among_servers, got one without servers");
  client.begin(plan, parameters);
  client.leave();
  refused();
}

TEST(ServerClient, NumbersThatNoServerTakesAreRefused) {
  Server server({.address = "inproc://numbers"});
  ServerClient client({.servers = {server.address()}, .wait_seconds = 20});
  const auto plan = plan_of("SGD", Config::object({{"learning_rate", 1.0}}), {.mode = ServerMode::async}, 1, 1 << 20);
  Tensor parameters = at::zeros({plan.elements});
  client.begin(plan, parameters);
  const auto push = [&](const PushOptions& options) {
    return message_of([&] { client.push(0, parameters, options); });
  };
  EXPECT_EQ(push({.rate = std::nan("")}), "push: rate and scale must be finite, got nan and 1");
  EXPECT_EQ(push({.scale = std::numeric_limits<double>::infinity()}),
            "push: rate and scale must be finite, got -1 and inf");
  EXPECT_EQ(push({.rows = -1}), "push: rows and all_rows must be at least 0, got -1 and 0");
  EXPECT_EQ(push({.all_rows = -2}), "push: rows and all_rows must be at least 0, got 1 and -2");
  EXPECT_EQ(message_of([&] { client.pull(parameters, -1); }), "pull: pass must be at least 0, got -1");
  EXPECT_EQ(message_of([&] { client.rest(-1); }), "rest: pass must be at least 0, got -1");
  EXPECT_EQ(message_of([&] { client.average(-1); }), "average: round must be at least 0, got -1");
  EXPECT_EQ(message_of([&] { client.average(); }),
            "server 0 of 1 (inproc://numbers): worker 0: must ask servers for an average that were told of others, got "
            "one that was not");
}

TEST(ServerClient, GoesOnAfterARefusal) {
  Server server({.address = "inproc://goes on"});
  ServerClient client({.servers = {server.address()}});
  const auto plan = plan_of("SGD", Config::object({{"learning_rate", 1.0}}), {.mode = ServerMode::async}, 1, 1 << 20);
  Tensor parameters = at::zeros({plan.elements});
  client.begin(plan, parameters);
  EXPECT_THROW(client.push(0, parameters, {.rate = std::nan("")}), InvalidArgument);
  client.push(0, at::ones({plan.elements}));
  EXPECT_EQ(client.finish(parameters).applied, 1);
  EXPECT_TRUE(parameters.equal(-at::ones({plan.elements})));
}

TEST(ServerClient, GoesOnAfterServersRefused) {
  const Server zero({.address = "inproc://refuses 0"}), one({.address = "inproc://refuses 1"});
  const auto plan_by = [](const std::string& optimizer) {
    return plan_of(optimizer, Config::object(), {.mode = ServerMode::async, .workers = 2}, 2, 1 << 20);
  };
  const auto plan = plan_by("SGD"), other = plan_by("Adam");
  const ClientOptions options{.servers = {zero.address(), one.address()}, .wait_seconds = 20};
  ServerClient first(options);
  Tensor parameters = at::zeros({plan.elements});
  first.begin(plan, parameters);
  auto second_options = options;
  second_options.worker = 1;
  ServerClient second(second_options);
  // Both servers refuse; each time one of the refusals may come after the next question.
  for (int turn = 0; turn < 20; ++turn) {
    EXPECT_NE(message_of<InvalidArgument>([&] { second.begin(other, parameters); }).find("plan differs"),
              std::string::npos);
    EXPECT_NE(message_of<InvalidArgument>([&] { first.average(); }).find("must ask servers for an average"),
              std::string::npos);
    first.pull(parameters);
  }
  second.begin(plan, parameters);
  for (auto* client : {&first, &second}) {
    for (int64_t b = 0; b < plan.blocks(); ++b) client->push(b, at::ones({plan.elements}));
    EXPECT_EQ(client->finish(parameters).applied, plan.blocks());
  }
  first.begin(plan, parameters);
  for (auto* client : {&first, &second}) client->leave();
}

}  // namespace
}  // namespace tandem::servers
