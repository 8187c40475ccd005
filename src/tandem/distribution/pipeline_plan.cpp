#include "tandem/distribution/pipeline_plan.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "tandem/core/error.h"
#include "tandem/core/mask.h"
#include "tandem/layers/dry_run.h"
#include "tandem/network/cut_graph.h"
#include "tandem/network/step_costs.h"

namespace tandem::distribute {
namespace {

constexpr int64_t kRowsToMeasure = 8;

// Tried for axes whose size nobody knows before the data comes: a convolution wants no less than its kernel.
constexpr int64_t kSizesToTry[] = {1, 8, 64};

// What `compute` gives for inputs of the first of these sizes that the graph takes; nothing where it takes none. What a
// graph of known sizes throws is thrown.
template <class F>
auto with_known_sizes(const Graph& graph, const F& compute) -> std::optional<decltype(compute(Shapes()))> {
  const Shapes shapes = graph.input_shapes();
  if (std::all_of(shapes.begin(), shapes.end(), [](const Shape& s) { return s.without_batch().is_known(); }))
    return compute(shapes);
  for (const int64_t size : kSizesToTry) {
    Shapes known;
    for (const auto& shape : shapes) {
      auto sizes = shape.sizes();
      std::replace(sizes.begin() + 1, sizes.end(), Shape::kUnknown, size);
      known.push_back(Shape::of(sizes));
    }
    try {
      return compute(known);
    } catch (const std::exception&) {  // too small, or the model's own layers take other sizes
    }
  }
  return {};
}

// By cost, between units where there are enough of them.
StepParts split_units(const FlatGraph& flat, const std::vector<double>& costs, std::size_t parts) {
  const auto units = units_of(flat);
  if (units.empty() || units.back() + 1 < parts) return split_by_cost(costs, parts);
  std::vector<double> by_unit(units.back() + 1, 0);
  for (std::size_t i = 0; i < costs.size(); ++i) by_unit[units[i]] += costs[i];
  const auto split = split_by_cost(by_unit, parts);
  StepParts part_of;
  for (const auto unit : units) part_of.push_back(split[unit]);
  return part_of;
}

// What `split` refuses is refused in the name of the strategy.
template <class Split>
auto in_name_of(const PipelineSettings& settings, const Split& split) {
  try {
    return split();
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(settings.who + ": " + error.what());
  }
}

// By the first process's measurement, whatever the others would find. What cannot be measured costs alike.
StepParts measured_parts(const FlatGraph& flat, const Graph& graph, const PipelineSettings& settings, std::size_t parts,
                         Peers* peers) {
  std::optional<std::vector<double>> costs;
  if (!peers || peers->leads())
    costs = with_known_sizes(graph, [&](const Shapes& x) { return measure_steps(flat, x, kRowsToMeasure); });
  StepParts split = in_name_of(
      settings, [&] { return split_units(flat, costs.value_or(std::vector<double>(flat.steps.size(), 1)), parts); });
  if (!peers) return split;
  Tensor told = at::tensor(std::vector<int64_t>(split.begin(), split.end()));
  peers->take_from(told, 0);
  const auto* first = told.const_data_ptr<int64_t>();
  return {first, first + told.numel()};
}

// What the settings or the model say; nothing where a measurement must.
std::optional<StepParts> told_parts(const FlatGraph& flat, const PipelineSettings& settings, std::size_t parts) {
  if (!settings.calls.empty()) return split_by_calls(flat, settings.calls);
  if (!settings.boundaries.empty())
    return in_name_of(settings, [&] { return split_by_names(flat, settings.boundaries, parts); });
  if (devices_in_scopes(flat).size() > 1) return in_name_of(settings, [&] { return split_by_scopes(flat, parts); });
  if (parts == 1) return StepParts(flat.steps.size(), 0);
  return {};
}

StepParts parts_of(const FlatGraph& flat, const Graph& graph, const PipelineSettings& settings, std::size_t parts,
                   Peers* peers) {
  if (auto told = told_parts(flat, settings, parts)) return *std::move(told);
  return measured_parts(flat, graph, settings, parts, peers);
}

void add_once(std::vector<Weight>& all, const std::vector<Weight>& more) {
  for (const auto& w : more) {
    if (std::find(all.begin(), all.end(), w) == all.end()) all.push_back(w);
  }
}

// Of a graph whose steps are in so many parts.
PipelinePlan plan_with_parts(const Graph& graph, const FlatGraph& flat, const PipelineSettings& settings,
                             const StepParts& part_of, std::size_t parts) {
  const int64_t stages = settings.stages();
  PipelinePlan plan;
  plan.who = settings.who;
  plan.division = {stages, settings.micro_batches, settings.chunks};
  plan.schedule = settings.schedule;
  plan.recompute = settings.recompute;
  plan.cut = cut_graph(flat, part_of, parts);
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

// Of inputs of these shapes.
bool has_masked_output(const Graph& graph, const PipelinePlan& plan, const Shapes& shapes) {
  const c10::NoGradGuard no_grad;
  const CallContext context;
  std::vector<Tensor> values(plan.cut.values);
  for (std::size_t i = 0; i < plan.cut.inputs.size(); ++i) {
    const Shape one_row = shapes[i].without_batch().with_batch(1);
    const auto& input = graph.inputs()[static_cast<int64_t>(i)];
    values[plan.cut.inputs[i]] = input.node()->layer->call(dry_inputs({one_row})[0], {});
  }
  for (const auto& segment : plan.cut.segments) {
    std::vector<Tensor> given;
    for (const auto number : segment.reads) given.push_back(values[number]);
    const auto made = segment.run(given, context);
    for (std::size_t k = 0; k < made.size(); ++k) values[segment.writes[k].second] = made[k];
  }
  return std::any_of(plan.cut.outputs.begin(), plan.cut.outputs.end(),
                     [&](std::size_t number) { return mask_of(values[number]).defined(); });
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

int64_t PipelinePlan::first_chunk_of(const Weight& weight, int64_t stage) const {
  for (std::size_t p = 0; p < cut.segments.size(); ++p) {
    if (stage_of(p) != stage) continue;
    for (const auto& step : cut.segments[p].steps) {
      const auto own = step.layer->weights();
      if (std::find(own.begin(), own.end(), weight) != own.end()) return static_cast<int64_t>(p) / division.stages;
    }
  }
  return 0;  // no call uses it
}

int64_t PipelineSettings::stages() const {
  return devices.size() * (processes ? processes->rank().world_size() : 1) / data;
}

bool has_masked_output(const Graph& graph, const PipelinePlan& plan) {
  const auto masked = [&](const Shapes& shapes) { return has_masked_output(graph, plan, shapes); };
  return with_known_sizes(graph, masked).value_or(true);  // which is right for outputs without masks, too
}

CallParts plan_calls(const Graph& graph, const PipelineSettings& settings, Peers* peers) {
  const auto flat = flatten_graph(graph);
  const auto parts = static_cast<std::size_t>(settings.stages() * settings.chunks);
  return parts_of_calls(flat, parts_of(flat, graph, settings, parts, peers));
}

std::optional<PipelinePlan> plan_without_measuring(const Graph& graph, const PipelineSettings& settings) {
  const auto flat = flatten_graph(graph);
  const auto parts = static_cast<std::size_t>(settings.stages() * settings.chunks);
  if (const auto told = told_parts(flat, settings, parts)) return plan_with_parts(graph, flat, settings, *told, parts);
  in_name_of(settings, [&] { check_steps(flat.steps.size(), parts); });
  return {};
}

PipelinePlan plan_pipeline(const Graph& graph, const PipelineSettings& settings, Peers* peers) {
  const auto flat = flatten_graph(graph);
  const auto parts = static_cast<std::size_t>(settings.stages() * settings.chunks);
  return plan_with_parts(graph, flat, settings, parts_of(flat, graph, settings, parts, peers), parts);
}

}  // namespace tandem::distribute
