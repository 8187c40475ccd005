#include "tandem/servers/serve.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <future>
#include <map>

#include "tandem/servers/plan_test.h"
#include "tandem/servers/server_client.h"
#include "tandem/testing/message_of.h"

namespace tandem::servers {
namespace {

using testing::message_of;

cluster::Environment with_key(const std::string& secret) {
  return cluster::Environment(std::map<std::string, std::string>{{"TANDEM_JOB_KEY", secret}});
}

TEST(Serve, KnowsItsAddressAndKey) {
  cluster::Membership self{.source = "TF_CONFIG", .role = cluster::Role::server, .index = 1};
  self.servers = {{"a", 1}, {"b", 2}};
  EXPECT_EQ(own_server_address(self), "b:2");
  self.role = cluster::Role::worker;
  EXPECT_EQ(
      message_of([&] { own_server_address(self); }),
      "parameter server: this process must have the role ps, or be given an address; it is worker 1 by TF_CONFIG");
  EXPECT_FALSE(job_key_of(cluster::Environment(std::map<std::string, std::string>{})).has_value());
  const auto key = comm::JobKey::fresh();
  EXPECT_EQ(job_key_of(with_key(key.secret))->open, key.open);
  EXPECT_EQ(message_of([] { job_key_of(with_key("x")); }).find("TANDEM_JOB_KEY: "), 0);
}

TEST(Serve, EndsWithItsWorkers) {
  const auto plan = plan_of("SGD", Config::object(), {}, 1, 64);
  std::promise<std::string> address;
  auto served =
      std::async(std::launch::async, [&] { return serve({}, [&](const std::string& at) { address.set_value(at); }); });
  {
    ServerClient client({.servers = {address.get_future().get()}});
    Tensor parameters = at::zeros({plan.elements});
    client.begin(plan, parameters);
    for (int64_t b = 0; b < plan.blocks(); ++b) client.push(b, parameters.clone());
    client.finish(parameters);
    client.leave();
  }
  EXPECT_EQ(served.get().updates, 1);
  EXPECT_NE(message_of<PeerError>([] { serve({.start_seconds = 0.01}); }).find("no worker has come"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem::servers
