#include "tandem/distribution/tensor_parallel.h"

#include "tandem/core/error.h"
#include "tandem/distribution/bind_tensor.h"

namespace tandem::distribute {
namespace {

class TensorKind : public StrategyKind {
 public:
  explicit TensorKind(TensorParallelOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "tensor"; }
  Devices devices() const override { return options_.devices; }
  void check(const Network& network) const override { check_splittable("TensorParallel", network); }
  std::unique_ptr<Execution> bind(const Program& program) const override {
    const int64_t ranks = options_.devices.size();
    return bind_tensor("TensorParallel", program,
                       {.devices = options_.devices,
                        .tensor = ranks,
                        .threads_per_device = threads_per_device(ranks, options_.threads_per_device)});
  }

 private:
  const TensorParallelOptions options_;
};

TensorParallelOptions checked(TensorParallelOptions options) {
  if (options.devices.empty()) {
    throw InvalidArgument(
        "TensorParallel: must get a device for each part, e.g. {.devices = {\"cpu:0\", \"cpu:1\"}}");
  }
  check_tensor_devices("TensorParallel", options.devices, options.devices.size());
  return options;
}

}  // namespace

TensorParallel::TensorParallel(TensorParallelOptions options)
    : Strategy(std::make_shared<TensorKind>(checked(std::move(options)))) {}

}  // namespace tandem::distribute
