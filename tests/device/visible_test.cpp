// LibTorch computes on the GPUs of this machine, and the library counts them and refuses by name what it cannot use
// yet.
#include <ATen/ATen.h>
#include <dlfcn.h>

#include "check.h"
#include "tandem/core/device.h"
#include "tandem/core/error.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/model.h"

namespace tandem::testing {
namespace {

template <typename Call>
std::string refusal(const Call& call) {
  try {
    call();
    return "no error";
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

int run() {
  // The library links LibTorch's CPU part; the CUDA part joins when it is loaded.
  if (!dlopen(TANDEM_TORCH_CUDA, RTLD_NOW | RTLD_GLOBAL))
    return skip(std::string("no CUDA part of LibTorch: ") + dlerror());
  const int64_t gpus = visible_gpus();
  if (gpus == 0) return skip("no GPU is visible to this process");

  Checks check;
  check.that(at::hasCUDA(), "LibTorch has CUDA");
  const auto on_gpu = at::ones({64, 64}, at::TensorOptions().device(at::kCUDA));
  check.that(at::equal(on_gpu.matmul(on_gpu).cpu(), at::full({64, 64}, 64.0)), "a product on gpu:0 is right");

  const auto n = std::to_string(gpus);
  check.that(Devices::parse("auto") == Devices::gpus(gpus), "auto means the " + n + " visible GPUs");
  const auto too_many = refusal([&] { Devices::gpus(gpus + 1); });
  check.that(contains(too_many, n + " visible"), "one GPU too many is refused: " + too_many);

  Sequential model({layers::Input({4}), layers::Dense(2)});
  const auto refused = refusal([&] {
    model.compile({.optimizer = "sgd", .loss = "mse", .strategy = distribute::SingleDevice("gpu:0")});
    model.fit(at::ones({8, 4}), at::ones({8, 2}), {.verbose = 0});
  });
  check.that(contains(refused, "gpu:0") && contains(refused, "CPU devices only"),
             "gpu:0 is refused by name: " + refused);
  return check.status();
}

}  // namespace
}  // namespace tandem::testing

int main() { return tandem::testing::run(); }
