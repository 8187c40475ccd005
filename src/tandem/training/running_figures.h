#pragma once
#include "tandem/core/logs.h"
#include "tandem/distribution/execution.h"
#include "tandem/training/loss_mean.h"
#include "tandem/training/metric_set.h"

namespace tandem {

/// Losses and metrics of a pass while it runs, in Keras's order of names.
struct RunningFigures {
  distribute::Execution* execution;
  MetricSet metrics;
  LossMean losses;
  distribute::Peers::Topic topic = {};
  int64_t rows_of_all = 0;  // that logs_of_all was made of

  /// For Execution's steps: each replica's thread updates its own metrics. The figures must outlive it.
  distribute::Observer observer() {
    return [this](int64_t rank, const data::Batch& rows, const Tensors& outputs, const Tensors& logits) {
      metrics.update(rank, rows, outputs, logits);
    };
  }
  /// Collective where several processes train together.
  Logs logs() {
    if (!metrics.empty()) execution->synchronize();
    const auto held = execution->hold_observers();
    Logs logs;
    auto* peers = execution->peers();
    if (peers && !metrics.empty()) {
      metrics.results(logs, [&](const distribute::PeerMessage& own) { return peers->gather(own, topic); });
    } else {
      metrics.results(logs);
    }
    losses.results(logs);
    return logs.sorted();
  }
  /// Of processes that train each at its own pace: `gather` gives what each of them says.
  Logs logs_of_all(const MetricSet::Gather& gather) {
    const auto held = execution->hold_observers();
    Logs logs;
    LossMean sum = losses;
    sum.reset();
    metrics.results(logs, [&](const distribute::PeerMessage& of_metrics) {
      distribute::PeerMessage own;
      losses.put(own);
      own.put(of_metrics);
      auto all = gather(own);
      for (auto& message : all) sum.add(message);  // the metrics' part is left
      return all;
    });
    sum.results(logs);
    rows_of_all = sum.rows();
    return logs.sorted();
  }
  void reset() {
    if (!metrics.empty()) execution->synchronize();
    metrics.reset();
    losses.reset();
  }
};

}  // namespace tandem
