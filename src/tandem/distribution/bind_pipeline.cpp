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

}  // namespace

void check_stageable(const std::string& who, const Network& network) {
  if (network.built() && !graph_within(network))
    refuse_model(who, network, "be functional or Sequential, so that it can be cut");
  if (const auto* layer = find_stateful(network))
    refuse_model(who, network, c10::str("have no stateful layer, which would see micro batches, got ", quoted(*layer)));
  if (const auto* layer = find_layer(network, is_synchronized))
    refuse_model(who, network, c10::str("have no synchronized batch normalisation, got ", quoted(*layer)));
}

std::unique_ptr<PipelineExecution> bind_pipeline(const std::string& who, const Program& program,
                                                 const PipelineSettings& settings) {
  const Network& network = *program.network;
  check_stageable(who, network);
  if (!graph_within(network)) refuse_model(who, network, "know its inputs before it can be cut");
  if (program.losses) {
    if (const auto* loss = program.losses->over_batch())
      throw InvalidArgument(c10::str(who, ": loss ", loss->class_name(), " must not need the whole batch at once"));
  }
  auto execution = std::make_unique<PipelineExecution>(program, settings);
  for (const auto& w : network.non_trainable_weights()) {
    if (w.trainable() || execution->plan().stages_of(w).size() == 1) continue;
    const auto* layer = find_layer(network, [&](const Layer& one) {
      const auto& own = one.own_weights();
      return std::find(own.begin(), own.end(), w) != own.end();
    });
    refuse_model(who, network,
                 c10::str("call layer ", quoted(layer ? *layer : network), " on one stage, since it has statistics: '",
                          w.name(), "'"));
  }
  return execution;
}

}  // namespace tandem::distribute
