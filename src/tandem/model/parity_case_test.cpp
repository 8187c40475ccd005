#include "tandem/model/parity_case_test.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/distribution/zero.h"
#include "tandem/model/pipeline_parity_test.h"
#include "tandem/model/served_parity_test.h"
#include "tandem/model/tensor_parity_test.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"

namespace tandem::parity {

MakeDevices several_devices = [](int64_t n) { return Devices::parse("cpu*" + std::to_string(n)); };

distribute::Strategy on_devices(int64_t n) {
  return distribute::Mirrored({.devices = n == 1 ? Devices{"cpu:0"} : several_devices(n), .threads_per_device = 1});
}

Tensor normal(const Shape& shape, uint64_t key) { return RandomStream(key).normal(shape); }
Tensor one_hot(int64_t rows, int64_t classes, uint64_t key) {
  const Tensor ids = (RandomStream(key).uniform({rows}) * static_cast<double>(classes)).to(at::kLong);
  return at::one_hot(ids, classes).to(at::kFloat);
}

Result train(const Task& task, int64_t devices) { return train(task, on_devices(devices)); }

Result train(const Task& task, const distribute::Strategy& strategy) {
  const testing::CapturedLog quiet;  // devices without rows are warned of
  set_random_seed(11);
  Model model = task.build();
  auto compile = task.compile;
  compile.strategy = strategy;
  model.compile(compile);
  return train(task, model);
}

Result train(const Task& task, Model& model) {
  auto fit = task.fit;
  fit.verbose = 0;
  Result result;
  result.history = model.fit(task.x, task.y, fit);
  result.weights = model.get_weights();
  result.evaluation =
      model.evaluate(task.x, task.y, {.batch_size = fit.batch_size, .verbose = 0, .sample_weight = fit.sample_weight});
  result.predictions = model.predict_all(data::TensorDataset(task.x), {.batch_size = fit.batch_size});
  return result;
}

void expect_same(const Result& got, const Result& want) {
  for (std::size_t i = 0; i < want.weights.size(); ++i)
    EXPECT_EQ(testing::difference(got.weights[i], want.weights[i], 1e-5), "") << "weight " << i;
  for (const auto& [name, values] : want.history.series()) {
    EXPECT_EQ(testing::difference(at::tensor(got.history[name]), at::tensor(values), 1e-5), "") << name;
  }
  for (const auto& [name, value] : want.evaluation) EXPECT_NEAR(got.evaluation[name], value, 1e-5) << name;
  for (int64_t i = 0; i < want.predictions.size(); ++i)
    EXPECT_EQ(testing::difference(got.predictions[i], want.predictions[i], 1e-5), "") << "output " << i;
}

void expect_zero_parity(const Task& task, const Result& one) {
  for (const int64_t stage : {1, 2, 3}) {
    SCOPED_TRACE("zero " + std::to_string(stage));
    try {
      expect_same(
          train(task,
                distribute::Zero(
                    {.devices = several_devices(2), .stage = stage, .threads_per_device = 1, .bucket_bytes = 256})),
          one);
    } catch (const InvalidArgument& refused) {
      const std::string why = refused.what();
      EXPECT_TRUE(why.starts_with("Zero: ") && (why.find("no layers in DeviceScopes") != std::string::npos ||
                                                why.find("needs whole weights") != std::string::npos))
          << why;
    }
  }
}

void expect_parity(const Task& task, std::initializer_list<int64_t> devices) {
  const Result one = train(task, 1);
  for (double loss : one.history["loss"]) EXPECT_TRUE(std::isfinite(loss));
  for (int64_t n : devices) {
    SCOPED_TRACE(std::to_string(n) + " devices");
    expect_same(train(task, n), one);
  }
  if (several_devices(1)[0].kind != Device::Kind::cpu) return;
  expect_served_parity(task, one);
  expect_zero_parity(task, one);
  expect_tensor_parity(task, one);
  expect_pipeline_parity(task, one);
}

}  // namespace tandem::parity
