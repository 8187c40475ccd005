#pragma once
#include <string>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/data/batch.h"
#include "tandem/distribution/execution.h"
#include "tandem/distribution/replica.h"
#include "tandem/distribution/sum_over_replicas.h"
#include "tandem/network/step.h"

namespace tandem::distribute {

/// Where a step's updates are made.
enum class UpdatePlace {
  everywhere,   // each replica adds up all gradients and makes the same update
  first,        // the first replica makes the update and sends the parameters out
  alone,        // each from its own gradients (local SGD)
  servers,      // parameter servers are sent the gradients and send the parameters out
  own_servers,  // likewise, each host's by itself from the gradients of its replicas
};

/// A step of a group of replicas as one of them makes it.
struct SharedStep {
  bool training = false;
  int64_t rows = 0;          // of the whole batch
  int64_t first_rank = 0;    // of this process
  int64_t active_ranks = 0;  // replicas that got a row
  int64_t first_active = 0;  // the first of them
  RandomStream random = {};
  int64_t iteration = 0;  // updates made before
  double rate = 0;
  UpdatePlace where = UpdatePlace::everywhere;
  comm::Algorithm sums = comm::Algorithm::automatic;  // of what is added up beside gradients
  // A group of steps makes one update (accumulation); mostly a step is the first and the last of its group.
  bool begins_group = true;
  bool ends_group = true;
  int64_t group_rows = 0;  // of the group's batches, this one included
  /// Who makes the update does not know yet whose gradients it will be made of: each is the sum over its rows.
  bool unknown_rows = false;
  /// Replicas of one device compute with the same parameters, which one of them updates.
  bool shares_parameters = false;
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
  /// Makes the update of a group that has ended without another step.
  void finish_group();

  const Tensors& x() const override { return own_.x; }
  const Tensors& y() const override { return own_.y; }
  Tensor sample_weight(int64_t output = 0) const override { return own_.weights_of(output); }
  const CallContext& context() const override { return context_; }
  Tensor compute_loss(const Tensors& y_pred) override;
  void minimize(const Tensor& loss, const std::vector<Weight>& weights = {}) override;
  void update_metrics(const Tensors& y_pred) override;
  void report(const std::string& name, const Tensor& value) override;

 private:
  // What replicas without rows must know to take part. More than `sum` is a sum of that many values more.
  enum Collective : int64_t { end, counts, gradients, update, sum };
  // Below 0: a bucket of weights is gathered.
  static int64_t gathering(std::size_t bucket) { return -1 - static_cast<int64_t>(bucket); }
  // Tells the other replicas what comes.
  void announce(int64_t next);
  void follow();
  void begin_gathering();
  // What the weights themselves add to the loss; undefined: nothing.
  Tensor penalty() const;
  void exchange_counts(std::vector<double>& counts);
  // Adds up for a layer.
  void add_up(Tensor& values);
  // 1 for each trainable weight that is meant, else 0; undefined where all are and nobody needs to be told.
  [[noreturn]] void refuse_some_weights() const;
  Tensor selection(const std::vector<Weight>& weights) const;
  // Lets gradients travel as backward makes them. Returns the selection of those who have rows.
  Tensor begin_exchange(Tensor chosen);
  void backward(const Tensor& loss);
  void make_update(const Tensor& chosen);
  void update_parameters(const Tensor& chosen);
  // Lets all replicas have the first one's numbers of the optimizer, and know whether there was an update.
  void share_numbers(bool& made);
  // Sends the first replica's parameters [begin, end) out, where it alone makes updates.
  void hand_out(int64_t begin, int64_t end);
  // Whether collectives are announced: where a replica has no rows and follows, and where a model's own step might make
  // others on one replica than on the next.
  bool announced() const { return shared_.active_ranks < communicator_.world_size() || own_step_; }
  // Whether this step's gradients are exchanged.
  bool exchanges() const {
    return shared_.ends_group || (!alone() && replica_.exchange && replica_.exchange->each_step());
  }
  bool grouped() const { return !shared_.begins_group || !shared_.ends_group; }
  bool alone() const { return shared_.where == UpdatePlace::alone; }
  bool by_hosts() const { return shared_.where == UpdatePlace::own_servers; }
  // By rows that were added up, not averaged; a host's own, where it updates from those.
  double update_scale() const;
  int64_t rows_of_update() const {
    return alone() ? replica_.rows_since_update : by_hosts() ? replica_.host_rows_since_update : shared_.group_rows;
  }
  UpdateTerms terms() const;
  // This replica's rows as a part of all.
  double share() const { return static_cast<double>(own_.rows()) / static_cast<double>(shared_.rows); }

  const Program& program_;
  Replica& replica_;
  comm::Communicator& communicator_;
  const SharedStep& shared_;
  data::Batch own_;
  bool own_step_;  // the model may have a train_step of its own
  bool minimized_ = false;
  SumOverReplicas sum_;
  LogitsRecord logits_;
  AddedLosses added_;
  AddedMetrics figures_of_layers_;
  CallContext context_;
  Tensor computed_;       // what compute_loss returned
  Tensor computed_part_;  // the same as this replica's part of the mean over all rows
};

}  // namespace tandem::distribute
