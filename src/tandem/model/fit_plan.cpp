#include "tandem/model/fit_plan.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <cmath>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/network/subclassed.h"
#include "tandem/training/class_weight.h"

namespace tandem {
namespace {

Tensors rows(const Tensors& tensors, int64_t begin, int64_t end) {
  Tensors part;
  for (const auto& t : tensors) part.push_back(t.defined() ? t.slice(0, begin, end) : t);
  return part;
}

FitPlan plan_of(ModelBody& body, Dataset train, const std::optional<Dataset>& validation, const FitOptions& options) {
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
  plan.callbacks = make_callbacks(options.callbacks);
  plan.accumulate = options.accumulate;
  return plan;
}

}  // namespace

std::optional<Dataset> ValidationData::data(const std::vector<std::string>& outputs) const {
  if (!data_ || weights_.empty()) return data_;
  const auto all = data_->source()->all();
  return data::TensorDataset(all.x, all.y, weights_.resolve("fit: validation_data", outputs));
}

std::vector<std::shared_ptr<Callback>> make_callbacks(const std::vector<Handle<Callback>>& handles) {
  std::vector<std::shared_ptr<Callback>> callbacks;
  callbacks.reserve(handles.size());
  for (const auto& handle : handles) callbacks.push_back(handle.get());
  return callbacks;
}

FitPlan make_fit_plan(ModelBody& body, const Tensors& x, const Tensors& y, const FitOptions& options) {
  // A step of the model's own may do without targets.
  const bool own_step = dynamic_cast<const SubclassedModel*>(body.network().get()) != nullptr;
  if (x.empty() || (y.empty() && !own_step))
    throw InvalidArgument(
        c10::str("fit: must get inputs and targets, got ", x.size(), " inputs and ", y.size(), " targets"));
  if (options.batch_size < 1)
    throw InvalidArgument(c10::str("fit: batch_size must be at least 1, got ", options.batch_size));
  if (!(options.validation_split >= 0 && options.validation_split < 1)) {
    throw InvalidArgument(c10::str("fit: validation_split must be in [0, 1), got ", options.validation_split));
  }
  Tensors train_x = x, train_y = y;
  const auto outputs = body.network()->output_names();
  auto weights = options.sample_weight.resolve("fit", outputs);
  auto validation = options.validation_data.data(outputs);
  if (options.validation_split > 0 && !validation) {
    const int64_t n = data::TensorDataset(x, y, weights).size();  // refuses rows that do not match
    const auto first = static_cast<int64_t>(std::floor(static_cast<double>(n) * (1 - options.validation_split)));
    if (first == 0 || first == n) {
      throw InvalidArgument(c10::str("fit: validation_split ", options.validation_split, " of ", n,
                                     " rows must leave rows on both sides"));
    }
    validation = data::TensorDataset(rows(x, first, n), rows(y, first, n), rows(weights, first, n));
    train_x = rows(x, 0, first);
    train_y = rows(y, 0, first);
    weights = rows(weights, 0, first);
  }
  Dataset train = data::TensorDataset(train_x, train_y, weights);
  if (options.shuffle) train = train.shuffle();
  return plan_of(body, train.batch(options.batch_size), validation, options);
}

FitPlan make_fit_plan(ModelBody& body, const Dataset& data, const FitOptions& options) {
  const bool counted = data.size() != data::kUnknownSize;
  if (options.validation_split > 0) {
    throw InvalidArgument(
        counted ? "fit: validation_split works on tensors; split a data set with data::split"
                : "fit: validation_split works on tensors, not on a BatchGenerator; give validation_data");
  }
  if (!options.sample_weight.empty())
    throw InvalidArgument("fit: sample_weight works on tensors; a data set brings its own weights");
  if (!options.class_weight.empty() && !counted) {
    throw InvalidArgument(
        "fit: class_weight works on rows that are known by number, not on a BatchGenerator; have it give sample "
        "weights");
  }
  return plan_of(body, data, options.validation_data.data(body.network()->output_names()), options);
}

}  // namespace tandem
