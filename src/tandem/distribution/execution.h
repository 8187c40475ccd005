#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tandem/core/device.h"
#include "tandem/core/random.h"
#include "tandem/core/state_dict.h"
#include "tandem/core/tensor.h"
#include "tandem/data/batch.h"
#include "tandem/distribution/loss_set.h"
#include "tandem/network/network.h"
#include "tandem/optimizers/optimizer.h"

namespace tandem::distribute {

/// What is to be executed: a network, and for training its losses and optimizer.
struct Program {
  std::shared_ptr<Network> network;
  std::shared_ptr<const LossSet> losses;  // null: predict only
  std::shared_ptr<Optimizer> optimizer;   // null: no training
};

/// Sees what a replica computed for its rows, on that replica's thread: metrics are updated here.
using Observer = std::function<void(int64_t rank, const data::Batch& rows, const Tensors& outputs)>;

/// What one batch gave, over all replicas.
struct StepResult {
  double loss = 0;                              // total: Keras's "loss", regularisation included
  std::vector<double> outputs = {};             // each output's own loss
  std::map<std::string, double> reported = {};  // figures that the model's own step showed, means over the rows
  int64_t rows = 0;
};

/// Where a replica's time went, in seconds since the execution was made.
struct TimeShares {
  double compute = 0;
  double exchange = 0;  // moving and adding gradients
  double waiting = 0;   // for other replicas
};

/// A program bound to devices by a strategy: holds the replicas, their weights and their optimizer state. Calls come
/// from one thread. The masters (Variable::value) are what everyone else sees; load and store carry values between them
/// and replicas.
class Execution {
 public:
  virtual ~Execution() = default;

  /// One update from one global batch. `random` is the stream of this step; `rate` the learning rate.
  virtual StepResult train_step(const data::Batch& batch, const RandomStream& random, double rate,
                                const Observer& observer) = 0;
  /// Loss and outputs of one batch without an update.
  virtual StepResult test_step(const data::Batch& batch, const Observer& observer) = 0;
  /// Outputs for the rows of `x`, in their order.
  virtual Tensors predict_step(const Tensors& x) = 0;

  /// Masters to replicas.
  virtual void load() = 0;
  /// Replicas to masters; statistics that differ by replica are averaged by the rows that each has seen since the last
  /// time, and every replica goes on from the average.
  virtual void store() = 0;

  /// Training steps and updates made so far: the same number unless the model has a train_step of its own.
  virtual int64_t steps() const = 0;
  virtual int64_t iterations() const = 0;
  /// "iterations", "steps", and the optimizer's slots by weight, "<slot>/<i>".
  virtual StateDict optimizer_state() = 0;
  virtual void set_optimizer_state(const StateDict& state) = 0;

  virtual const Devices& devices() const = 0;
  /// Rows of a batch of `rows` that each device gets.
  virtual std::vector<int64_t> division(int64_t rows) const = 0;
  /// Counted by the replicas themselves since the execution was made.
  virtual std::vector<int64_t> rows_trained() const = 0;
  virtual int64_t bytes_sent(int64_t rank) const = 0;
  virtual TimeShares time_shares(int64_t rank) const = 0;
  virtual int64_t threads_per_device() const = 0;
};

}  // namespace tandem::distribute
