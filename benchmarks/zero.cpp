// A model of dense layers under Mirrored and the stages of ZeRO, and in two stages of a pipeline whose replicas divide
// memory likewise: what the ranks of a replica have between steps, from the allocator, beside the formula, and the time
// of a step.
//     zero_benchmark [devices] [steps]
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

constexpr int64_t kUnits = 1024, kLayers = 6, kBatch = 64;

struct Figures {
  double bytes_a_parameter, step_ms;
};

Figures measure(const distribute::Strategy& strategy, int64_t steps, int64_t ranks_of_a_replica = 1) {
  Sequential model({Input({kUnits})});
  for (int64_t i = 0; i < kLayers; ++i) model.add(Dense(kUnits, {.activation = "relu"}));
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-4}), .loss = "mse", .strategy = strategy});
  const auto x = torch::randn({kBatch, kUnits});
  std::vector<double> times;
  History history;
  for (int64_t step = 0; step <= steps; ++step) {
    const auto start = std::chrono::steady_clock::now();
    history = model.fit(x, x, {.batch_size = kBatch, .verbose = 0});
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  const auto median = times.begin() + 1 + steps / 2;  // the first one takes memory
  std::nth_element(times.begin() + 1, median, times.end());
  int64_t bytes = 0;
  for (int64_t r = 0; r < ranks_of_a_replica; ++r)
    bytes += history.parameter_bytes(r) + history.gradient_bytes(r) + history.optimizer_bytes(r);
  return {static_cast<double>(bytes) / static_cast<double>(kLayers * (kUnits + 1) * kUnits), *median};
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 4, steps = argc > 2 ? std::atoll(argv[2]) : 20;
  const auto devices = Devices::parse("cpu*" + std::to_string(n));
  const auto formula = [](int64_t zero, int64_t ranks) {
    const auto share = [ranks](double part) { return part / static_cast<double>(ranks); };
    const double formulas[] = {16, 8 + share(8), 4 + share(12), share(16)};
    return formulas[zero];
  };
  const auto print = [](const std::string& name, const Figures& figures, double want) {
    std::printf("%-16s %6.3f bytes a parameter (formula %6.3f) %8.1f ms a step\n", name.c_str(),
                figures.bytes_a_parameter, want, figures.step_ms);
  };
  std::printf("%lld devices, %lld layers of %lld units, Adam\n", static_cast<long long>(n),
              static_cast<long long>(kLayers), static_cast<long long>(kUnits));
  print("mirrored", measure(distribute::Mirrored({.devices = devices}), steps), formula(0, n));
  for (int64_t stage = 1; stage <= 3; ++stage) {
    print("zero " + std::to_string(stage), measure(distribute::Zero({.devices = devices, .stage = stage}), steps),
          formula(stage, n));
  }
  if (n < 4 || n % 2 != 0) return 0;
  for (int64_t stage = 0; stage <= 3; ++stage) {
    const distribute::Mesh mesh({.devices = devices, .data = n / 2, .pipe = 2, .zero = stage});
    print("2 stages, zero " + std::to_string(stage), measure(mesh, steps, 2), formula(stage, n / 2));
  }
}
