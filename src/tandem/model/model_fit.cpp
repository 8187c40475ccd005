// Model's fit, evaluate and predict: Keras's arguments brought to what the trainer takes.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/model/body.h"
#include "tandem/model/fit_plan.h"
#include "tandem/model/model.h"
#include "tandem/model/training_job.h"
#include "tandem/training/class_weight.h"

namespace tandem {
namespace {

Dataset whole_batch(const char* who, const ModelBody& body, const Tensors& x, const Tensors& y,
                    const BatchOptions& options) {
  const auto weights = options.sample_weight.resolve(who, body.network()->output_names());
  Dataset data = body.prepared(data::TensorDataset(x, y, weights));
  return options.class_weight.empty() ? data : data.map(class_weighting(options.class_weight));
}

}  // namespace

History Model::fit(const Tensors& x, const Tensors& y, const FitOptions& options) {
  const auto alive = get();  // a callback may let go of the last handle
  auto& own = body();
  return own.trainer().fit(make_fit_plan(own, x, y, options), own);
}

History Model::fit(const Dataset& data, const FitOptions& options) {
  const auto alive = get();
  auto& own = body();
  return own.trainer().fit(make_fit_plan(own, data, options), own);
}

TrainingJob Model::fit_async(const Tensors& x, const Tensors& y, const FitOptions& options) {
  TrainingJob job(*this, x, y, options);
  job.start();
  return job;
}

TrainingJob Model::fit_async(const Dataset& data, const FitOptions& options) {
  TrainingJob job(*this, data, options);
  job.start();
  return job;
}

Logs Model::evaluate(const Tensors& x, const Tensors& y, const EvaluateOptions& options) {
  EvaluateOptions rest = options;
  rest.sample_weight = {};
  return evaluate(data::TensorDataset(x, y, options.sample_weight.resolve("evaluate", network()->output_names())),
                  rest);
}

Logs Model::evaluate(const Dataset& data, const EvaluateOptions& options) {
  const auto alive = get();
  auto& own = body();
  if (!options.sample_weight.empty())
    throw InvalidArgument("evaluate: sample_weight works on tensors; a data set brings its own weights");
  return own.trainer().evaluate(
      {own.prepared(data), options.batch_size, options.steps, options.verbose, make_callbacks(options.callbacks)}, own);
}

Tensors Model::predict_all(const Dataset& data, const PredictOptions& options) {
  const auto alive = get();
  auto& own = body();
  return own.trainer().predict(
      {own.prepared(data), options.batch_size, options.steps, options.verbose, make_callbacks(options.callbacks)}, own);
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
  return body().trainer().train_on_batch(whole_batch("train_on_batch", body(), x, y, options));
}

Logs Model::test_on_batch(const Tensors& x, const Tensors& y, const BatchOptions& options) {
  return body().trainer().test_on_batch(whole_batch("test_on_batch", body(), x, y, options));
}

Tensors Model::predict_on_batch(const Tensors& x) {
  return body().trainer().predict_on_batch(whole_batch("predict_on_batch", body(), x, {}, {}));
}

}  // namespace tandem
