// Each virtual device has a stream of its own, and a scope makes device and stream current for its thread alone.
#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>

#include <thread>

#include "check.h"
#include "stand_in.h"
#include "tandem/core/device_stream.h"

namespace tandem::testing {
namespace {

int run() {
  use_gpu_or_stand_in();
  Checks check;
  const auto device = torch_device(Device("gpu:0/2"));
  check.that(device == torch_device(Device("gpu:0")), "a part of a GPU is that GPU for LibTorch");
  check.that(torch_device(Device("cpu:3")).is_cpu(), "a CPU device is the CPU");

  const DeviceStream first(device), second(device);
  check.that(*first.stream() != *second.stream(), "two virtual devices of one GPU have streams of their own");
  const auto before = at::accelerator::getCurrentStream(device.index());
  {
    const StreamScope scope(first);
    check.that(at::accelerator::getCurrentStream(device.index()) == *first.stream(),
               "a scope makes its stream current");
    std::thread([&] {
      check.that(at::accelerator::getCurrentStream(device.index()) == before, "on its own thread alone");
    }).join();
    const StreamScope inner(second);
    const auto made = at::full({8}, 3.0, at::TensorOptions(device.type()));
    check.that(made.device() == device, "tensors of a GPU are made on the scope's");
    second.synchronize();
    check.that(made.sum().item<double>() == 24, "and computed there");
  }
  check.that(at::accelerator::getCurrentStream(device.index()) == before, "and gives the stream back at its end");

  const auto last = visible_gpus() - 1;
  const DeviceStream other(torch_device(Device("gpu:" + std::to_string(last))));
  const StreamScope scope(other);
  check.that(at::accelerator::getDeviceIndex() == last, "a scope makes its device current");

  const DeviceStream none(at::kCPU);
  const StreamScope nothing(none);
  none.synchronize();
  check.that(!none.stream(), "a CPU device has no stream");
  return check.status();
}

}  // namespace
}  // namespace tandem::testing

int main() { return tandem::testing::run(); }
