// What each strategy costs at one device: its time of a step beside SingleDevice's, in pairs.
//     one_device_benchmark [pairs]
#include <tandem/tandem.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

using namespace tandem;
using namespace tandem::layers;

namespace {

constexpr int64_t kRows = 256, kSteps = 16, kUnits = 512, kLayers = 6;

class Run {
 public:
  explicit Run(const distribute::Strategy& strategy) {
    Sequential model({Input({kUnits})});
    for (int64_t i = 0; i < kLayers; ++i) model.add(Dense(kUnits, {.activation = "relu"}));
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-4}), .loss = "mse", .strategy = strategy});
    model_ = model;
    x_ = torch::randn({kRows * kSteps, kUnits});
    epoch();  // memory and algorithms
  }
  /// Seconds.
  double epoch() {
    const auto start = std::chrono::steady_clock::now();
    model_.fit(x_, x_, {.batch_size = kRows, .verbose = 0});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  Model model_;
  Tensor x_;
};

}  // namespace

int main(int argc, char** argv) {
  namespace d = distribute;
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 15;
  const Devices one{"cpu:0"};
  const std::vector<std::pair<std::string, d::Strategy>> strategies{
      {"Mirrored", d::Mirrored({.devices = one, .threads_per_device = 1})},
      {"Mirrored, fixed order", d::Mirrored({.devices = one, .threads_per_device = 1, .fixed_order = 1})},
      {"Zero, stage 1", d::Zero({.devices = one, .stage = 1, .threads_per_device = 1})},
      {"Zero, stage 2", d::Zero({.devices = one, .stage = 2, .threads_per_device = 1})},
      {"Zero, stage 3", d::Zero({.devices = one, .stage = 3, .threads_per_device = 1})},
      {"TensorParallel", d::TensorParallel({.devices = one, .threads_per_device = 1})},
      {"PipelineParallel", d::PipelineParallel({.devices = one, .micro_batches = 1, .threads_per_device = 1})},
      {"Mesh", d::Mesh({.devices = one, .threads_per_device = 1})},
      {"ParameterServer, sync", d::ParameterServer({.workers = one, .servers = 1, .threads_per_device = 1})},
  };
  std::printf(
      "%lld layers of %lld units, %lld rows a step, Adam; one core, a step's time beside SingleDevice's, "
      "median of %d pairs\n",
      static_cast<long long>(kLayers), static_cast<long long>(kUnits), static_cast<long long>(kRows), pairs);
  Run single(d::SingleDevice("cpu:0", 1));
  for (const auto& [name, strategy] : strategies) {
    Run other(strategy);
    std::vector<double> ratios;
    for (int pair = 0; pair < pairs; ++pair) {
      const double alone = single.epoch();
      ratios.push_back(other.epoch() / alone);
    }
    std::sort(ratios.begin(), ratios.end());
    std::printf("%-22s %.3f (%.3f to %.3f)\n", name.c_str(), ratios[ratios.size() / 2], ratios.front(), ratios.back());
  }
}
