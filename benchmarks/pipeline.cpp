// A model of two stages of equal cost, 8 micro batches: two one-core devices, and two replicas on four, against one
// core, and the measured bubble beside the formula.
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

// The times of `other` as parts of those of `one`, one after the other in pairs.
double beside(Run& one, Run& other, int pairs, std::vector<double>* idle = nullptr) {
  std::vector<double> ratios;
  for (int pair = 0; pair < pairs; ++pair) {
    const double alone = one.epoch();
    ratios.push_back(other.epoch() / alone);
    if (idle) idle->push_back(other.idle());
  }
  return median(ratios);
}

distribute::Strategy pipeline(int64_t devices, int64_t data, const char* schedule) {
  return distribute::PipelineParallel({.devices = Devices::parse("cpu*" + std::to_string(devices)),
                                       .data = data,
                                       .micro_batches = kMicroBatches,
                                       .schedule = schedule,
                                       .boundaries = {"layer3"},
                                       .threads_per_device = 1});
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 15;
  Run one(distribute::SingleDevice("cpu:0", 1));
  const int micro_batches = static_cast<int>(kMicroBatches);
  std::printf("2 stages, %d micro batches; formula: bubble %.3f, %.3f of one core's time\n", micro_batches,
              1.0 / (micro_batches + 1), (micro_batches + 1) / (2.0 * micro_batches));
  for (const char* schedule : {"gpipe", "1f1b"}) {
    Run two(pipeline(2, 1, schedule));
    std::vector<double> bubbles;
    const double ratio = beside(one, two, pairs, &bubbles);
    std::printf("%-6s median of %d pairs: %.3f of one core's time; bubble %.3f\n", schedule, pairs, ratio,
                median(bubbles));
  }
  // Needs four cores: of the formula's part of the time, the replicas' exchange of gradients is no part.
  std::printf("2 replicas of 2 stages; formula: bubble %.3f, %.3f of one core's time\n", 1.0 / (micro_batches + 1),
              (micro_batches + 1) / (4.0 * micro_batches));
  Run four(pipeline(4, 2, "1f1b"));
  std::vector<double> bubbles;
  const double ratio = beside(one, four, pairs, &bubbles);
  std::printf("%-6s median of %d pairs: %.3f of one core's time; idle %.3f\n", "1f1b", pairs, ratio, median(bubbles));
  return 0;
}
