#include "tandem/distribution/bind_pipeline.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/network/find_layer.h"
#include "tandem/network/graph_within.h"
#include "tandem/network/stateful.h"

namespace tandem::distribute {
namespace {

[[noreturn]] void refuse_model(const std::string& who, const Network& network, const std::string& must) {
  throw InvalidArgument(c10::str(who, ": model '", network.name(), "': must ", must));
}

bool is_synchronized(const Layer& layer) {
  const auto& own = layer.own_weights();
  return std::any_of(own.begin(), own.end(), [](const Weight& w) { return w.variable().of_whole_batch; });
}

// Averages must be moved by one stage.
void check_statistics(const std::string& who, const Network& network, const PipelinePlan& plan) {
  for (const auto& w : network.non_trainable_weights()) {
    if (w.trainable() || plan.stages_of(w).size() == 1) continue;
    const auto* layer = find_layer(network, [&](const Layer& one) {
      const auto& own = one.own_weights();
      return std::find(own.begin(), own.end(), w) != own.end();
    });
    refuse_model(who, network,
                 c10::str("call layer ", quoted(layer ? *layer : network), " on one stage, since it has statistics: '",
                          w.name(), "'"));
  }
}

void check_layers(const std::string& who, const Network& network) {
  if (!may_become_graph(network)) refuse_model(who, network, "be functional or Sequential, so that it can be cut");
  if (const auto* layer = find_stateful(network))
    refuse_model(who, network, c10::str("have no stateful layer, which would see micro batches, got ", quoted(*layer)));
  if (const auto* layer = find_layer(network, is_synchronized))
    refuse_model(who, network, c10::str("have no synchronized batch normalisation, got ", quoted(*layer)));
}

}  // namespace

void check_stages(const Network& network, const PipelineSettings& settings) {
  check_layers(settings.who, network);
  const auto* graph = graph_within(network);
  if (!graph) return;
  if (const auto plan = plan_without_measuring(*graph, settings)) check_statistics(settings.who, network, *plan);
}

void check_stage_losses(const std::string& who, const LossSet& losses) {
  if (const auto* loss = losses.over_batch())
    throw InvalidArgument(c10::str(who, ": loss ", loss->class_name(), " must not need the whole batch at once"));
}

std::unique_ptr<PipelineExecution> bind_pipeline(const Program& program, const PipelineSettings& settings) {
  const auto& who = settings.who;
  const Network& network = *program.network;
  check_layers(who, network);
  if (!graph_within(network)) refuse_model(who, network, "know its inputs before it can be cut");
  if (program.losses) check_stage_losses(who, *program.losses);
  auto execution = std::make_unique<PipelineExecution>(program, settings);
  check_statistics(who, network, execution->plan());
  return execution;
}

}  // namespace tandem::distribute
