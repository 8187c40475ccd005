#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tandem/callbacks/callback.h"
#include "tandem/callbacks/history.h"
#include "tandem/core/random.h"
#include "tandem/data/dataset.h"
#include "tandem/distribution/strategy.h"
#include "tandem/losses/loss.h"
#include "tandem/network/network.h"
#include "tandem/network/trained_model.h"
#include "tandem/optimizers/optimizer.h"
#include "tandem/training/metric_set.h"

namespace tandem {

struct RunningFigures;

/// What a model was compiled with. Lists are by output.
struct TrainerParts {
  std::shared_ptr<Network> network;
  distribute::Strategy strategy;
  std::shared_ptr<Optimizer> optimizer;
  std::vector<std::shared_ptr<const Loss>> losses;
  std::vector<double> loss_weights;
  std::vector<std::vector<ShownMetric>> metrics;
};

struct FitPlan {
  Dataset data;
  std::optional<Dataset> validation;
  int64_t batch_size = 32;  // global; where the data set has none of its own
  int64_t validation_batch_size = 32;
  int64_t validation_freq = 1;  // epochs from one validation to the next
  int64_t epochs = 1;
  int64_t initial_epoch = 0;
  int64_t steps_per_epoch = -1;
  int64_t validation_steps = -1;  // batches of a validation; -1: all
  int64_t verbose = 1;
  std::vector<std::shared_ptr<Callback>> callbacks;
};

struct PassPlan {
  Dataset data;
  int64_t batch_size = 32;
  int64_t steps = -1;  // batches; -1: all
  int64_t verbose = 1;
  std::vector<std::shared_ptr<Callback>> callbacks;
};

/// The loops behind fit, evaluate and predict. It keeps replicas, optimizer state and the count of what was trained, so
/// that a second fit goes on where the first ended: two fits of one epoch equal one fit of two, to the bit.
///
/// Calls from several threads wait for one another. Within a callback evaluate and predict see the weights of that
/// moment; a fit within a fit throws InvalidArgument.
class Trainer {
 public:
  explicit Trainer(TrainerParts parts);
  ~Trainer();

  History fit(const FitPlan& plan, TrainedModel& model);
  Logs evaluate(const PassPlan& plan, TrainedModel& model);
  Tensors predict(const PassPlan& plan, TrainedModel& model);

  /// One step with the rows of `data`, all of them in one batch: its losses and metrics alone, as Keras's *_on_batch.
  Logs train_on_batch(const Dataset& data);
  Logs test_on_batch(const Dataset& data);
  Tensors predict_on_batch(const Dataset& data);

  /// Brings the masters up to date with the replicas, and the other way round.
  void store();
  void load();

  /// Binds the program to its devices if that has not been done; the network must be built.
  distribute::Execution& execution();
  const TrainerParts& parts() const { return parts_; }
  /// True once an update was made.
  bool has_trained() const { return execution_ && execution_->iterations() > 0; }
  int64_t epochs_trained() const { return epochs_trained_; }
  /// True while fit, evaluate or predict runs.
  bool busy() const { return uses_ > 0; }
  void stop() { stopping_ = true; }
  bool stopping() const { return stopping_; }

 private:
  // One call of fit, evaluate or predict. Of several threads one goes on; hooks of that thread may call in again.
  class Use {
   public:
    explicit Use(Trainer& trainer) : trainer_(trainer), lock_(trainer.mutex_) { ++trainer_.uses_; }
    ~Use() { --trainer_.uses_; }

   private:
    Trainer& trainer_;
    std::lock_guard<std::recursive_mutex> lock_;
  };

  void bind(const Dataset& data);
  data::Batch one_batch(const Dataset& data);
  void require_loss(const char* who) const;
  History run_fit(const FitPlan& plan, TrainedModel& model);
  Logs run_evaluate(const PassPlan& plan, TrainedModel& model, const class CallbackList& callbacks, bool within_fit);
  RunningFigures running_figures() const;

  TrainerParts parts_;
  std::unique_ptr<distribute::Execution> execution_;
  RandomStream random_;
  int64_t epochs_trained_ = 0;
  int64_t passes_ = 0;                 // over the data, which steps_per_epoch sets apart from epochs
  std::vector<Weight> bound_weights_;  // those that the execution knows
  std::recursive_mutex mutex_;
  std::atomic<int64_t> uses_ = 0;
  bool fitting_ = false;  // guarded by mutex_
  std::atomic<bool> stopping_ = false;
};

}  // namespace tandem
