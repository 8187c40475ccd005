// What micro batches keep from forward to backward never passes the schedule's bound, in bytes of the allocator.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "tandem/core/device.h"
#include "tandem/distribution/pipeline_parallel.h"
#include "tandem/kernels/cpu_allocator.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/sgd.h"

namespace tandem {
namespace {

using namespace layers;

constexpr int64_t kMicroBatches = 8, kRows = 4, kUnits = 8, kCopies = 65536;
constexpr int64_t kKept = kRows * kUnits * kCopies * 4;  // bytes, of a micro batch: 8 MiB

struct MostBytes {
  std::atomic<int64_t> before{-1}, most{0};
};

/// A mean of many copies, which backward needs. Notes the most bytes in use behind any of its forwards.
struct KeepsMuch : Layer {
  explicit KeepsMuch(std::shared_ptr<MostBytes> bytes) : bytes_(std::move(bytes)) {}
  Shape output_shape(const Shape& input) override { return input; }
  Tensor call(const Tensor& x, const CallContext& context) override {
    if (!context.training) return x;
    if (bytes_->before < 0) bytes_->before = kernels::cpu_allocator_stats().bytes_in_use;
    const Tensor made = at::tanh(x.unsqueeze(2).expand({x.size(0), kUnits, kCopies})).mean(2);
    bytes_->most = std::max(bytes_->most.load(), kernels::cpu_allocator_stats().bytes_in_use - bytes_->before);
    return made;
  }

 private:
  std::shared_ptr<MostBytes> bytes_;
};

// Of the first of two stages, in micro batches.
double most_kept(const char* schedule, bool recompute) {
  kernels::release_cached_memory();
  const auto bytes = std::make_shared<MostBytes>();
  Sequential model({Input({kUnits}), Dense(kUnits), make_layer<KeepsMuch>(bytes), Dense(kUnits, {.name = "end"}),
                    Dense(3, {.activation = "softmax"})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                 .loss = "categorical_crossentropy",
                 .strategy = distribute::PipelineParallel({.devices = Devices::parse("cpu*2"),
                                                           .micro_batches = kMicroBatches,
                                                           .schedule = schedule,
                                                           .boundaries = {"end"},
                                                           .recompute = recompute})});
  const int64_t rows = kMicroBatches * kRows;
  model.fit(parity::normal({rows, kUnits}, 1), parity::one_hot(rows, 3, 2),
            {.batch_size = rows, .epochs = 2, .verbose = 0});
  return static_cast<double>(bytes->most) / static_cast<double>(kKept);
}

TEST(PipelineMemory, StaysWithinTheSchedulesBound) {
  // Within: what the allocator rounds up, and all that is small.
  const auto expect_bound = [](double most, double bound) {
    EXPECT_LE(most, bound + 0.5);
    EXPECT_GE(most, bound - 0.5);
  };
  expect_bound(most_kept("gpipe", false), kMicroBatches);
  expect_bound(most_kept("1f1b", false), 2);  // stages - stage
  expect_bound(most_kept("gpipe", true), 1);  // the one that is computed
}

}  // namespace
}  // namespace tandem
