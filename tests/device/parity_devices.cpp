// The parity tests of src/tandem/model, with parts of a GPU, or of the stand-in, in place of CPU devices.
#include <gtest/gtest.h>

#include "stand_in.h"
#include "tandem/model/parity_case_test.h"

namespace tandem::testing {
namespace {

Devices parts_of_one_gpu(int64_t n) {
  const auto part = "gpu:0/" + std::to_string(n);
  return Devices::of(std::vector<Device>(static_cast<std::size_t>(n), Device(part)));
}

class OnGpus final : public ::testing::Environment {
 public:
  void SetUp() override {
    use_gpu_or_stand_in();
    parity::several_devices = &parts_of_one_gpu;
  }
};

[[maybe_unused]] const auto* const kOnGpus = ::testing::AddGlobalTestEnvironment(new OnGpus);

}  // namespace
}  // namespace tandem::testing
