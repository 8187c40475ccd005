#include "tandem/network/network.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/core/mask.h"

namespace tandem {
namespace {

// What leaves a network, for losses, metrics and the program: 16 bits would round them.
Tensor in_float32(const Tensor& output, const CallContext& context) {
  const Tensor cast = with_mask_of(output, output.to(at::kFloat));
  if (!context.logits) return cast;
  if (const Tensor logits = context.logits->find(output); logits.defined())
    context.logits->remember(cast, logits.to(at::kFloat));
  return cast;
}

}  // namespace

std::vector<std::shared_ptr<Layer>> Network::children() const {
  std::vector<std::shared_ptr<Layer>> children;
  for (const auto& layer : layers()) children.push_back(layer.get());
  return children;
}

std::vector<Tensor> Network::get_weights() const {
  std::vector<Tensor> values;
  for (const auto& w : weights()) values.push_back(w.variable().value.detach().clone(at::MemoryFormat::Contiguous));
  return values;
}

void Network::set_weights(const std::vector<Tensor>& values) {
  const auto own = weights();
  if (own.size() != values.size()) {
    throw InvalidArgument(
        c10::str("set_weights: model '", name(), "' has ", own.size(), " weights, got ", values.size()));
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto given = Shape::of(values[i].sizes().vec());
    if (given != own[i].shape()) {
      throw InvalidArgument(c10::str("set_weights: weight ", i, " ('", own[i].name(), "') of model '", name(),
                                     "' must have shape ", own[i].shape(), ", got ", given));
    }
  }
  for (std::size_t i = 0; i < own.size(); ++i) own[i].assign(values[i]);
}

void Network::train_step(Step& step) {
  const Tensors y_pred = outputs(step.x(), step.context());
  const Tensor loss = step.compute_loss(y_pred);
  step.update_metrics(y_pred);
  step.minimize(loss);
}

void Network::test_step(Step& step) {
  const Tensors y_pred = outputs(step.x(), step.context());
  step.compute_loss(y_pred);
  step.update_metrics(y_pred);
}

Tensors Network::as_inputs(const Tensors& x) const {
  Tensors inputs;
  for (const auto& t : x) {
    if (t.is_complex())
      throw InvalidArgument(c10::str("model '", name(), "': inputs must be real numbers, got ", t.dtype().name()));
    inputs.push_back(t.is_floating_point() ? t.to(at::kFloat) : t);
  }
  return inputs;
}

Tensors Network::outputs(const Tensors& x, const CallContext& context) {
  return checked_outputs(call_many(x, context), x.front().size(0), context);
}

Tensors Network::checked_outputs(Tensors made, int64_t rows, const CallContext& context) const {
  for (int64_t i = 0; i < made.size(); ++i) {
    if (made[i].defined() && made[i].dim() > 0 && made[i].size(0) == rows) {
      if (at::isReducedFloatingType(made[i].scalar_type())) made[i] = in_float32(made[i], context);
      continue;
    }
    const auto got = made[i].defined() ? Shape::of(made[i].sizes().vec()).to_string() : std::string("no tensor");
    throw InvalidArgument(
        c10::str("model '", name(), "': output ", i, " must have ", rows, " rows, as its input has, got ", got));
  }
  return made;
}

Tensor Network::regularization() const {
  Tensor sum;
  for (const auto& w : trainable_weights()) {
    const auto& regularizer = w.variable().regularizer;
    if (!regularizer) continue;
    const Tensor penalty = (*regularizer)(w.value());
    sum = sum.defined() ? sum + penalty : penalty;
  }
  return sum;
}

}  // namespace tandem
