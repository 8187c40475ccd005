#include "tandem/distribution/single_device.h"

#include "tandem/distribution/replicated.h"

namespace tandem::distribute {
namespace {

class SingleDeviceKind : public StrategyKind {
 public:
  SingleDeviceKind(const Device& device, int64_t threads) : device_(device), threads_(threads) {}
  std::string name() const override { return "single"; }
  Devices devices() const override { return {device_}; }
  std::unique_ptr<Execution> bind(const Program& program) const override {
    return std::make_unique<Replicated>(
        program, Replication{.devices = devices(), .threads_per_device = threads_per_device(1, threads_)});
  }

 private:
  Device device_;
  int64_t threads_;
};

}  // namespace

SingleDevice::SingleDevice(const Device& device, int64_t threads)
    : Strategy(std::make_shared<SingleDeviceKind>(device, threads)) {
  check_available({device});
}

}  // namespace tandem::distribute
