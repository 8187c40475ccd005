#include "tandem/layers/policy_call.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "tandem/core/mask.h"
#include "tandem/layers/compute_scope.h"

namespace tandem {
namespace {

constexpr auto kFloat32 = c10::ScalarType::Float;

bool differs(const Tensor& x, c10::ScalarType type) {
  if (!x.defined() || x.scalar_type() == type) return false;
  return x.scalar_type() == kFloat32 || at::isReducedFloatingType(x.scalar_type());
}

}  // namespace

Tensors cast_reals(const Tensors& inputs, c10::ScalarType type) {
  const auto wrong = [&](const Tensor& x) { return differs(x, type); };
  if (std::none_of(inputs.begin(), inputs.end(), wrong)) return inputs;
  Tensors cast;
  for (const auto& x : inputs) cast.push_back(wrong(x) ? with_mask_of(x, x.to(type)) : x);
  return cast;
}

Tensors call_in_policy(const Layer& layer, const Tensors& inputs, c10::function_ref<Tensors(const Tensors&)> call) {
  const Lowering lowering = layer.lowering();
  if (lowering == Lowering::kNone) {
    if (!ComputeScope::lowers()) return call(inputs);
    const ComputeScope scope(kFloat32);
    return call(inputs);
  }
  const auto type = layer.dtype_policy().compute_type();
  const auto within = lowering == Lowering::kAll ? type : kFloat32;
  const ComputeScope scope(within);
  const Tensors outputs = call(cast_reals(inputs, within));
  return type == within ? outputs : cast_reals(outputs, type);
}

}  // namespace tandem
