#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tandem/core/random.h"
#include "tandem/core/tensor.h"

namespace tandem {

class BatchStatistics;
class CallTrace;
class KeptStates;
class PlacedRun;
class Weight;

/// Adds up over the replicas of a step, for layers whose result depends on the whole batch (synchronized batch
/// normalisation). Every replica that has rows must make the same calls in the same order.
class ReplicaSum {
 public:
  virtual ~ReplicaSum() = default;
  /// The sum over the replicas of `tensor`, of the same shape on each; differentiable: its gradient is the sum over the
  /// replicas of theirs.
  virtual Tensor operator()(const Tensor& tensor) = 0;
};

/// Looks up rows of weights that are elsewhere whole (on parameter servers), where layers read them by their numbers.
class RowSource {
 public:
  virtual ~RowSource() = default;
  /// CallContext::rows_of.
  virtual Tensor rows_of(const Weight& table, const Tensor& ids) = 0;
};

/// Remembers which logits a softmax or sigmoid output was made from, so that a crossentropy can go back to them: no
/// clipping, and a saturated row still has a gradient. Keras on TensorFlow does the same.
class LogitsRecord {
 public:
  void remember(const Tensor& output, const Tensor& logits) {
    records_[output.unsafeGetTensorImpl()] = {output, logits};
  }
  /// The logits behind `output`, or an undefined tensor.
  Tensor find(const Tensor& output) const {
    const auto found = records_.find(output.unsafeGetTensorImpl());
    return found == records_.end() ? Tensor() : found->second.logits;
  }

 private:
  struct Record {
    Tensor output;  // kept, so that no later tensor can have its address
    Tensor logits;
  };
  std::unordered_map<const void*, Record> records_;
};

/// Losses that layers add while they are called (activity regularisers, a user's own), for one replica's rows.
class AddedLosses {
 public:
  /// `loss`: a differentiable scalar, the mean over this call's rows of something. The replicas' values are averaged by
  /// their rows, so that the sum does not depend on how the batch was divided.
  void add(const Tensor& loss) { losses_.push_back(loss); }
  const std::vector<Tensor>& losses() const { return losses_; }

 private:
  std::vector<Tensor> losses_;
};

/// Figures that layers show while they are called, for one replica's rows. Several threads may add (placed layers).
class AddedMetrics {
 public:
  /// A part of the mean `name`. Throws InvalidArgument on an empty name, "loss", and a value without numbers.
  void add(const Tensor& value, const std::string& name);
  /// By name: the mean over the calls of each call's mean; float64 scalars.
  std::vector<std::pair<std::string, Tensor>> means() const;

 private:
  struct Sum {
    Tensor of_means;
    double calls = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Sum> sums_;
};

/// What a layer may know of the call that it is part of.
struct CallContext {
  bool training = false;
  /// This call's stream of random numbers: keyed by seed, epoch, step and place in the network, equal on every replica.
  RandomStream random = {};
  /// Position in the global batch of the first row of this call. Row r of the call draws the numbers of row first_row +
  /// r, so that a mask does not depend on how the batch was divided.
  int64_t first_row = 0;
  /// Null unless someone wants to know the logits behind an output.
  LogitsRecord* logits = nullptr;
  /// Null where nobody adds up losses (predict).
  AddedLosses* added_losses = nullptr;
  /// Null where nobody shows figures (predict).
  AddedMetrics* added_metrics = nullptr;
  /// Null where there is one replica alone, and outside of training.
  ReplicaSum* replicas = nullptr;
  /// Null where weights are here.
  RowSource* rows = nullptr;
  /// Runs the parts of graphs that are placed on several devices; null: everything runs on this thread.
  PlacedRun* placed = nullptr;
  /// Null unless each layer's times are recorded.
  CallTrace* trace = nullptr;
  /// Where stateful layers find and leave their states; null: they begin with zeros and keep nothing.
  KeptStates* states = nullptr;

  /// Takes what batch normalisation would move its averages by, where a batch comes in parts; null: it moves them.
  BatchStatistics* statistics = nullptr;

  /// The sum over all replicas, or `tensor` itself where there is one.
  Tensor sum_over_replicas(const Tensor& tensor) const { return replicas ? (*replicas)(tensor) : tensor; }
  /// Rows of `table`, a weight (n, ...): (ids..., ...), differentiable. `ids`: int32 or int64 of any shape, all in
  /// [0, n). Only the rows that are asked for need be here, and have a gradient.
  Tensor rows_of(const Weight& table, const Tensor& ids) const;
  /// Adds a differentiable scalar, a mean over this call's rows, to the total loss, as keras.Layer.add_loss.
  void add_loss(const Tensor& loss) const {
    if (added_losses) added_losses->add(loss);
  }
  /// Shows the mean of `value` under `name` in the logs of fit ("val_" before it in validation) and evaluate: over all
  /// rows of the epoch, however many replicas share them. As a metrics.Mean that a Keras layer keeps and updates in its
  /// call, or Keras 2's add_metric(value, name, aggregation="mean"). `value`: this call's rows on the first axis, each
  /// element counting alike, or a scalar that is a mean over them. Where a name is added more than once a step, as by a
  /// layer that is called twice, it is the mean of them. Every replica must add the same names.
  void add_metric(const Tensor& value, const std::string& name) const {
    if (added_metrics) added_metrics->add(value, name);
  }

  /// The context for part `i` of a network: the same call with a stream of its own.
  CallContext part(uint64_t i) const {
    CallContext inner = *this;
    inner.random = random.fold(i);
    return inner;
  }
};

/// The context of the call in progress on this thread; outside of any an inference context, in which stateful layers
/// keep the states of this thread's calls.
const CallContext& current_context();

/// The context for a layer that a program calls by hand: within a CallScope each such call draws from a stream of its
/// own, keyed by how many there were before it, so that no two dropout layers of a subclassed model share a mask.
CallContext next_call(const CallContext& context);

/// Makes `context` the current one while alive.
class CallScope {
 public:
  explicit CallScope(const CallContext& context);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  const CallContext* outer_;
  uint64_t outer_calls_;
};

}  // namespace tandem
