#include "tandem/distribution/bind_pipeline.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/network/graph_within.h"
#include "tandem/network/stateful.h"

namespace tandem::distribute {
namespace {

[[noreturn]] void refuse_model(const std::string& who, const Network& network, const std::string& must) {
  throw InvalidArgument(c10::str(who, ": model '", network.name(), "': must ", must));
}

}  // namespace

void check_stageable(const std::string& who, const Network& network) {
  if (network.built() && !graph_within(network))
    refuse_model(who, network, "be functional or Sequential, so that it can be cut");
  if (fixed_batch(network) > 0) refuse_model(who, network, "have no stateful layer, which would see micro batches");
  for (const auto& w : network.weights()) {
    if (w.variable().of_whole_batch) refuse_model(who, network, "have no synchronized batch normalisation");
  }
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
    throw InvalidArgument(c10::str(who, ": model '", network.name(), "': statistics '", w.name(),
                                   "' must be of one stage; a layer that has them must not be called on several"));
  }
  return execution;
}

}  // namespace tandem::distribute
