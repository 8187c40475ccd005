// A model of two stages of equal cost, 8 micro batches: two one-core devices against one core, and the measured bubble
// beside the formula.
//     pipeline_benchmark [pairs]
#include <tandem/tandem.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace tandem;
using namespace tandem::layers;

namespace {

constexpr int64_t kRows = 512, kSteps = 8, kUnits = 768, kMicroBatches = 8;

class Run {
 public:
  explicit Run(const distribute::Strategy& strategy) {
    Sequential model({Input({kUnits})});
    for (int i = 0; i < 8; ++i) model.add(Dense(kUnits, {.activation = "relu", .name = "layer" + std::to_string(i)}));
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}), .loss = "mse", .strategy = strategy});
    model_ = model;
    x_ = torch::randn({kRows * kSteps, kUnits});
    epoch();  // memory and algorithms
  }
  /// Seconds a step.
  double epoch() {
    const auto start = std::chrono::steady_clock::now();
    history_ = model_.fit(x_, x_, {.batch_size = kRows, .verbose = 0});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / kSteps;
  }
  /// The part of the last epoch in which devices did not compute.
  double idle() const {
    const auto& facts = history_.facts();
    double computing = 0;
    for (const double seconds : facts.compute_seconds) computing += seconds;
    return 1 - computing / (facts.seconds * static_cast<double>(facts.compute_seconds.size()));
  }

 private:
  Model model_;
  Tensor x_;
  History history_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 15;
  Run one(distribute::SingleDevice("cpu:0", 1));
  std::printf("2 stages, %d micro batches; formula: bubble %.3f, %.3f of one core's time\n",
              static_cast<int>(kMicroBatches), 1.0 / (kMicroBatches + 1), (kMicroBatches + 1) / (2.0 * kMicroBatches));
  for (const char* schedule : {"gpipe", "1f1b"}) {
    Run two(distribute::PipelineParallel({.devices = {"cpu:0", "cpu:1"},
                                          .micro_batches = kMicroBatches,
                                          .schedule = schedule,
                                          .boundaries = {"layer3"},
                                          .threads_per_device = 1}));
    std::vector<double> ratios, bubbles;
    for (int pair = 0; pair < pairs; ++pair) {
      const double one_core = one.epoch(), two_cores = two.epoch();
      ratios.push_back(two_cores / one_core);
      bubbles.push_back(two.idle());
    }
    std::printf("%-6s median of %d pairs: %.3f of one core's time; bubble %.3f\n", schedule, pairs, median(ratios),
                median(bubbles));
  }
  return 0;
}
