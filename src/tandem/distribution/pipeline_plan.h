#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/comm/processes.h"
#include "tandem/core/device.h"
#include "tandem/distribution/peers.h"
#include "tandem/distribution/rank_memory.h"
#include "tandem/distribution/replica.h"
#include "tandem/distribution/stage_split.h"
#include "tandem/layers/weight.h"
#include "tandem/network/divided_graph.h"
#include "tandem/network/graph.h"
#include "tandem/schedule/instruction.h"

namespace tandem::distribute {

/// How a pipeline divides a model, the same on every rank.
struct PipelinePlan {
  std::string who;              // the strategy, for messages
  schedule::Division division;  // its stages and chunks
  std::string schedule;         // by name
  bool recompute = false;       // forward again in backward, from what a part was given
  /// Losses may leave values out, so that gradients can begin only when all micro batches have been counted: all
  /// forwards come before all backwards, as in gpipe.
  bool counts_late = false;
  DividedGraph cut;  // a segment a part; part p is on stage p % stages

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
  /// The first chunk of a stage that computes with a weight, whose gradient is complete last.
  int64_t first_chunk_of(const Weight& weight, int64_t stage) const;
};

struct PipelineSettings {
  std::string who = "PipelineParallel";             // the strategy, for messages
  Devices devices;                                  // of this process: a rank each, of data x stages in all processes
  int64_t data = 1;                                 // replicas of the pipeline
  std::shared_ptr<comm::Processes> processes = {};  // null: this one alone
  int64_t threads_per_device = 1;
  int64_t micro_batches = 1, chunks = 1;
  std::string schedule = "1f1b";
  std::vector<std::string> boundaries = {};
  CallParts calls = {};  // of the graph that this one computes a part of; empty: it is its own
  bool recompute = false;
  int64_t bucket_bytes = 1 << 20;  // of gradients that replicas add up
  RankMemory memory = {};
  int64_t zero = 0;  // replicas of a stage divide what it has as this stage of ZeRO says
  /// Does what it is given on a rank's own thread, which it may prepare; empty: nothing is prepared.
  std::function<void(int64_t device, const std::function<void()>& work)> within = {};
  /// Who has the rest of the gradients of a stage's weights; empty: nobody.
  std::function<GradientShards(const Replica&)> shards = {};

  int64_t stages() const;
};

/// Cuts `graph`: as `calls` say or at `boundaries` where there are any, else where the model's device scopes name
/// several devices at these, else so that all parts take alike long, by a measurement, which the first of several
/// processes makes. Throws InvalidArgument where it cannot be cut into as many parts as there are stages x chunks.
PipelinePlan plan_pipeline(const Graph& graph, const PipelineSettings& settings, Peers* peers);

/// The plan where it needs no measurement, nothing where it does, on this process alone. Throws as plan_pipeline does.
std::optional<PipelinePlan> plan_without_measuring(const Graph& graph, const PipelineSettings& settings);

/// Where plan_pipeline has the calls of `graph`.
CallParts plan_calls(const Graph& graph, const PipelineSettings& settings, Peers* peers);

/// True where an output of the graph comes with a mask.
bool has_masked_output(const Graph& graph, const PipelinePlan& plan);

}  // namespace tandem::distribute
