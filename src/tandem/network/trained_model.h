#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tandem/core/state_dict.h"
#include "tandem/core/tensor.h"
#include "tandem/core/trace_span.h"

namespace tandem {

/// How far a model has been trained, beside weights and optimizer: what random numbers are keyed by.
struct TrainingProgress {
  int64_t passes = 0;  // over the data, that have ended
  int64_t steps = 0;
};

/// What a callback may know and change of the model that is being trained. Model implements it.
class TrainedModel {
 public:
  virtual ~TrainedModel() = default;

  /// Copies in Keras's order, moving averages of all replicas brought together first.
  virtual std::vector<Tensor> get_weights() = 0;
  /// Also reaches every replica. Throws InvalidArgument when number or shapes differ.
  virtual void set_weights(const std::vector<Tensor>& values) = 0;

  virtual StateDict optimizer_state() = 0;
  virtual void set_optimizer_state(const StateDict& state) = 0;
  /// Rate of the next update.
  virtual double learning_rate() = 0;
  /// Throws InvalidArgument when the rate follows a schedule.
  virtual void set_learning_rate(double rate) = 0;

  /// Puts the averages of the weights that the optimizer keeps in the weights' place and these in theirs. Throws
  /// InvalidArgument where it keeps none or has made no update.
  virtual void swap_weight_averages() = 0;
  /// Lets the averages be what the weights are.
  virtual void set_weight_averages() = 0;

  virtual TrainingProgress training_progress() = 0;
  /// Lets the fit that is about to begin do so at `epoch`, after as much training as `progress` says; nothing: a pass
  /// for each epoch, a step for each update.
  virtual void begin_at(int64_t epoch, const std::optional<TrainingProgress>& progress) = 0;

  /// Ends training at the end of the batch or epoch in progress, as Keras's model.stop_training = True.
  virtual void stop_training() = 0;
  virtual bool stopping() const = 0;

  /// Which way the figure `name` of the logs, without "val_", gets better: "min" or "max"; empty where it is neither
  /// the loss nor a compiled metric that knows.
  virtual std::string monitor_direction(const std::string& name) = 0;

  /// Begins a new record of when each layer computes on each device, or ends it; and what was recorded.
  virtual void record_trace(bool on) = 0;
  virtual std::vector<TraceSpan> trace() = 0;

  /// True in the process, mostly the only one, that writes files and prints. In others save and save_weights write
  /// nothing.
  virtual bool leads() const { return true; }
  virtual void save(const std::string& path) = 0;
  virtual void save_weights(const std::string& path) = 0;
  /// Weights and, where there is one, the optimizer's state of a file that save_weights wrote.
  virtual void restore(const std::string& path) = 0;
};

}  // namespace tandem
