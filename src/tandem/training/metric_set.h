#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tandem/core/logs.h"
#include "tandem/data/batch.h"
#include "tandem/distribution/peer_message.h"
#include "tandem/metrics/metric.h"

namespace tandem {

/// A metric of one output; with `weighted` it takes the rows' sample weights (Keras's weighted_metrics).
struct ShownMetric {
  Handle<Metric> metric;
  bool weighted = false;
};

/// The metrics of a model over several replicas: each replica updates its own, and what is shown is made from the sum
/// of their states. "accuracy" becomes the kind that fits the first rows seen.
class MetricSet {
 public:
  /// `by_output[i]` are the metrics of output i; `prefixes[i]` is put before their names (empty, or "<output>_").
  MetricSet(std::vector<std::vector<ShownMetric>> by_output, std::vector<std::string> prefixes, int64_t replicas);

  /// Called by replica `rank`'s thread with its rows. `logits` as distribute::Observer; empty where nobody knows.
  void update(int64_t rank, const data::Batch& rows, const Tensors& outputs, const Tensors& logits = {});
  /// Adds "name: value" of each metric to `logs`; a name that is taken becomes "weighted_name" or "name_1", as in
  /// Keras. No replica may be in update.
  void results(Logs& logs) const;
  /// The same over several processes: `gather` gives what each of them says. All of them call it.
  using Gather = std::function<std::vector<distribute::PeerMessage>(const distribute::PeerMessage& own)>;
  void results(Logs& logs, const Gather& gather) const;
  void reset();
  /// True where there is no metric.
  bool empty() const;

 private:
  using Metrics = std::vector<std::vector<std::shared_ptr<Metric>>>;  // by output
  // Shapes of one output's targets and predictions, which "accuracy" goes by.
  struct Seen {
    Shape y_true, y_pred;
  };
  Metrics make(const std::vector<Seen>& seen) const;
  void show(Logs& logs, const Metrics& sums) const;
  std::vector<std::vector<ShownMetric>> by_output_;
  std::vector<std::string> prefixes_;
  struct Replica {
    Metrics metrics;         // empty until it has seen rows
    std::vector<Seen> seen;  // its first rows
  };
  // Adds up the states of `replicas`, in their order; nothing where none has seen rows.
  Metrics sum(const std::vector<Replica>& replicas) const;
  static void put(const Replica& replica, distribute::PeerMessage& message);
  Replica take(distribute::PeerMessage& message) const;
  std::vector<Replica> replicas_;
};

}  // namespace tandem
