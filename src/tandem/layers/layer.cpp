#include "tandem/layers/layer.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>
#include <c10/util/Type.h>

#include <algorithm>
#include <typeinfo>

#include "tandem/core/error.h"
#include "tandem/layers/dry_run.h"
#include "tandem/layers/making_scope.h"
#include "tandem/layers/operation.h"
#include "tandem/layers/weight_allowance.h"

namespace tandem {
namespace {

// A layer that is shared, here and in a nested model, brings its weights once.
void append(std::vector<Weight>& all, const std::vector<Weight>& more) {
  for (const auto& w : more) {
    if (std::find(all.begin(), all.end(), w) == all.end()) all.push_back(w);
  }
}

}  // namespace

Layer::Layer()
    : policy_(tandem::dtype_policy().value_or(DTypePolicy())),
      own_policy_(tandem::dtype_policy().has_value()),
      initial_(random_root().fold("initial weights").fold(static_cast<uint64_t>(next_layer_number()))) {
  MakingScope::note(this);
}

Layer::~Layer() { MakingScope::forget(this); }

void throw_shape_error(const Layer& layer, const std::string& must, const Shape& got) {
  throw InvalidArgument(c10::str("layer '", layer.name(), "' (", layer.class_name(), "): ", must, ", got ", got));
}

std::string Layer::why_not_replicable() const {
  for (const auto& child : children()) {
    if (auto why = child->why_not_replicable(); !why.empty()) return why;
  }
  return {};
}

void Layer::add_tracked(const std::string& name, const std::shared_ptr<Layer>& layer) {
  for (const auto& other : tracked_) {
    if (other == layer || other->name() == name)
      throw InvalidArgument(c10::str("track: '", name, "' must be registered once"));
  }
  layer->set_name(name);
  tracked_.push_back(layer);
}

void Layer::build(const Shape&) {}

void Layer::build_many(const Shapes& inputs) {
  if (inputs.size() != 1) {
    throw InvalidArgument(
        c10::str("layer '", name(), "' (", class_name(), "): must get one input, got ", inputs.size()));
  }
  build(inputs.front());
}

Tensor Layer::call(const Tensor&, const CallContext&) {
  throw InvalidArgument(c10::str("layer '", name(), "' (", class_name(), "): must override call or call_many"));
}

Tensors Layer::call_many(const Tensors& inputs, const CallContext& context) {
  if (inputs.size() != 1) {
    throw InvalidArgument(
        c10::str("layer '", name(), "' (", class_name(), "): must get one input, got ", inputs.size()));
  }
  return call(inputs.front(), context);
}

Tensor Layer::call_with_relu(const Tensor& x, const CallContext& context) { return at::relu(call(x, context)); }

Tensors Layer::compute_mask(const Tensors& /*inputs*/, const Tensors& masks) { return masks; }

Shape Layer::output_shape(const Shape& input) {
  // What call returns for a dry run, with its batch axis unknown again.
  c10::NoGradGuard no_grad;
  Shape out = Shape::of(call(dry_inputs({input})[0], CallContext{}).sizes().vec());
  if (!out.empty() && !input.empty()) out[0] = input[0];
  return out;
}

Shapes Layer::output_shapes(const Shapes& inputs) {
  if (inputs.size() != 1) {
    throw InvalidArgument(
        c10::str("layer '", name(), "' (", class_name(), "): must get one input, got ", inputs.size()));
  }
  return {output_shape(inputs.front())};
}

std::string Layer::class_name() const {
  std::string name = c10::demangle(typeid(*this).name());
  name = name.substr(0, name.find('<'));
  if (const auto colon = name.rfind("::"); colon != std::string::npos) name = name.substr(colon + 2);
  const std::string suffix = "Layer";
  if (name.size() > suffix.size() && name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  return name;
}

std::vector<std::pair<std::string, std::shared_ptr<Layer>>> Layer::named_children() const {
  std::vector<std::pair<std::string, std::shared_ptr<Layer>>> named;
  std::map<std::string, int64_t> used;
  for (const auto& child : children()) {
    if (dynamic_cast<const OperationLayer*>(child.get())) continue;  // Keras's files know layers alone
    const std::string name = snake_case(child->class_name());
    const int64_t count = used[name]++;
    named.emplace_back(c10::str("layers/", name, count == 0 ? "" : c10::str("_", count)), child);
  }
  return named;
}

Config Layer::get_config() const { return Config::object(); }

const std::string& Layer::name() const {
  // Made when first asked for, since the class is not known yet while the base is constructed.
  if (name_.empty()) const_cast<Layer*>(this)->name_ = unique_layer_name(class_name());
  return name_;
}

void Layer::set_trainable(bool trainable) {
  trainable_ = trainable;
  for (const auto& child : children()) child->set_trainable(trainable);
}

void Layer::ensure_built(const Shapes& inputs) {
  if (built_) return;
  const std::size_t made = weights_.size();  // by the constructor
  try {
    build_many(inputs);
  } catch (...) {
    weights_.resize(made);  // another attempt begins anew
    throw;
  }
  build_shapes_ = inputs;
  built_ = true;
}

void Layer::set_dtype_policy(const DTypePolicy& policy) {
  policy_ = policy;
  own_policy_ = true;
  for (const auto& child : children()) child->default_dtype_policy(policy);
}

void Layer::default_dtype_policy(const DTypePolicy& policy) {
  if (own_policy_) return;
  policy_ = policy;
  for (const auto& child : children()) child->default_dtype_policy(policy);
}

std::vector<Weight> Layer::weights() const {
  std::vector<Weight> all;
  for (bool trainable : {true, false}) {
    for (const auto& w : weights_) {
      if (w.trainable() == trainable) all.push_back(w);
    }
  }
  for (const auto& child : children()) append(all, child->weights());
  return all;
}

std::vector<Weight> Layer::trainable_weights() const {
  std::vector<Weight> all;
  if (!trainable_) return all;
  for (const auto& w : weights_) {
    if (w.trainable()) all.push_back(w);
  }
  for (const auto& child : children()) append(all, child->trainable_weights());
  return all;
}

std::vector<Weight> Layer::non_trainable_weights() const {
  std::vector<Weight> all;
  for (const auto& w : weights_) {
    if (!trainable_ || !w.trainable()) all.push_back(w);
  }
  for (const auto& child : children()) append(all, trainable_ ? child->non_trainable_weights() : child->weights());
  return all;
}

int64_t Layer::count_params() const {
  int64_t count = 0;
  for (const auto& w : weights()) count += w.shape().count();
  return count;
}

std::shared_ptr<Layer> Layer::fresh_copy() const {
  if (!recipe_) {
    throw InvalidArgument(
        c10::str("layer '", name(), "' (", class_name(), "): must be made by make_layer or make_model to be cloned"));
  }
  auto copy = recipe_();
  copy->name_ = name();
  copy->recipe_ = recipe_;
  copy->own_policy_ = false;
  own_policy_ ? copy->set_dtype_policy(policy_) : copy->default_dtype_policy(policy_);
  if (!trainable_) copy->set_trainable(false);  // thawing would reach frozen children
  return copy;
}

Weight Layer::add_weight(const std::string& name, const Shape& shape, const WeightOptions& options) {
  if (built_) {
    throw InvalidArgument(c10::str("layer '", this->name(), "' (", class_name(), "): add_weight '", name,
                                   "' must be called in build or in the constructor, not in call"));
  }
  WeightAllowance::take(*this, name, shape);
  auto variable = std::make_shared<Variable>();
  variable->name = name;
  variable->shape = shape;
  variable->trainable = options.trainable;
  variable->is_table = options.is_table;
  if (!options.regularizer.empty()) variable->regularizer = options.regularizer.get();
  if (!options.constraint.empty()) variable->constraint = options.constraint.get();
  variable->value =
      make_weight_value(shape, options.memory_order, *options.initializer.get(), initial_.fold(weights_.size()));
  weights_.emplace_back(std::move(variable));
  return weights_.back();
}

Weight Layer::adopt_weight(const std::string& name, Tensor value, bool trainable) {
  auto variable = std::make_shared<Variable>();
  variable->name = name;
  variable->shape = Shape::of(value.sizes().vec());
  variable->trainable = trainable;
  variable->value = std::move(value);
  weights_.emplace_back(std::move(variable));
  return weights_.back();
}

}  // namespace tandem
