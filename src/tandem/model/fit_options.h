#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/callbacks/callback.h"
#include "tandem/core/handle.h"
#include "tandem/core/tensor.h"
#include "tandem/data/dataset.h"
#include "tandem/model/sample_weight_argument.h"

namespace tandem {

/// Data to validate on: a Dataset, or {x, y} or {x, y, weights} tensors.
class ValidationData {
 public:
  ValidationData() = default;
  ValidationData(Dataset data) : data_(std::move(data)) {}
  ValidationData(const Tensors& x, const Tensors& y, SampleWeightArgument weights = {})
      : data_(data::TensorDataset(x, y)), weights_(std::move(weights)) {}
  /// Nothing where none was given. Throws InvalidArgument when the weights do not fit a model with these outputs.
  std::optional<Dataset> data(const std::vector<std::string>& outputs) const;

 private:
  std::optional<Dataset> data_;
  SampleWeightArgument weights_;
};

/// Arguments of fit, in Keras's order.
struct FitOptions {
  int64_t batch_size = 32;  // global, over all devices; a Dataset's own wins
  int64_t epochs = 1;       // number of the last epoch, as in Keras where initial_epoch is given
  int64_t verbose = 1;      // 0 nothing, 1 a bar, 2 a line an epoch
  std::vector<Handle<Callback>> callbacks = {};
  double validation_split = 0;  // the last rows of x and y, before any shuffle
  ValidationData validation_data = {};
  bool shuffle = true;  // of tensors; a Dataset says for itself
  std::map<int64_t, double> class_weight = {};
  SampleWeightArgument sample_weight = {};  // of tensors; data sets bring their own
  int64_t initial_epoch = 0;
  int64_t steps_per_epoch = -1;
  int64_t validation_steps = -1;      // batches of a validation; -1: all
  int64_t validation_batch_size = 0;  // 0: batch_size
  int64_t validation_freq = 1;        // epochs from one validation to the next
  /// Changes training rows on their way, after the model's preprocessing; validation rows stay as they are.
  data::TransformHandle augmentation = {};
  /// Batches whose gradients make one update together, as if they had been one batch; the last one of an epoch ends its
  /// group. Learning rate schedules count updates.
  int64_t accumulate = 1;
};

/// Arguments of evaluate, in Keras's order.
struct EvaluateOptions {
  int64_t batch_size = 32;
  int64_t verbose = 1;
  SampleWeightArgument sample_weight = {};  // of tensors; data sets bring their own
  int64_t steps = -1;                       // batches; -1: all
  std::vector<Handle<Callback>> callbacks = {};
};

/// Arguments of predict, in Keras's order.
struct PredictOptions {
  int64_t batch_size = 32;
  int64_t verbose = 0;
  int64_t steps = -1;  // batches; -1: all
  std::vector<Handle<Callback>> callbacks = {};
};

/// Arguments of train_on_batch and test_on_batch.
struct BatchOptions {
  SampleWeightArgument sample_weight = {};
  std::map<int64_t, double> class_weight = {};
};

}  // namespace tandem
