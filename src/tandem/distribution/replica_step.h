#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/data/batch.h"
#include "tandem/distribution/execution.h"
#include "tandem/distribution/replica.h"
#include "tandem/network/step.h"

namespace tandem::distribute {

/// A step of a group of replicas as one of them makes it.
struct SharedStep {
  bool training = false;
  int64_t rows = 0;          // of the whole batch
  int64_t active_ranks = 0;  // replicas that got a row
  int64_t first_active = 0;  // the first of them
  RandomStream random = {};
  int64_t iteration = 0;  // updates made before
  double rate = 0;
  const Observer& observer;
};

/// The Step that a replica's network sees. Collectives are made within its calls. A replica that got no row takes part
/// in them by follow(), without knowing beforehand which there will be: the others announce each one then.
class ReplicaStep final : public Step {
 public:
  ReplicaStep(const Program& program, Replica& replica, comm::Communicator& communicator, const SharedStep& shared,
              data::Batch own, int64_t first_row);

  /// Makes the step: the network's own where there are rows.
  void run();

  const Tensors& x() const override { return own_.x; }
  const Tensors& y() const override { return own_.y; }
  const Tensor& sample_weight() const override { return own_.weights; }
  const CallContext& context() const override { return context_; }
  Tensor compute_loss(const Tensors& y_pred) override;
  void minimize(const Tensor& loss, const std::vector<Weight>& weights = {}) override;
  void update_metrics(const Tensors& y_pred) override;
  void report(const std::string& name, const Tensor& value) override;

 private:
  enum class Collective : int64_t { end = 0, counts = 1, gradients = 2 };
  // Tells the other replicas what comes.
  void announce(Collective next);
  void follow();
  void exchange_counts(std::vector<double>& counts);
  // 1 for each trainable weight that is meant, else 0; undefined where all are and nobody needs to be told.
  Tensor selection(const std::vector<Weight>& weights) const;
  // Adds up the gradients, and returns the selection of those who have rows.
  Tensor exchange_gradients(Tensor chosen);
  void update(const Tensor& chosen);
  // Whether collectives are announced: where a replica has no rows and follows, and where a model's own step might make
  // others on one replica than on the next.
  bool announced() const { return shared_.active_ranks < communicator_.world_size() || own_step_; }
  // This replica's rows as a part of all.
  double share() const { return static_cast<double>(own_.rows()) / static_cast<double>(shared_.rows); }

  const Program& program_;
  Replica& replica_;
  comm::Communicator& communicator_;
  const SharedStep& shared_;
  data::Batch own_;
  bool own_step_;  // the model may have a train_step of its own
  LogitsRecord logits_;
  AddedLosses added_;
  CallContext context_;
  Tensor computed_;       // what compute_loss returned
  Tensor computed_part_;  // the same as this replica's part of the mean over all rows
  std::chrono::steady_clock::time_point computing_since_;
};

}  // namespace tandem::distribute
