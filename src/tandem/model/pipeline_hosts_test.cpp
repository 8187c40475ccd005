// Pipelines over processes that do not share memory: all by Gloo and RankMail, and two hosts of several processes.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tandem/comm/backend_processes.h"
#include "tandem/comm/gloo_backend.h"
#include "tandem/comm/hosts_processes.h"
#include "tandem/comm/meeting_point.h"
#include "tandem/comm/meeting_store.h"
#include "tandem/distribution/pipeline_parallel.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/layers/layer_names.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/adam.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/on_threads.h"

namespace tandem {
namespace {

using namespace layers;

std::shared_ptr<comm::Processes> process_of(int64_t rank, const comm::HostPlan& plan, int64_t port) {
  constexpr double kLimit = 20;
  const std::chrono::milliseconds limit(20000);
  auto store = c10::make_intrusive<comm::MeetingStore>("127.0.0.1", port, std::nullopt, limit);
  const comm::BackendProcesses::Options limits{.limit_seconds = kLimit, .silence_seconds = kLimit, .numbers = {}};
  const auto by_gloo = [limit](const auto& keys, int64_t own, int64_t all) {
    return comm::make_gloo_backend(keys, own, all, "127.0.0.1", limit);
  };
  if (plan.hosts() == plan.ranks())
    return std::make_shared<comm::BackendProcesses>(std::move(store), rank, plan.ranks(), limits, by_gloo);
  return std::make_shared<comm::HostsProcesses>(std::move(store), rank, plan, limits, by_gloo);
}

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
  comm::HostPlan plan;
  int64_t data;
  std::vector<std::string> boundaries;
};

TEST(PipelineHosts, GiveTheNumbersOfOneProcess) {
  for (const auto& [plan, data, boundaries] :
       {HostsCase{{{0, 1, 2}}, 1, {"q"}}, HostsCase{{{0, 1, 2, 3, 4}}, 2, {"q"}}, HostsCase{{{0, 1, 3}}, 1, {"p", "q"}},
        HostsCase{{{0, 2, 4}}, 2, {"q"}}, HostsCase{{{0, 1, 4}}, 2, {"q"}}}) {
    SCOPED_TRACE(std::to_string(plan.ranks()) + " processes on " + std::to_string(plan.hosts()) + " hosts");
    distribute::PipelineParallelOptions how{.devices = Devices::parse("cpu*" + std::to_string(plan.ranks())),
                                            .data = data,
                                            .boundaries = boundaries,
                                            .threads_per_device = 1};
    const auto want = parity::train(hosts_task(), distribute::PipelineParallel(how));
    const testing::CapturedLog quiet;
    const comm::MeetingPoint point("127.0.0.1", 0, {});
    std::vector<Model> models;
    for (int64_t p = 0; p < plan.ranks(); ++p) {
      clear_session();
      set_random_seed(11);
      models.push_back(with_statistics());
    }
    const auto own = hosts_task();
    testing::on_threads(plan.ranks(), [&, &plan = plan](int64_t p) {
      auto& model = models[static_cast<std::size_t>(p)];
      auto mine = how;
      mine.group = distribute::ProcessGroup(process_of(p, plan, point.port()), p);
      mine.devices = {"cpu:0"};
      auto compile = own.compile;
      compile.optimizer = optimizers::Adam({.learning_rate = 0.01, .global_clipnorm = 0.5});
      compile.strategy = distribute::PipelineParallel(mine);
      model.compile(compile);
      parity::Result result;
      result.history = model.fit(own.x, own.y, own.fit);
      result.weights = model.get_weights();
      result.evaluation = model.evaluate(own.x, own.y, {.batch_size = 8, .verbose = 0});
      result.predictions = model.predict_all(data::TensorDataset(own.x), {.batch_size = 8});
      parity::expect_same(result, want);
    });
    models.clear();  // before the meeting point ends
  }
}

}  // namespace
}  // namespace tandem
