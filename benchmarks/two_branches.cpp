// Two equal branches on two one-core devices against the same model on one core: seconds a step, best of the epochs.
//     two_branches_benchmark [pairs]
// Each branch is as large as an LSTM of 256 units over 28 steps of 64 values: Dense layers with as many
// multiplications.
#include <tandem/tandem.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace tandem;
using namespace tandem::layers;

namespace {

constexpr int64_t kRows = 64, kSteps = 28, kFeatures = 64, kUnits = 256;

// 28 x (64 + 256) x 1024 multiplications a row.
KerasTensor branch(const KerasTensor& x) {
  return Dense(kUnits, {.activation = "tanh"})(Flatten()(Dense(kUnits / 4, {.activation = "tanh"})(
      Dense(4 * kUnits, {.activation = "tanh"})(Dense(kUnits, {.activation = "tanh"})(x)))));
}

Model two_branches() {
  const auto a = Input({kSteps, kFeatures}), b = Input({kSteps, kFeatures});
  KerasTensor left, right;
  {
    const DeviceScope on("cpu:0");
    left = branch(a);
  }
  {
    const DeviceScope on("cpu:1");
    right = branch(b);
  }
  const DeviceScope on("cpu:0");
  return Model({a, b}, Dense(1, {.activation = "sigmoid"})(Concatenate()({left, right})));
}

class Run {
 public:
  explicit Run(const distribute::Strategy& strategy) : model_(two_branches()) {
    model_.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}), .loss = "mse", .strategy = strategy});
    x_ = {torch::randn({kRows * 16, kSteps, kFeatures}), torch::randn({kRows * 16, kSteps, kFeatures})};
    y_ = torch::rand({kRows * 16, 1});
    epoch();  // memory and algorithms
  }
  /// Seconds a step.
  double epoch() {
    const auto start = std::chrono::steady_clock::now();
    model_.fit(x_, y_, {.batch_size = kRows, .verbose = 0});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 16;
  }

 private:
  Model model_;
  Tensors x_;
  Tensor y_;
};

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 15;
  Run one(distribute::SingleDevice("cpu:0", 1)), two(distribute::AsPlaced(1));
  double best_one = 1e9, best_two = 1e9, best_ratio = 1e9;
  for (int pair = 0; pair < pairs; ++pair) {
    const double one_core = one.epoch(), two_cores = two.epoch();
    best_one = std::min(best_one, one_core);
    best_two = std::min(best_two, two_cores);
    best_ratio = std::min(best_ratio, two_cores / one_core);
  }
  std::printf("one core %.2f ms, two one-core devices %.2f ms a step: %.2f of one core's time (best pair %.2f)\n",
              best_one * 1e3, best_two * 1e3, best_two / best_one, best_ratio);
  return 0;
}
