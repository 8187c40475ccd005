#include "tandem/layers/policy_call.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "tandem/core/mask.h"
#include "tandem/layers/compute_scope.h"

namespace tandem {
namespace {

constexpr auto kFloat32 = c10::ScalarType::Float;

// True of one of 16 or 32 bits that is not of `type`.
bool differs(const Tensor& x, c10::ScalarType type) {
  if (!x.defined() || x.scalar_type() == type) return false;
  return x.scalar_type() == kFloat32 || at::isReducedFloatingType(x.scalar_type());
}

bool any_differs(const Tensors& all, c10::ScalarType type) {
  return std::any_of(all.begin(), all.end(), [&](const Tensor& x) { return differs(x, type); });
}

Tensors cast(const Tensors& all, c10::ScalarType type) {
  Tensors made;
  for (const auto& x : all) made.push_back(differs(x, type) ? with_mask_of(x, x.to(type)) : x);
  return made;
}

}  // namespace

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
  Tensors outputs = any_differs(inputs, within) ? call(cast(inputs, within)) : call(inputs);
  return type != within && any_differs(outputs, type) ? cast(outputs, type) : outputs;
}

}  // namespace tandem
