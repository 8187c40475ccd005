#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tandem/distribution/execution.h"
#include "tandem/distribution/flat_weights.h"
#include "tandem/distribution/gradient_exchange.h"
#include "tandem/distribution/replica_rows.h"
#include "tandem/distribution/replica_shard.h"
#include "tandem/distribution/skipped_updates.h"
#include "tandem/distribution/step_figures.h"
#include "tandem/distribution/storage_bytes.h"
#include "tandem/layers/kept_states.h"

namespace tandem::distribute {

/// What one replica owns. Only its own thread touches it while a step runs.
struct Replica {
  /// The network's weights, by what a replica does with them.
  struct Weights {
    std::vector<Weight> trained;  // has a copy and gradients of
    std::vector<Weight> fixed;    // statistics and frozen weights: has a copy of
    std::vector<Weight> tables;   // parameter servers have them: reads the masters, but in training
  };
  /// `lead`: the replica on the same device whose parameters this one computes with, or null when it has its own.
  /// `order`: of its weights in memory. `device`: whose memory.
  /// `memory`: what it keeps of the trained ones.
  Replica(const Weights& weights, const std::vector<std::size_t>& order, const Replica* lead, c10::Device device,
          const FlatMemory& memory = {});

  Tensor& own(const Weight& w) { return map.at(&w.variable()); }
  /// Takes part in exchanges, where `gradients` is not null: `updates` when this replica makes the optimizer's updates.
  void join(const Program& program, std::unique_ptr<GradientExchange> gradients, bool updates);
  /// From now on it has a part of what it trains alone, as `sharding` says, and the ranks of `communicator` the rest;
  /// before join. Its memory must be that of `sharding`.
  void divide(const Sharding& sharding, comm::Communicator& communicator, const std::vector<GradientBucket>& buckets,
              c10::Device device);
  /// Adds the memory of its parameters, of their gradients, and of the optimizer's slots.
  void add_memory(StorageBytes& parameters, StorageBytes& gradients, StorageBytes& optimizer) const;
  /// Masters to this replica's own memory.
  void load();
  /// What brings weights that are not here to layers; null: all are.
  AbsentWeights* absent();
  /// What records its layers' calls; null: nothing wants to know of them.
  CallTrace* watched() const { return trace ? trace : watch.get(); }
  GatheredWeights* gathered() const { return shard ? shard->gathered() : nullptr; }
  TableRows* tables() const { return exchange ? exchange->tables() : nullptr; }
  /// Of all weights.
  void zero_gradients();
  /// Takes `count` rows of a training step.
  void count_rows(int64_t count);
  /// Forgets the results of the step before.
  void begin_step();

  /// One bucket's part of the buffers.
  struct Part {
    Tensor parameters, gradients;
    std::vector<Tensor> slots;
  };

  ReplicaRows rows;
  FlatWeights trainable;
  std::unique_ptr<ReplicaShard> shard;  // null: it has all of what it trains
  std::vector<Weight> fixed;            // statistics and frozen weights
  std::vector<Weight> constrained;
  PlacedRun* placed = nullptr;       // for layers that run elsewhere
  CallTrace* trace = nullptr;        // null unless layers' times are recorded
  std::unique_ptr<CallTrace> watch;  // of gathered weights, while they are not
  KeptStates states;                 // of stateful layers
  WeightMap map;
  bool leads;                                  // has parameters of its own
  std::unique_ptr<GradientExchange> exchange;  // of gradients
  std::vector<Tensor> slots;                   // of the optimizer; none where another replica makes the updates
  std::optional<GradientShards> shards;        // who has the rest of the model's gradients
  std::vector<double> numbers;                 // of the optimizer, the same on each replica that updates like others
  std::vector<Part> parts_by_bucket;           // where this replica makes updates
  SkippedUpdates skipped;                      // where this replica makes updates
  int64_t rows_trained = 0;
  int64_t rows_since_store = 0;
  int64_t rows_since_update = 0;
  int64_t host_rows_since_update = 0;  // of all replicas whose gradients go to this one's server
  int64_t rows_since_average = 0;
  std::atomic<double> computing = 0;  // seconds; looked at while the replica trains

  // Results of the step in progress: this replica's parts of means over the whole batch.
  StepFigures figures;
  int64_t updates = 0;
  Tensors outputs;  // of predict, in host memory
};

}  // namespace tandem::distribute
