// Training that goes on from what parameter servers had saved.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/distribution/parameter_server.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/exponential_decay.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/servers/server.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

using parity::normal;
using testing::message_of;

Model network(int64_t seed) {
  set_random_seed(seed);
  return Sequential({layers::Input({6}), layers::Dense(4, {.activation = "tanh"}), layers::Dense(3)});
}

void compile(Model& model, const std::string& address, const std::string& mode) {
  model.compile(
      {.optimizer = optimizers::SGD({.learning_rate = schedules::ExponentialDecay(0.2, 4, 0.5), .momentum = 0.9}),
       .loss = "mse",
       .strategy = distribute::ParameterServer(
           {.workers = {"cpu:0"}, .addresses = {address}, .threads_per_device = 1, .mode = mode})});
}

TEST(ServedRestart, WeightsMomentumAndScheduleAreThoseOfAnUnbrokenTraining) {
  const Tensor x = normal({32, 6}, 1), y = normal({32, 3}, 2);
  const FitOptions fit{.batch_size = 8, .epochs = 2, .verbose = 0, .shuffle = false};  // 8 updates
  Model unbroken = network(5);
  unbroken.compile(
      {.optimizer = optimizers::SGD({.learning_rate = schedules::ExponentialDecay(0.2, 4, 0.5), .momentum = 0.9}),
       .loss = "mse"});
  for (int i = 0; i < 2; ++i) unbroken.fit(x, y, fit);
  const auto want = unbroken.get_weights();
  for (const std::string mode : {"sync", "async"}) {
    SCOPED_TRACE(mode);
    const testing::TemporaryFolder folder;
    const servers::ServerOptions options{.save = {.folder = folder.path(), .every_updates = 1}};
    auto server = std::make_unique<servers::Server>(options);
    Model model = network(5);
    compile(model, server->address(), mode);
    model.fit(x, y, fit);
    server->stop();
    EXPECT_NE(message_of<PeerError>([&] { model.fit(x, y, fit); }).find("server 0 of 1 ("), std::string::npos);
    model = Model();

    server = std::make_unique<servers::Server>(options);
    Model again = network(99);
    compile(again, server->address(), mode);
    const testing::CapturedLog log;
    again.fit(x, y, fit);
    ASSERT_EQ(log.infos().size(), 1U);
    EXPECT_EQ(log.infos()[0], "the servers go on from update 8");
    const auto got = again.get_weights();
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(at::allclose(got[i], want[i], 1e-5, 1e-6)) << i;
  }
}

}  // namespace
}  // namespace tandem
