#include "tandem/layers/activation_function.h"

#include "tandem/layers/activations.h"

namespace tandem {

void ActivationFunction::check() const {
  if (!is_linear() && !function_) activations::catalog().at(name_);
}

Tensor ActivationFunction::operator()(const Tensor& x, const CallContext& context) const {
  if (function_) return function_(x);
  if (is_linear()) return x;
  Tensor out = activations::catalog().at(name_)(x);
  if (context.logits && (name_ == "softmax" || name_ == "sigmoid")) context.logits->remember(out, x);
  return out;
}

}  // namespace tandem
