#include "tandem/optimizers/flat_view.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"

namespace tandem {

bool same_flat_memory(std::span<const Tensor* const> tensors, at::ScalarType type) {
  const Tensor& first = *tensors.front();
  const bool plain = std::all_of(tensors.begin(), tensors.end(), [&](const Tensor* t) {
    return t->scalar_type() == type && t->device().is_cpu() && t->layout() == at::kStrided;
  });
  if (!plain) return false;
  if (std::all_of(tensors.begin(), tensors.end(), [](const Tensor* t) { return t->is_contiguous(); })) return true;
  return first.is_non_overlapping_and_dense() && std::all_of(tensors.begin(), tensors.end(), [&](const Tensor* t) {
           return t->sizes() == first.sizes() && t->strides() == first.strides();
         });
}

void check_same_count(std::span<const Tensor* const> tensors, const std::string& optimizer) {
  const Tensor& first = *tensors.front();
  for (const Tensor* t : tensors) {
    if (t->numel() == first.numel()) continue;
    throw InvalidArgument(c10::str(optimizer, ": gradient and slots must have the parameter's size ",
                                   Shape::of(first.sizes().vec()).to_string(), ", got ",
                                   Shape::of(t->sizes().vec()).to_string()));
  }
}

}  // namespace tandem
