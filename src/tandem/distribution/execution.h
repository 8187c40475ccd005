#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/core/device.h"
#include "tandem/core/random.h"
#include "tandem/core/state_dict.h"
#include "tandem/core/tensor.h"
#include "tandem/core/trace_span.h"
#include "tandem/data/batch.h"
#include "tandem/distribution/crowd.h"
#include "tandem/distribution/loss_set.h"
#include "tandem/distribution/peers.h"
#include "tandem/network/network.h"
#include "tandem/optimizers/optimizer.h"

namespace tandem::distribute {

/// What is to be executed: a network, and for training its losses and optimizer.
struct Program {
  std::shared_ptr<Network> network;
  std::shared_ptr<const LossSet> losses;  // null: predict only
  std::shared_ptr<Optimizer> optimizer;   // null: no training
  std::stop_token stop = {};              // ends the waits of bind for other processes, which then throws Stopped
};

/// Sees what a replica computed for its rows, on that replica's thread: metrics are updated here. `logits[i]` are those
/// behind output i where it is a softmax or sigmoid, else undefined.
using Observer =
    std::function<void(int64_t rank, const data::Batch& rows, const Tensors& outputs, const Tensors& logits)>;

/// What one batch gave, over all replicas.
struct StepResult {
  double loss = 0;                              // total: Keras's "loss", regularisation included
  std::vector<double> outputs = {};             // each output's own loss
  std::map<std::string, double> reported = {};  // figures that the model's own step showed, means over the rows
  int64_t rows = 0;
};

/// Where a device's time went while it trained, in seconds since the execution was made.
struct TimeShares {
  double compute = 0;
  double exchange = 0;  // moving, adding and handing over gradients that computing did not hide
  double waiting = 0;   // for slower devices
};

/// What the servers of hosts did among themselves (topology per-host), as they counted it.
struct ServerAverages {
  int64_t rounds = 0;  // that took effect
  int64_t bytes = 0;   // of parameters, that this process's servers sent to the others
};

/// What a device's share of a model takes between steps, in bytes of the memory that was allocated.
struct DeviceMemory {
  int64_t parameters = 0;  // trained ones, statistics and frozen ones
  int64_t gradients = 0;
  int64_t optimizer = 0;  // its slots
};

/// One training step.
struct TrainStep {
  RandomStream random = {};  // this step's stream
  double rate = 0;           // the learning rate
  /// False: the gradients are kept, and the next step with an update makes it for all rows since the last one together,
  /// as if they had been one batch.
  bool update = true;
};

/// When the gradients of the last step with an update were exchanged, on one rank; seconds of the steady clock.
struct StepLedger {
  struct Exchange {
    std::string what;   // the bucket and its weights
    int64_t bytes = 0;  // of the gradients
    comm::ReduceTimes times = {};
    double updated = 0;  // when the optimizer's update of these weights was made
  };
  double backward_began = 0;
  double last_gradient = 0;  // when backward had the gradient of the last layer, the first one of the model
  double backward_ended = 0;
  std::vector<Exchange> exchanges = {};  // in the order in which they were started
};

/// A program bound to devices by a strategy: holds the replicas, their weights and their optimizer state. Calls come
/// from one thread. The masters (Variable::value) are what everyone else sees; load and store carry values between them
/// and replicas.
class Execution {
 public:
  virtual ~Execution() = default;

  /// One step from one global batch.
  virtual StepResult train_step(const data::Batch& batch, const TrainStep& step, const Observer& observer) = 0;
  /// Makes the update that steps without one have left open; nothing where there is none.
  virtual void finish_update(double rate) = 0;
  /// What is left of steps that train_step had not ended when it returned: replicas that do not wait for one another
  /// give a step's result, or one without rows, for an earlier one's. All have ended when this returns.
  virtual std::vector<StepResult> finish_steps() { return {}; }
  /// True where replicas do not wait for one another.
  virtual bool out_of_step() const { return false; }
  /// Of those: so many parts a batch is cut into, each of which goes to whoever is free.
  virtual int64_t parts_of_batch() const { return 1; }
  /// While it is held no Observer of such a step is called.
  virtual std::unique_lock<std::shared_mutex> hold_observers() { return {}; }
  /// Loss and outputs of one batch without an update.
  virtual StepResult test_step(const data::Batch& batch, const Observer& observer) = 0;
  /// Outputs for the rows of `batch`, whose targets do not matter, in their order, in host memory: of all its rows,
  /// also where other processes have some.
  virtual Tensors predict_step(const data::Batch& batch) = 0;

