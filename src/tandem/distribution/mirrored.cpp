#include "tandem/distribution/mirrored.h"

#include "tandem/core/error.h"
#include "tandem/distribution/replicated.h"

namespace tandem::distribute {
namespace {

class MirroredKind : public StrategyKind {
 public:
  explicit MirroredKind(MirroredOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "mirrored"; }
  Devices devices() const override { return options_.devices; }
  std::unique_ptr<Execution> bind(const Program& program) const override {
    return std::make_unique<Replicated>(program, options_.devices,
                                        threads_per_device(options_.devices.size(), options_.threads_per_device));
  }

 private:
  MirroredOptions options_;
};

MirroredOptions checked(MirroredOptions options) {
  if (options.devices.empty() && visible_gpus() > 0) options.devices = Devices::gpus(visible_gpus());
  if (options.devices.empty())
    throw InvalidArgument(
        "Mirrored: must get devices where no GPU is visible, e.g. {.devices = {\"cpu:0\", \"cpu:1\"}}");
  check_available(options.devices);
  return options;
}

}  // namespace

Mirrored::Mirrored(MirroredOptions options) : Strategy(std::make_shared<MirroredKind>(checked(std::move(options)))) {}

}  // namespace tandem::distribute
