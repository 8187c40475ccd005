#include "tandem/distribution/zero.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
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
    for (const auto& scope : scoped_devices(network)) {
      if (scope)
        refuse_zero(c10::str("model '", network.name(), "' must have no layers in DeviceScopes, got one on ",
                             scope->to_string()));
    }
  }
  std::unique_ptr<Execution> bind(const Program& program) const override {
    check(*program.network);
    if (program.optimizer && !program.optimizer->elementwise()) {
      refuse_zero(c10::str("the optimizer must update each element by itself, since weights lie in parts on several ",
                           "ranks, but ", program.optimizer->class_name(), " needs whole weights"));
    }
    const int64_t on_host = options_.devices.size() * (group() ? group()->local_size() : 1);
    auto how =
        exchange_of(options_).replication(options_.devices, threads_per_device(on_host, options_.threads_per_device));
    how.zero_stage = options_.stage;
    if (group()) how.processes = group()->processes();
    return std::make_unique<Replicated>(program, how);
  }

 private:
  const std::optional<ProcessGroup>& group() const { return options_.group; }

  ZeroOptions options_;
};

ZeroOptions checked_zero(ZeroOptions options) {
  const auto& group = options.group;
  if (options.stage < 1 || options.stage > 3) refuse_zero(c10::str("stage must be 1, 2 or 3, got ", options.stage));
  if (group && group->world_size() > 1 && !group->processes())
    refuse_zero("the group's ranks must be processes, as those of init_process_group()");
  if (options.devices.empty() && group) options.devices = {group->device()};
  if (options.devices.empty()) refuse_zero("must get devices, e.g. {.devices = {\"cpu:0\", \"cpu:1\"}}");
  for (const auto& device : options.devices) {
    if (device.kind == Device::Kind::gpu)
      refuse_zero(c10::str("devices must be CPUs, got ", options.devices.to_string(), "; Mirrored runs on GPUs"));
  }
  if (options.offload_optimizer)
    refuse_zero("offload_optimizer must not be set on CPUs, where the optimizer's state lies in host memory anyway");
  check_available(options.devices);
  exchange_of(options).check("Zero", options.devices.size() * (group ? group->world_size() : 1));
  return options;
}

}  // namespace

Zero::Zero(ZeroOptions options) : Strategy(std::make_shared<ZeroKind>(checked_zero(std::move(options)))) {}

}  // namespace tandem::distribute