  /// The processes that train this program, each at its own pace; null where none but this one does, or those of
  /// peers(). Steps are each process's own then, and so are results but for end_pass.
  virtual Crowd* crowd() { return nullptr; }
  /// All of the crowd begin to train pass `pass`, a number above those before.
  virtual void begin_pass(int64_t /*pass*/) {}
  /// How this process gets its batches of a pass from the crowd; empty: it makes all of them. `in_parts`: others may
  /// make the rest of a batch.
  virtual data::DealBatch deal(bool /*in_parts*/) { return {}; }
  /// Waits until all of the crowd have ended pass `pass`. Afterwards store gives all of them the same weights and
  /// statistics.
  virtual void end_pass(int64_t /*pass*/) {}

  /// True where expect saves time.
  virtual bool looks_ahead() const { return false; }
  /// Tells what the step after the next one will be given, so that it travels to GPUs while that one computes. Where
  /// that step is given something else nothing but time is lost.
  virtual void expect(const data::Batch& /*batch*/) {}
  /// Returns when all that steps have left to GPUs is done. A step returns once its losses are known; what an Observer
  /// kept on a GPU may be read after this.
  virtual void synchronize() {}

  /// Masters to replicas.
  virtual void load() = 0;
  /// Replicas to masters; statistics that differ by replica are averaged by the rows that each has seen since the last
  /// time, and every replica goes on from the average.
  virtual void store() = 0;

  /// Training steps and updates made so far: the same number unless gradients are accumulated or the model has a
  /// train_step of its own.
  virtual int64_t steps() const = 0;
  virtual int64_t iterations() const = 0;
  /// "iterations", "steps", and the optimizer's slots by weight, "<slot>/<i>".
  virtual StateDict optimizer_state() = 0;
  virtual void set_optimizer_state(const StateDict& state) = 0;
  /// True where processes have the state between them: optimizer_state is collective then.
  virtual bool state_is_spread() const { return false; }
  /// Steps count from here on.
  virtual void set_steps(int64_t steps) {
    auto state = optimizer_state();
    state.set("steps", steps);
    set_optimizer_state(state);
  }

  /// The processes that train this program together; null where this one does alone. Steps, store, align and receipt
  /// are then collective: each process calls them as often, with its part of the same batches (own_rows) or all of
  /// each, and gets the same results.
  virtual Peers* peers() { return nullptr; }
  /// What keeps its parameters was told to end, and leaves it the time to end first.
  virtual bool servers_stop() const { return false; }
  /// Which rows of a batch this process needs; empty: all of them.
  virtual data::OwnRows own_rows() const { return {}; }
  /// Lets all processes go on from the first one's weights and optimizer state, where one has been given others.
  virtual void align() {}
  /// Rows that each process trained since the last time, in batches of `rows` together. Throws InternalError naming
  /// rank and rows where one was missing, or had twice.
  virtual std::vector<int64_t> receipt(int64_t rows) { return {rows}; }
  /// This process cannot go on: the others' waits end with PeerError giving `reason`. Afterwards store brings what is
  /// here alone.
  virtual void part(const std::string& /*reason*/) {}

  /// Of this process, as all facts by device and rank that follow.
  virtual const Devices& devices() const = 0;
  /// Ranks that an Observer sees: one a device, or one a logical shard.
  virtual int64_t ranks() const { return devices().size(); }
  /// Rows of a batch of `rows` that each device gets.
  virtual std::vector<int64_t> division(int64_t rows) const = 0;
  /// Facts by device, counted by the replicas themselves since the execution was made.
  virtual std::vector<int64_t> rows_trained() const = 0;
  virtual int64_t bytes_sent(int64_t device) const = 0;
  /// From parameter servers; what ranks get of one another is what others have sent.
  virtual int64_t bytes_received(int64_t /*device*/) const { return 0; }
  virtual DeviceMemory memory(int64_t /*device*/) const { return {}; }
  /// Of gradients that parameter servers applied: how many were made of parameters so many updates old.
  virtual std::vector<int64_t> staleness() const { return {}; }
  virtual ServerAverages server_averages() const { return {}; }
  /// Of gradients that came too late for backup workers' servers, and were dropped: the rows, by server.
  virtual std::vector<int64_t> dropped_rows() const { return {}; }
  virtual TimeShares time_shares(int64_t device) const = 0;
  virtual int64_t threads_per_device() const = 0;
  /// Begins a new record of when each layer computes on each device, or ends it; what was recorded can be asked for
  /// until the next one begins.
  virtual void record_trace(bool on) = 0;
  virtual std::vector<TraceSpan> trace() const = 0;
  /// Of the last step with an update on `rank`; without exchanges where there is one replica.
  virtual StepLedger ledger(int64_t /*rank*/) const { return {}; }
  /// Seconds that the first device alone would take for a step with all rows of `batch`: it computes as many rows as it
  /// gets of such a batch, and half of them, without an update, and a straight line through the two times goes on to
  /// all rows, so that no more memory is needed than in training. Nothing where that cannot be told (a model with a
  /// train_step of its own, a batch of one row). Changes nothing.
  virtual std::optional<double> seconds_on_one_device(const data::Batch& /*batch*/) { return {}; }
};

}  // namespace tandem::distribute
