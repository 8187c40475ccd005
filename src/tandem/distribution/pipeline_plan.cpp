#include "tandem/distribution/pipeline_plan.h"

#include <algorithm>
#include <set>

#include "tandem/core/error.h"
#include "tandem/distribution/stage_split.h"
#include "tandem/network/cut_graph.h"
#include "tandem/network/step_costs.h"

namespace tandem::distribute {
namespace {

constexpr int64_t kRowsToMeasure = 8;

StepParts parts_of(const FlatGraph& flat, const Graph& graph, const PipelineSettings& settings, std::size_t parts) {
  if (!settings.boundaries.empty()) return split_by_names(flat, settings.boundaries, parts);
  if (devices_in_scopes(flat).size() > 1) return split_by_scopes(flat, parts);
  if (parts == 1) return StepParts(flat.steps.size(), 0);
  return split_by_cost(measure_steps(flat, graph.input_shapes(), kRowsToMeasure), parts);
}

void add_once(std::vector<Weight>& all, const std::vector<Weight>& more) {
  for (const auto& w : more) {
    if (std::find(all.begin(), all.end(), w) == all.end()) all.push_back(w);
  }
}

}  // namespace

std::vector<int64_t> PipelinePlan::stages_of(const Weight& weight) const {
  std::vector<int64_t> stages;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    if (std::find(weights[s].begin(), weights[s].end(), weight) != weights[s].end())
      stages.push_back(static_cast<int64_t>(s));
  }
  return stages;
}

PipelinePlan plan_pipeline(const Graph& graph, const PipelineSettings& settings) {
  const int64_t stages = settings.devices.size();
  PipelinePlan plan{.division = {stages, settings.micro_batches, settings.chunks},
                    .schedule = settings.schedule,
                    .recompute = settings.recompute,
                    .devices = settings.devices};
  const auto flat = flatten_graph(graph);
  const auto parts = static_cast<std::size_t>(stages * settings.chunks);
  plan.cut = cut_graph(flat, parts_of(flat, graph, settings, parts), parts);
  plan.maker.assign(plan.cut.values, parts);
  plan.readers.resize(plan.cut.values);
  plan.weights.resize(static_cast<std::size_t>(stages));
  for (std::size_t p = 0; p < parts; ++p) {
    const auto& segment = plan.cut.segments[p];
    for (const auto& [within, number] : segment.writes) plan.maker[number] = p;
    for (const auto number : segment.reads) plan.readers[number].push_back(p);
    auto& own = plan.weights[static_cast<std::size_t>(plan.stage_of(p))];
    for (const auto& step : segment.steps) add_once(own, step.layer->weights());
  }
  for (const auto& w : graph.weights()) {
    if (plan.stages_of(w).empty()) plan.weights.front().push_back(w);
  }
  return plan;
}

}  // namespace tandem::distribute
