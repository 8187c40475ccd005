// What replicas take of GPUs' memory, and of which ones.
#include "check.h"
#include "device_counts.h"
#include "fits.h"
#include "stand_in.h"
#include "tandem/core/device_stream.h"
#include "tandem/model/body.h"

namespace tandem::testing {
namespace {

using namespace layers;

constexpr int64_t kModelBytes = int64_t{4} << 20;

Model wide_model(const distribute::Strategy& strategy) {
  Sequential model({Input({1024}), Dense(1024, {.use_bias = false})});
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = strategy});
  return model;
}

void fit(Model& model, int64_t epochs = 1) {
  model.fit(normal({16, 1024}, 1), normal({16, 1024}, 2), {.batch_size = 8, .epochs = epochs, .verbose = 0});
}

// U19: parameters and gradients, and nothing besides.
void check_replicas(Checks& check) {
  for (const int64_t replicas : {1, 4}) {
    const int64_t before = device_bytes(0);
    Model model = wide_model(mirrored(parts_of_first_gpu(replicas)));
    model.body().trainer().execution();
    const int64_t taken = device_bytes(0) - before;
    check.that(taken >= 2 * replicas * kModelBytes && 10 * taken <= 11 * 2 * replicas * kModelBytes,
               std::to_string(replicas) + " replicas take " + std::to_string(taken) + " bytes");
  }
  check.that(device_bytes(0) < kModelBytes, "which are given back with the model");
}

void check_steady(Checks& check) {
  Model model = wide_model(mirrored(parts_of_first_gpu(2)));
  fit(model, 3);
  const int64_t before = device_bytes(0);
  fit(model, 10);
  check.that(device_bytes(0) <= before, "ten epochs more take no memory more");
}

// U83: a replica on the second GPU leaves the first one alone. U10: none holds more than the others.
void check_apart(Checks& check) {
  if (visible_gpus() < 2) return;
  const int64_t before = device_bytes(0);
  Model second = wide_model(distribute::SingleDevice("gpu:1"));
  device_peak_bytes(0);
  fit(second);
  check.that(device_peak_bytes(0) == before, "a model on gpu:1 takes nothing of gpu:0");

  Model both = wide_model(distribute::Mirrored({.devices = {"gpu:0", "gpu:1"}}));
  const int64_t base[] = {device_bytes(0), device_bytes(1)};
  device_peak_bytes(0);
  device_peak_bytes(1);
  fit(both, 2);
  const auto peak = [&](c10::DeviceIndex i) { return static_cast<double>(device_peak_bytes(i) - base[i]); };
  const double a = peak(0), b = peak(1);
  check.that(a > 0 && b > 0 && std::max(a, b) <= 1.15 * std::min(a, b),
             "two GPUs hold alike: " + std::to_string(a) + " and " + std::to_string(b) + " bytes at most");
}

int run() {
  use_gpu_or_stand_in();
  Checks check;
  check_replicas(check);
  check_steady(check);
  check_apart(check);
  return check.status();
}

}  // namespace
}  // namespace tandem::testing

int main() { return tandem::testing::run(); }
