// Pipelines over processes that do not share memory: all by Gloo and RankMail, and two hosts of several processes.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/distribution/pipeline_parallel.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/model/hosts_case_test.h"
#include "tandem/optimizers/adam.h"

namespace tandem {
namespace {

using namespace layers;

Model with_statistics() {
  return Sequential({Input({6}), Dense(8, {.activation = "tanh", .name = "p"}), BatchNormalization({.name = "q"}),
                     Dropout(0.2, {.name = "r"}), Dense(3, {.activation = "softmax"})});
}

parity::Task hosts_task() {
  return {with_statistics,
          {.optimizer = optimizers::Adam({.learning_rate = 0.01, .global_clipnorm = 0.5}),
           .loss = "categorical_crossentropy",
           .metrics = {"accuracy"}},
          parity::normal({25, 6}, 1),
          parity::one_hot(25, 3, 2),
          {.batch_size = 8, .epochs = 2, .verbose = 0}};
}

struct HostsCase {
  std::vector<int64_t> begins;  // by host, its first rank; and the number of ranks
  int64_t data;
  std::vector<std::string> boundaries;
};

TEST(PipelineHosts, GiveTheNumbersOfOneProcess) {
  for (const auto& [begins, data, boundaries] :
       {HostsCase{{0, 1, 2}, 1, {"q"}}, HostsCase{{0, 1, 2, 3, 4}, 2, {"q"}}, HostsCase{{0, 1, 3}, 1, {"p", "q"}},
        HostsCase{{0, 2, 4}, 2, {"q"}}, HostsCase{{0, 1, 4}, 2, {"q"}}}) {
    const int64_t ranks = begins.back();
    SCOPED_TRACE(std::to_string(ranks) + " processes on " + std::to_string(begins.size() - 1) + " hosts");
    distribute::PipelineParallelOptions how{.devices = Devices::parse("cpu*" + std::to_string(ranks)),
                                            .data = data,
                                            .boundaries = boundaries,
                                            .threads_per_device = 1};
    const auto want = parity::train(hosts_task(), distribute::PipelineParallel(how));
    const auto all =
        parity::train_on_hosts(hosts_task(), begins, [&](const distribute::ProcessGroup& group, const Devices& own) {
          auto mine = how;
          mine.group = group;
          mine.devices = own;
          return distribute::PipelineParallel(mine);
        });
    for (const auto& got : all) parity::expect_same(got, want);
  }
}

}  // namespace
}  // namespace tandem
