#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/callbacks/history.h"
#include "tandem/data/dataset.h"
#include "tandem/model/model.h"

namespace tandem {

/// Arguments of tf.keras.utils.SidecarEvaluator, and where the weights come from.
struct SidecarEvaluatorOptions {
  int64_t steps = -1;            // batches of an evaluation; -1: all
  int64_t max_evaluations = -1;  // -1: until the workers are done
  std::vector<Handle<Callback>> callbacks = {};
  int64_t batch_size = 32;
  int64_t evaluate_every = 1;  // updates
  int64_t verbose = 1;         // 0: no line for each evaluation; 1, 2: one
  /// Addresses of the parameter servers, in the workers' order, and a file with the job's key; empty: those of the job
  /// that this process is one of, by the cluster's variables.
  std::vector<std::string> servers = {};
  std::string key_file = {};
  double begin_seconds = 120;  // that servers are waited for
};

/// Validates a model while workers train it with parameter servers, as TensorFlow's SidecarEvaluator does by
/// checkpoints: the job of a process whose role is evaluator. It computes no gradient, is no worker, and nobody waits
/// for it; it may come late and leave at any time.
///
///     Model model = ...;   // as in the workers, compiled without their strategy
///     const auto history = SidecarEvaluator(model, validation, {.callbacks = {best}}).start();
///
/// It evaluates the parameters at each update that evaluate_every divides, or, where that takes it longer than workers
/// need for so many, those of a later update; at last those that the workers leave behind. In mode sync an evaluation
/// is of one update on all servers. Moving averages are those that worker 0 brought together last: of the end of an
/// epoch, at first those that it began with. Other weights that are not trained are the model's own.
///
/// Callbacks see each evaluation as an epoch whose logs are "update", "val_loss" and "val_..." for each metric, so that
/// ModelCheckpoint keeps the best weights; hooks of steps are not called.
class SidecarEvaluator {
 public:
  /// Throws InvalidArgument on numbers out of range, without servers, and on a model that is not compiled or not built.
  SidecarEvaluator(const Model& model, const Dataset& data, const SidecarEvaluatorOptions& options = {});
  ~SidecarEvaluator();
  SidecarEvaluator(const SidecarEvaluator&) = delete;
  SidecarEvaluator& operator=(const SidecarEvaluator&) = delete;

  /// Returns when the workers are done and the last weights have been evaluated; the model has these. Throws PeerError
  /// where the servers are lost, or the job could not go on; InvalidArgument where the workers' model is another one.
  History start();
  /// Ends start() within a batch; its history is marked interrupted. From any thread.
  void stop();
  /// True from when start() has reached all servers: the job's last parameters will be evaluated. From any thread.
  bool begun() const;
  /// What has been evaluated so far; to be read when start() does not run.
  const History& history() const;

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace tandem
