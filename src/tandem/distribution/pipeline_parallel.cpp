#include "tandem/distribution/pipeline_parallel.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/distribution/pipeline_execution.h"
#include "tandem/network/graph_within.h"
#include "tandem/network/stateful.h"
#include "tandem/schedule/catalog.h"

namespace tandem::distribute {
namespace {

[[noreturn]] void refuse_pipeline(const std::string& must) { throw InvalidArgument("PipelineParallel: " + must); }

int64_t ranks_of(const PipelineParallelOptions& options) {
  return options.devices.size() * (options.group ? options.group->world_size() : 1);
}

class PipelineKind : public StrategyKind {
 public:
  explicit PipelineKind(PipelineParallelOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "pipeline"; }
  Devices devices() const override { return options_.devices; }
  int64_t all_devices() const override { return ranks_of(options_); }
  bool leads() const override { return !options_.group || options_.group->rank() == 0; }

  void check(const Network& network) const override {
    const auto must = [&](const std::string& what) {
      refuse_pipeline(c10::str("model '", network.name(), "': must ", what));
    };
    if (network.built() && !graph_within(network)) must("be functional or Sequential, so that it can be cut");
    if (fixed_batch(network) > 0) must("have no stateful layer, which would see micro batches");
    for (const auto& w : network.weights()) {
      if (w.variable().of_whole_batch) must("have no synchronized batch normalisation");
    }
  }

  std::unique_ptr<Execution> bind(const Program& program) const override {
    check(*program.network);
    if (!graph_within(*program.network))
      refuse_pipeline(c10::str("model '", program.network->name(), "': must know its inputs before it can be cut"));
    if (program.losses) {
      if (const auto* loss = program.losses->over_batch())
        refuse_pipeline(c10::str("loss ", loss->class_name(), " must not need the whole batch at once"));
    }
    const int64_t on_host = options_.devices.size() * (options_.group ? options_.group->local_size() : 1);
    auto execution = std::make_unique<PipelineExecution>(
        program, PipelineSettings{.devices = options_.devices,
                                  .data = options_.data,
                                  .processes = options_.group ? options_.group->processes() : nullptr,
                                  .threads_per_device = threads_per_device(on_host, options_.threads_per_device),
                                  .micro_batches = options_.micro_batches,
                                  .chunks = options_.chunks,
                                  .schedule = options_.schedule,
                                  .boundaries = options_.boundaries,
                                  .recompute = options_.recompute});
    for (const auto& w : program.network->non_trainable_weights()) {
      if (!w.trainable() && execution->plan().stages_of(w).size() > 1)
        refuse_pipeline(c10::str("model '", program.network->name(), "': statistics '", w.name(),
                                 "' must be of one stage; a layer that has them must not be called on several"));
    }
    return execution;
  }

 private:
  const PipelineParallelOptions options_;
};

PipelineParallelOptions checked(PipelineParallelOptions options) {
  if (options.group && options.group->world_size() > 1 && !options.group->processes())
    refuse_pipeline("the group's ranks must be processes, as those of init_process_group()");
  if (options.devices.empty() && options.group) options.devices = {options.group->device()};
  if (options.devices.empty())
    refuse_pipeline("must get a device for each stage, e.g. {.devices = {\"cpu:0\", \"cpu:1\"}}");
  for (const auto& device : options.devices) {
    if (device.kind == Device::Kind::gpu)
      refuse_pipeline(c10::str("devices must be CPUs, got ", options.devices.to_string(), "; Mirrored runs on GPUs"));
  }
  check_available(options.devices);
  const int64_t ranks = ranks_of(options);
  if (options.data < 1 || ranks % options.data != 0) {
    refuse_pipeline(c10::str("data, the number of replicas, must be at least 1 and divide the number of devices, ",
                             ranks, ", got ", options.data));
  }
  schedule::schedule_by_name(options.schedule)(0, {ranks / options.data, options.micro_batches, options.chunks});
  return options;
}

}  // namespace

PipelineParallel::PipelineParallel(PipelineParallelOptions options)
    : Strategy(std::make_shared<PipelineKind>(checked(std::move(options)))) {}

}  // namespace tandem::distribute
