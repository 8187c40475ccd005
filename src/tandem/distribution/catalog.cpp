#include "tandem/core/catalog.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>

#include "tandem/cluster/who_am_i.h"
#include "tandem/distribution/as_placed.h"
#include "tandem/distribution/data_parallel.h"
#include "tandem/distribution/mesh.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/distribution/parameter_server.h"
#include "tandem/distribution/pipeline_parallel.h"
#include "tandem/distribution/single_device.h"
#include "tandem/distribution/tensor_parallel.h"
#include "tandem/distribution/zero.h"

namespace tandem::distribute {
namespace {

using Maker = std::function<Strategy(const StrategyOptions&)>;

// Where this process is one of several.
std::optional<ProcessGroup> group_of_job() {
  const auto member = cluster::who_am_i(cluster::Environment());
  return member.trains() && member.world_size == 1 ? std::nullopt : std::optional(init_process_group());
}

std::optional<ProcessGroup> group_of_workers(const StrategyOptions& options) {
  if (options.server_mode != "sync" || options.backup_workers > 0) return {};
  return group_of_job();
}

// What says how workers exchange gradients, which they do not.
void refuse_for_servers(const StrategyOptions& options) {
  if (options.all_reduce != "auto" || options.average_every > 0)
    throw InvalidArgument(c10::str("strategy parameter-server: all_reduce and average_every must not be set, got ",
                                   options.all_reduce, " and ", options.average_every));
}

// What says how a batch is divided over replicas, and their gradients are added up.
void refuse_for_parts(const std::string& name, const StrategyOptions& o) {
  if (o.all_reduce != "auto" || o.average_every > 0 || o.fixed_order > 0 || o.shares.automatic() ||
      !o.shares.weights().empty())
    throw InvalidArgument(
        c10::str("strategy ", name, ": shares, fixed_order, all_reduce and average_every must not be set"));
}

// Replicas for all devices that stages and tensor groups leave, unless it is said how many.
int64_t replicas_of(const StrategyOptions& o, int64_t devices) {
  const int64_t each = o.mesh_pipe * o.mesh_tensor;
  return o.mesh_data > 0 || each < 1 ? o.mesh_data : std::max<int64_t>(1, devices / each);
}

Strategy zero(int64_t stage, const StrategyOptions& o) {
  if (o.all_reduce != "auto" || o.average_every > 0 || o.fixed_order > 0)
    throw InvalidArgument(
        c10::str("strategy zero", stage, ": fixed_order, all_reduce and average_every must not be set"));
  return Zero({.group = group_of_job(),
               .devices = o.devices,
               .stage = stage,
               .threads_per_device = o.threads_per_device,
               .offload_optimizer = o.offload_optimizer,
               .shares = o.shares,
               .memory_limit = o.memory_limit});
}

const Catalog<Maker>& strategies() {
  static const Catalog<Maker> catalog(
      "strategy",
      {
          {"single",
           [](const StrategyOptions& o) {
             if (o.devices.size() > 1)
               throw InvalidArgument(c10::str("strategy single: must get one device, got ", o.devices.to_string()));
             if (o.fixed_order > 0 || o.average_every > 0 || o.shares.automatic() || !o.shares.weights().empty())
               throw InvalidArgument(c10::str(
                   "strategy single: shares, fixed_order and average_every must not be set, which divide a batch over "
                   "replicas; mirrored has them on one device, too; got fixed_order ",
                   o.fixed_order, ", average_every ", o.average_every));
             const Device usual(visible_gpus() > 0 ? "gpu:0" : "cpu:0");
             return SingleDevice(o.devices.empty() ? usual : o.devices[0], o.threads_per_device);
           }},
          {"as-placed",
           [](const StrategyOptions& o) {
             if (!o.devices.empty()) {
               throw InvalidArgument(c10::str("strategy as-placed: the model's device scopes name the devices, got ",
                                              o.devices.to_string()));
             }
             return AsPlaced(o.threads_per_device);
           }},
          {"data-parallel",
           [](const StrategyOptions& o) {
             return DataParallel({.group = init_process_group(),
                                  .devices = o.devices,
                                  .threads_per_device = o.threads_per_device,
                                  .shares = o.shares,
                                  .fixed_order = o.fixed_order,
                                  .all_reduce = o.all_reduce,
                                  .average_every = o.average_every,
                                  .memory_limit = o.memory_limit});
           }},
          {"mirrored",
           [](const StrategyOptions& o) {
             return Mirrored({.devices = o.devices,
                              .threads_per_device = o.threads_per_device,
                              .shares = o.shares,
                              .fixed_order = o.fixed_order,
                              .all_reduce = o.all_reduce,
                              .average_every = o.average_every,
                              .memory_limit = o.memory_limit});
           }},
          {"parameter-server",
           [](const StrategyOptions& o) {
             refuse_for_servers(o);
             return ParameterServer({.group = group_of_workers(o),
                                     .workers = o.devices,
                                     .servers = o.servers,
                                     .server_sync = o.server_sync,
                                     .sync_every = o.sync_every,
                                     .threads_per_device = o.threads_per_device,
                                     .mode = o.server_mode,
                                     .staleness = o.staleness,
                                     .backup_workers = o.backup_workers,
                                     .shares = o.shares,
                                     .fixed_order = o.fixed_order});
           }},
          {"pipeline",
           [](const StrategyOptions& o) {
             refuse_for_parts("pipeline", o);
             return PipelineParallel({.group = group_of_job(),
                                      .devices = o.devices,
                                      .micro_batches = o.micro_batches,
                                      .schedule = o.pipeline_schedule,
                                      .chunks = o.pipeline_chunks,
                                      .recompute = o.recompute,
                                      .threads_per_device = o.threads_per_device,
                                      .memory_limit = o.memory_limit});
           }},
          {"zero1", [](const StrategyOptions& o) { return zero(1, o); }},
          {"zero2", [](const StrategyOptions& o) { return zero(2, o); }},
          {"zero3", [](const StrategyOptions& o) { return zero(3, o); }},
          {"tensor",
           [](const StrategyOptions& o) {
             refuse_for_parts("tensor", o);
             return TensorParallel({.devices = o.devices,
                                    .group = group_of_job(),
                                    .threads_per_device = o.threads_per_device,
                                    .memory_limit = o.memory_limit});
           }},
          {"mesh",
           [](const StrategyOptions& o) {
             refuse_for_parts("mesh", o);
             const auto group = group_of_job();
             return Mesh({.devices = o.devices,
                          .group = group,
                          .data = replicas_of(o, group ? group->world_size() * std::max<int64_t>(1, o.devices.size())
                                                       : o.devices.size()),
                          .pipe = o.mesh_pipe,
                          .tensor = o.mesh_tensor,
                          .micro_batches = o.micro_batches,
                          .schedule = o.pipeline_schedule,
                          .chunks = o.pipeline_chunks,
                          .recompute = o.recompute,
                          .zero = o.mesh_zero,
                          .threads_per_device = o.threads_per_device,
                          .memory_limit = o.memory_limit});
           }},
      });
  return catalog;
}

}  // namespace

std::vector<std::string> strategy_names() { return strategies().names(); }

Strategy make_strategy(const std::string& name, const StrategyOptions& options) {
  return strategies().at(name)(options);
}

}  // namespace tandem::distribute
