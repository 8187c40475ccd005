#include "tandem/distribution/zero.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/distribution/check_places.h"
#include "tandem/distribution/exchange_options.h"
#include "tandem/distribution/replicated.h"
#include "tandem/network/scoped_devices.h"

namespace tandem::distribute {
namespace {

[[noreturn]] void refuse_zero(const std::string& must) { throw InvalidArgument("Zero: " + must); }

ExchangeOptions exchange_of(const ZeroOptions& options) {
  return {.shares = options.shares, .bucket_bytes = options.bucket_bytes, .memory_limit = options.memory_limit};
}

class ZeroKind : public StrategyKind {
 public:
  explicit ZeroKind(ZeroOptions options) : options_(std::move(options)) {}
  std::string name() const override { return c10::str("zero", options_.stage); }
  Devices devices() const override { return options_.devices; }
  int64_t all_devices() const override { return options_.devices.size() * (group() ? group()->world_size() : 1); }
  bool leads() const override { return !group() || group()->rank() == 0; }
  void check(const Network& network) const override {
    if (const auto layer = first_scoped(network); !layer.empty())
      refuse_zero(c10::str("model '", network.name(), "' must have no layers in DeviceScopes, got ", layer));
  }
  void check_optimizer(const Optimizer& optimizer) const override {
    if (optimizer.elementwise()) return;
    refuse_zero(c10::str("the optimizer must update each element by itself, since weights lie in parts on several ",
                         "ranks, but ", optimizer.class_name(), " needs whole weights"));
  }
  std::unique_ptr<Execution> bind(const Program& program) const override {
    check(*program.network);
    if (program.optimizer) check_optimizer(*program.optimizer);
    const int64_t on_host = options_.devices.size() * (group() ? group()->local_size() : 1);
    auto how =
        exchange_of(options_).replication(options_.devices, threads_per_device(on_host, options_.threads_per_device));
    how.zero_stage = options_.stage;
    how.offload_optimizer = options_.offload_optimizer;
    if (group()) how.processes = group()->processes();
    return std::make_unique<Replicated>(program, how);
  }

 private:
  const std::optional<ProcessGroup>& group() const { return options_.group; }

  ZeroOptions options_;
};

// What cannot be held, or not be known to hold, on GPUs.
void check_zero_on_gpus(const ZeroOptions& options) {
  const auto gpus = std::count_if(options.devices.begin(), options.devices.end(),
                                  [](const Device& device) { return device.kind == Device::Kind::gpu; });
  if (gpus == 0) return;
  if (gpus < options.devices.size())
    refuse_zero(c10::str("devices must be of one kind, CPUs or GPUs, got ", options.devices.to_string()));
  if (options.group) refuse_zero("devices must be CPUs where there is a group of processes");
  if (options.stage == 3) refuse_zero("stage 3 must be on CPUs; on GPUs there are stages 1 and 2");
  if (options.memory_limit > 0) refuse_zero("memory_limit must not be set on GPUs; it is for CPU devices");
  if (options.shares.automatic()) refuse_zero("shares must be numbers on GPUs, as in {3, 1}");
}

ZeroOptions checked_zero(ZeroOptions options) {
  const auto& group = options.group;
  if (options.stage < 1 || options.stage > 3) refuse_zero(c10::str("stage must be 1, 2 or 3, got ", options.stage));
  check_processes("Zero", group);
  if (options.devices.empty() && group) options.devices = {group->device()};
  if (options.devices.empty()) refuse_zero("must get devices, e.g. {.devices = {\"cpu:0\", \"cpu:1\"}}");
  check_zero_on_gpus(options);
  if (options.offload_optimizer && options.devices[0].kind == Device::Kind::cpu)
    refuse_zero("offload_optimizer must not be set on CPUs, where the optimizer's state lies in host memory anyway");
  check_available(options.devices);
  threads_per_device(options.devices.size(), options.threads_per_device);
  exchange_of(options).check("Zero", options.devices.size() * (group ? group->world_size() : 1));
  return options;
}

}  // namespace

Zero::Zero(ZeroOptions options) : Strategy(std::make_shared<ZeroKind>(checked_zero(std::move(options)))) {}

}  // namespace tandem::distribute
