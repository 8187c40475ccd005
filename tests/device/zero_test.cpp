// ZeRO on GPUs, in stages 1 and 2, also with the optimizer's state in host memory, gives what one CPU gives.
#include "check.h"
#include "fits.h"
#include "stand_in.h"
#include "tandem/testing/message_of.h"

namespace tandem::testing {
namespace {

using namespace layers;

FitCase case_of(const std::string& name, const Handle<Optimizer>& optimizer) {
  return {
      name,
      [] {
        return Sequential({Input({6}), Dense(16, {.activation = "relu", .kernel_regularizer = regularizers::L2(0.01)}),
                           Dropout(0.3), Dense(3, {.activation = "softmax"})});
      },
      {.optimizer = optimizer, .loss = "categorical_crossentropy"},
      normal({25, 6}, 1),
      one_hot(25, 3, 2),
      {.batch_size = 7, .epochs = 2, .accumulate = 2}};
}

int run() {
  use_gpu_or_stand_in();
  Checks check;
  for (const auto& what : {case_of("Adam, clipnorm", optimizers::Adam({.learning_rate = 0.02, .clipnorm = 0.2})),
                           case_of("momentum, global_clipnorm",
                                   optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9, .global_clipnorm = 0.2}))}) {
    const auto on_cpu = fit_on(what, distribute::SingleDevice("cpu:0"));
    for (const auto& devices : device_lists()) {
      for (const int64_t stage : {1, 2}) {
        for (const bool offload : {false, true}) {
          const auto got = fit_on(
              what, distribute::Zero(
                        {.devices = devices, .stage = stage, .offload_optimizer = offload, .bucket_bytes = 300}));
          const auto different = difference(got, on_cpu, 1e-4);
          check.that(different.empty(), what.name + ", stage " + std::to_string(stage) + " on " + devices.to_string() +
                                            (offload ? ", state in host memory " : " ") + different);
        }
      }
    }
  }
  const auto two = parts_of_first_gpu(2);
  check.that(message_of([&] { distribute::Zero({.devices = two, .stage = 3}); }) ==
                 "Zero: stage 3 must be on CPUs; on GPUs there are stages 1 and 2",
             "stage 3 is refused");
  return check.status();
}

}  // namespace
}  // namespace tandem::testing

int main() { return tandem::testing::run(); }
