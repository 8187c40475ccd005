#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tandem/core/device.h"
#include "tandem/layers/weight.h"
#include "tandem/network/divided_graph.h"
#include "tandem/network/graph.h"
#include "tandem/schedule/instruction.h"

namespace tandem::distribute {

/// How a pipeline divides a model, the same on every rank.
struct PipelinePlan {
  schedule::Division division;  // its stages and chunks
  std::string schedule;         // by name
  bool recompute = false;       // forward again in backward, from what a part was given
  Devices devices;              // by stage
  DividedGraph cut;             // a segment a part; part p is on stage p % stages

  int64_t parts() const { return static_cast<int64_t>(cut.segments.size()); }
  int64_t stage_of(std::size_t part) const { return static_cast<int64_t>(part) % division.stages; }
  /// By value: the part that makes it, or parts() for the graph's inputs; and the parts that read it.
  std::vector<std::size_t> maker;
  std::vector<std::vector<std::size_t>> readers;

  /// What the stages compute with: the first stage's and the weights of each, those that no layer call uses with the
  /// first stage's. A weight may be on several stages.
  std::vector<std::vector<Weight>> weights;
  /// The stages that have a weight.
  std::vector<int64_t> stages_of(const Weight& weight) const;
};

struct PipelineSettings {
  Devices devices;
  int64_t micro_batches = 1, chunks = 1;
  std::string schedule = "1f1b";
  std::vector<std::string> boundaries = {};
  bool recompute = false;
};

/// Cuts `graph`: at `boundaries` where there are any, else where the model's device scopes name several devices at
/// these, else so that all parts take alike long, by a measurement. Throws InvalidArgument where it cannot be cut into
/// as many parts as there are devices x chunks.
PipelinePlan plan_pipeline(const Graph& graph, const PipelineSettings& settings);

}  // namespace tandem::distribute
