#include "tandem/layers/masks.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "tandem/core/trailing_axes.h"

namespace tandem {

void hand_on_masks(Layer& layer, const Tensors& inputs, const Tensors& outputs) {
  if (!layer.supports_masking()) return;
  const auto has_mask = [](const Tensor& output) { return mask_of(output).defined(); };
  if (std::all_of(outputs.begin(), outputs.end(), has_mask)) return;
  Tensors masks;
  for (const auto& x : inputs) masks.push_back(mask_of(x));
  const Tensors made = layer.compute_mask(inputs, masks);
  for (int64_t i = 0; i < std::min(made.size(), outputs.size()); ++i) {
    if (made[i].defined() && !has_mask(outputs[i])) set_mask(outputs[i], made[i]);
  }
}

Tensor union_of(const Tensors& masks) {
  Tensor any;
  for (const auto& mask : masks) {
    if (!mask.defined()) return {};
    any = any.defined() ? any.logical_or(mask) : mask;
  }
  return any;
}

Tensor mask_like(const Tensor& mask, const Tensor& x) { return with_trailing_axes(mask, x.dim()); }

}  // namespace tandem
