// Model's fit, evaluate and predict: Keras's arguments brought to what the trainer takes.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <cmath>

#include "tandem/core/error.h"
#include "tandem/model/body.h"
#include "tandem/model/model.h"
#include "tandem/training/class_weight.h"

namespace tandem {
namespace {

std::vector<std::shared_ptr<Callback>> resolve(const std::vector<Handle<Callback>>& handles) {
  std::vector<std::shared_ptr<Callback>> callbacks;
  callbacks.reserve(handles.size());
  for (const auto& handle : handles) callbacks.push_back(handle.get());
  return callbacks;
}

Tensors rows(const Tensors& tensors, int64_t begin, int64_t end) {
  Tensors part;
  for (const auto& t : tensors) part.push_back(t.slice(0, begin, end));
  return part;
}

History run_fit(ModelBody& body, Dataset train, const std::optional<Dataset>& validation, const FitOptions& options) {
  train = body.prepared(train);
  if (!options.augmentation.empty()) train = train.map(options.augmentation);
  if (!options.class_weight.empty()) train = train.map(class_weighting(options.class_weight));
  FitPlan plan;
  plan.data = train;
  if (validation) plan.validation = body.prepared(*validation);
  plan.batch_size = options.batch_size;
  plan.validation_batch_size = options.validation_batch_size ? options.validation_batch_size
                               : train.batch_size()          ? train.batch_size()
                                                             : options.batch_size;
  plan.validation_freq = options.validation_freq;
  plan.epochs = options.epochs;
  plan.initial_epoch = options.initial_epoch;
  plan.steps_per_epoch = options.steps_per_epoch;
  plan.validation_steps = options.validation_steps;
  plan.verbose = options.verbose;
  plan.callbacks = resolve(options.callbacks);
  return body.trainer().fit(plan, body);
}

Dataset whole_batch(const ModelBody& body, const Tensors& x, const Tensors& y, const BatchOptions& options) {
  Dataset data = body.prepared(data::TensorDataset(x, y, options.sample_weight));
  return options.class_weight.empty() ? data : data.map(class_weighting(options.class_weight));
}

}  // namespace

History Model::fit(const Tensors& x, const Tensors& y, const FitOptions& options) {
  // A step of the model's own may do without targets.
  const bool own_step = dynamic_cast<const SubclassedModel*>(network().get()) != nullptr;
  if (x.empty() || (y.empty() && !own_step))
    throw InvalidArgument(
        c10::str("fit: must get inputs and targets, got ", x.size(), " inputs and ", y.size(), " targets"));
  if (options.batch_size < 1)
    throw InvalidArgument(c10::str("fit: batch_size must be at least 1, got ", options.batch_size));
  if (!(options.validation_split >= 0 && options.validation_split < 1)) {
    throw InvalidArgument(c10::str("fit: validation_split must be in [0, 1), got ", options.validation_split));
  }
  Tensors train_x = x, train_y = y;
  Tensor weights = options.sample_weight;
  auto validation = options.validation_data.data();
  if (options.validation_split > 0 && !validation) {
    const int64_t n = data::TensorDataset(x, y, weights).size();  // refuses rows that do not match
    const auto first = static_cast<int64_t>(std::floor(static_cast<double>(n) * (1 - options.validation_split)));
    if (first == 0 || first == n) {
      throw InvalidArgument(c10::str("fit: validation_split ", options.validation_split, " of ", n,
                                     " rows must leave rows on both sides"));
    }
    validation = data::TensorDataset(rows(x, first, n), rows(y, first, n),
                                     weights.defined() ? weights.slice(0, first, n) : Tensor());
    train_x = rows(x, 0, first);
    train_y = rows(y, 0, first);
    if (weights.defined()) weights = weights.slice(0, 0, first);
  }
  Dataset train = data::TensorDataset(train_x, train_y, weights);
  if (options.shuffle) train = train.shuffle();
  const auto alive = get();  // a callback may let go of the last handle
  return run_fit(body(), train.batch(options.batch_size), validation, options);
}

History Model::fit(const Dataset& data, const FitOptions& options) {
  if (options.validation_split > 0)
    throw InvalidArgument("fit: validation_split works on tensors; split a data set with data::split");
  if (options.sample_weight.defined())
    throw InvalidArgument("fit: sample_weight works on tensors; a data set brings its own weights");
  const auto alive = get();
  return run_fit(body(), data, options.validation_data.data(), options);
}

Logs Model::evaluate(const Dataset& data, const EvaluateOptions& options) {
  const auto alive = get();
  auto& own = body();
  return own.trainer().evaluate(
      {own.prepared(data), options.batch_size, options.steps, options.verbose, resolve(options.callbacks)}, own);
}

Tensors Model::predict_all(const Dataset& data, const PredictOptions& options) {
  const auto alive = get();
  auto& own = body();
  return own.trainer().predict(
      {own.prepared(data), options.batch_size, options.steps, options.verbose, resolve(options.callbacks)}, own);
}

Tensors Model::predict_all(const Tensors& x, const PredictOptions& options) {
  return predict_all(data::TensorDataset(x, {}), options);
}

Tensor Model::predict(const Dataset& data, const PredictOptions& options) {
  const auto outputs = predict_all(data, options);
  if (outputs.size() != 1)
    throw InvalidArgument(c10::str("predict: model '", name(), "' has ", outputs.size(), " outputs; use predict_all"));
  return outputs.front();
}

Tensor Model::predict(const Tensors& x, const PredictOptions& options) {
  return predict(data::TensorDataset(x), options);
}

Logs Model::train_on_batch(const Tensors& x, const Tensors& y, const BatchOptions& options) {
  return body().trainer().train_on_batch(whole_batch(body(), x, y, options));
}

Logs Model::test_on_batch(const Tensors& x, const Tensors& y, const BatchOptions& options) {
  return body().trainer().test_on_batch(whole_batch(body(), x, y, options));
}

Tensors Model::predict_on_batch(const Tensors& x) {
  return body().trainer().predict_on_batch(whole_batch(body(), x, {}, {}));
}

}  // namespace tandem
