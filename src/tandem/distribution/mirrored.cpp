#include "tandem/distribution/mirrored.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/distribution/exchange_options.h"
#include "tandem/distribution/replicated.h"

namespace tandem::distribute {
namespace {

class MirroredKind : public StrategyKind {
 public:
  explicit MirroredKind(MirroredOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "mirrored"; }
  Devices devices() const override { return options_.devices; }
  std::unique_ptr<Execution> bind(const Program& program) const override {
    const auto devices = options_.devices.size();
    std::shared_ptr<HostPart> on_host;
    if (const auto scope = host_scope(*program.network); scope && devices > 1) {
      check_host_part(*program.network, *scope);
      on_host = std::make_shared<HostPart>(*program.network, *scope, devices);
    }
    auto how = ExchangeOptions::of(options_).replication(
        options_.devices, threads_per_device(options_.devices.size(), options_.threads_per_device));
    how.host = on_host;
    return std::make_unique<Replicated>(program, how);
  }

 private:
  // What changes a replica's own gradients, or lets replicas wait for one another on one core, cannot go with layers
  // that all of them share.
  void check_host_part(const Network& network, const Device& scope) const {
    if (options_.fixed_order == 0 && options_.average_every == 0) return;
    throw InvalidArgument(c10::str("Mirrored: ", options_.fixed_order > 0 ? "fixed_order" : "average_every",
                                   " must not be set for model '", network.name(), "', which has layers placed on ",
                                   scope.to_string(), " to run once on the merged batch"));
  }

  MirroredOptions options_;
};

[[noreturn]] void refuse_mirrored(const std::string& must) { throw InvalidArgument("Mirrored: " + must); }

// What cannot be held, or not be known to hold, on GPUs.
void check_gpus(const MirroredOptions& options) {
  const auto is_gpu = [](const Device& device) { return device.kind == Device::Kind::gpu; };
  const auto gpus = std::count_if(options.devices.begin(), options.devices.end(), is_gpu);
  if (gpus == 0) return;
  if (gpus < options.devices.size())
    refuse_mirrored(c10::str("devices must be of one kind, CPUs or GPUs, got ", options.devices.to_string()));
  if (options.fixed_order > 0) {
    refuse_mirrored(
        "fixed_order must not be set on GPUs, whose libraries add in an order that may change from run to run; it is "
        "for CPU devices");
  }
  if (options.shares.automatic()) {
    refuse_mirrored(
        "shares must be numbers on GPUs, as in {3, 1}: auto goes by the time that CPU devices compute, and a GPU's "
        "work "
        "is not over when the host has started it");
  }
  if (options.memory_limit > 0) refuse_mirrored("memory_limit must not be set on GPUs; it is for CPU devices");
  if (options.all_reduce != "auto") {
    refuse_mirrored(
        c10::str("all_reduce must be auto on GPUs, where NCCL, or on one card the card itself, says how; got ",
                 options.all_reduce));
  }
}

MirroredOptions checked(MirroredOptions options) {
  if (options.devices.empty() && visible_gpus() > 0) options.devices = Devices::gpus(visible_gpus());
  if (options.devices.empty())
    throw InvalidArgument(
        "Mirrored: must get devices where no GPU is visible, e.g. {.devices = {\"cpu:0\", \"cpu:1\"}}");
  check_available(options.devices);
  threads_per_device(options.devices.size(), options.threads_per_device);
  ExchangeOptions::of(options).check("Mirrored", options.devices.size());
  check_gpus(options);
  return options;
}

}  // namespace

Mirrored::Mirrored(MirroredOptions options) : Strategy(std::make_shared<MirroredKind>(checked(std::move(options)))) {}

}  // namespace tandem::distribute
