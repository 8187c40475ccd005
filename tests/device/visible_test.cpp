// The library opens LibTorch's part for GPUs by itself, counts the GPUs of this machine, and computes on them.
#include <ATen/ATen.h>

#include "check.h"
#include "tandem/core/device_stream.h"
#include "tandem/core/error.h"
#include "tandem/core/gpu_plugin.h"

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
  const int64_t gpus = visible_gpus();
  if (gpus == 0) return skip(refusal([] { GpuPlugin::open(); }));

  Checks check;
  const auto device = torch_device(Device("gpu:0"));
  const auto on_gpu = at::ones({64, 64}, at::TensorOptions().device(device));
  check.that(at::equal(on_gpu.matmul(on_gpu).cpu(), at::full({64, 64}, 64.0)), "a product on gpu:0 is right");

  const auto n = std::to_string(gpus);
  check.that(Devices::parse("auto") == Devices::gpus(gpus), "auto means the " + n + " visible GPUs");
  const auto too_many = refusal([&] { Devices::gpus(gpus + 1); });
  check.that(contains(too_many, n + " visible"), "one GPU too many is refused: " + too_many);
  return check.status();
}

}  // namespace
}  // namespace tandem::testing

int main() { return tandem::testing::run(); }
