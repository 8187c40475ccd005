#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/distribution/execution.h"
#include "tandem/distribution/flat_weights.h"
#include "tandem/distribution/gradient_buckets.h"

namespace tandem::distribute {

class TableRows;

/// What is known of an update before its gradients are.
struct UpdateTerms {
  double rate = 0;       // the learning rate
  double scale = 1;      // what the sum of the gradients is to be multiplied with
  int64_t rows = 0;      // of this replica
  int64_t all_rows = 0;  // of all replicas: what the gradients have been divided by
};

/// Sends one replica's gradients where they are added up, bucket by bucket: a bucket starts on its way when backward
/// has made the last of its gradients, while backward goes on with the layers before. Buckets travel in their order on
/// all replicas, whatever the order in which they fill. As in PyTorch's DistributedDataParallel (Li et al. 2020).
class GradientExchange {
 public:
  virtual ~GradientExchange() = default;
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;

  /// From now on gradients that become ready are exchanged.
  void begin(const UpdateTerms& terms);
  /// No gradient is still to come: what has not been ready starts on its way, too.
  void start_rest();
  /// Gradients that become ready are exchanged no more, nor what was on its way, of a step that failed.
  void forget();
  /// start_rest, and then calls `arrived(bucket)` for one bucket after the other when what comes back is there.
  void finish(const std::function<void(std::size_t bucket)>& arrived);

  const std::vector<GradientBucket>& buckets() const { return buckets_; }
  /// The weights that are in no bucket, since servers have them; null: there are none.
  virtual TableRows* tables() { return nullptr; }
  /// Of the last exchange.
  const StepLedger& ledger() const { return ledger_; }
  /// What the way itself counts, beside a Communicator.
  virtual int64_t bytes_sent() const { return 0; }
  virtual int64_t bytes_received() const { return 0; }
  /// True when gradients are exchanged in each step of a group that makes one update, since nobody keeps all of them.
  virtual bool each_step() const { return false; }
  virtual double seconds_moving() const { return 0; }

 protected:
  /// `early`: there is somebody to hurry for.
  GradientExchange(FlatWeights& weights, std::vector<GradientBucket> buckets, bool early);

  /// Puts the gradient of a weight where it leaves from.
  virtual void take(std::size_t weight) { weights_.gather_gradient(weight); }
  /// Forgets what was on its way, of a step that failed.
  virtual void reset(const UpdateTerms& terms) = 0;
  virtual void start(std::size_t bucket) = 0;
  /// Does what can be done now for one that was started.
  virtual void advance(std::size_t /*bucket*/) {}
  virtual comm::ReduceTimes wait(std::size_t bucket) = 0;
  /// Backward has ended, and the last bucket has started.
  virtual void all_started() {}
  /// All buckets have arrived.
  virtual void all_arrived() {}

  FlatWeights& weights() { return weights_; }

 private:
  void gradient_ready(std::size_t weight);
  void start_full_buckets();

  FlatWeights& weights_;
  const std::vector<GradientBucket> buckets_;
  std::vector<std::size_t> bucket_of_;  // by weight; buckets_.size(): it is in none
  std::vector<std::size_t> missing_;    // by bucket: gradients that are not ready
  std::vector<uint8_t> ready_;          // by weight
  std::size_t started_ = 0;             // buckets on their way
  bool active_ = false;
  StepLedger ledger_;
};

}  // namespace tandem::distribute
