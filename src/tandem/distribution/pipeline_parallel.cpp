#include "tandem/distribution/pipeline_parallel.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/distribution/bind_pipeline.h"
#include "tandem/distribution/check_places.h"

namespace tandem::distribute {
namespace {

constexpr auto kWho = "PipelineParallel";

[[noreturn]] void refuse_pipeline(const std::string& must) { throw InvalidArgument(c10::str(kWho, ": ", must)); }

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

  void check(const Network& network) const override { check_stages(network, settings()); }
  void check_losses(const LossSet& losses) const override { check_stage_losses(kWho, losses); }
  std::unique_ptr<Execution> bind(const Program& program) const override { return bind_pipeline(program, settings()); }

 private:
  PipelineSettings settings() const {
    const int64_t on_host = options_.devices.size() * (options_.group ? options_.group->local_size() : 1);
    return {.devices = options_.devices,
            .data = options_.data,
            .processes = options_.group ? options_.group->processes() : nullptr,
            .threads_per_device = threads_per_device(on_host, options_.threads_per_device),
            .micro_batches = options_.micro_batches,
            .chunks = options_.chunks,
            .schedule = options_.schedule,
            .boundaries = options_.boundaries,
            .recompute = options_.recompute,
            .memory = {.limit = options_.memory_limit}};
  }

  const PipelineParallelOptions options_;
};

PipelineParallelOptions checked(PipelineParallelOptions options) {
  check_processes(kWho, options.group);
  if (options.devices.empty() && options.group) options.devices = {options.group->device()};
  if (options.devices.empty())
    refuse_pipeline("must get a device for each stage, e.g. {.devices = {\"cpu:0\", \"cpu:1\"}}");
  check_cpus(kWho, options.devices);
  check_available(options.devices);
  check_memory_limit(kWho, options.memory_limit);
  const int64_t ranks = ranks_of(options);
  if (options.data < 1 || ranks % options.data != 0) {
    refuse_pipeline(c10::str("data, the number of replicas, must be at least 1 and divide the number of devices, ",
                             ranks, ", got ", options.data));
  }
  check_schedule(kWho, options.schedule, {ranks / options.data, options.micro_batches, options.chunks});
  threads_per_device(options.devices.size(), options.threads_per_device);
  return options;
}

}  // namespace

PipelineParallel::PipelineParallel(PipelineParallelOptions options)
    : Strategy(std::make_shared<PipelineKind>(checked(std::move(options)))) {}

}  // namespace tandem::distribute
