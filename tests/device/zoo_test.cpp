// MiniGoogLeNet on a whole GPU, on two halves of it, and on two GPUs where they are: the numbers of CPU devices.
#include "check.h"
#include "device_counts.h"
#include "fits.h"
#include "stand_in.h"

namespace tandem::testing {
namespace {

// The rate is small since the network multiplies rounding: at 5e-3, images that differ by 1e-7 give weights that differ
// by 0.1 after twenty steps, on one device, too.
FitCase minigooglenet(int64_t steps) {
  return {"minigooglenet",
          [] { return zoo::minigooglenet(); },
          {.optimizer = optimizers::SGD({.learning_rate = 1e-4, .momentum = 0.9}),
           .loss = "categorical_crossentropy",
           .metrics = {"accuracy"}},
          RandomStream(1).uniform({8 * steps, 32, 32, 3}),
          one_hot(8 * steps, 10, 2),
          {.batch_size = 8}};
}

int run() {
  use_gpu_or_stand_in();
  Checks check;
  const auto task = minigooglenet(stream_waits_of_host() ? 2 : 20);
  std::vector<Devices> lists{parts_of_first_gpu(1), parts_of_first_gpu(2)};
  if (visible_gpus() > 1) lists.push_back(Devices{"gpu:0", "gpu:1"});
  FitResult want;
  for (const auto& devices : lists) {
    const auto cpus = Devices::parse("cpu*" + std::to_string(devices.size()));
    if (want.placement.replicas.size() != static_cast<std::size_t>(devices.size())) want = fit_on(task, mirrored(cpus));
    const auto different = difference(fit_on(task, mirrored(devices)), want, 1e-4);
    check.that(different.empty(),
               "MiniGoogLeNet on " + devices.to_string() + " as on " + cpus.to_string() + " " + different);
  }
  return check.status();
}

}  // namespace
}  // namespace tandem::testing

int main() { return tandem::testing::run(); }
