#include "tandem/layers/attention_axes.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace tandem {

AttentionAxes::AttentionAxes(std::vector<int64_t> axes, int64_t rank) : axes_(std::move(axes)) {
  for (int64_t axis = 0; axis < rank - 1; ++axis) {
    if (std::find(axes_.begin(), axes_.end(), axis) == axes_.end()) beside_.push_back(axis);
  }
}

std::vector<int64_t> AttentionAxes::sizes_along(const Tensor& x) const {
  std::vector<int64_t> sizes;
  for (const auto axis : axes_) sizes.push_back(x.size(axis));
  return sizes;
}

Tensor AttentionAxes::by_heads(const Tensor& projected) const {
  const int64_t heads = projected.dim() - 2;
  std::vector<int64_t> order = beside_;
  order.push_back(heads);
  order.insert(order.end(), axes_.begin(), axes_.end());
  order.push_back(heads + 1);
  const Tensor moved = projected.permute(order);
  if (axes_.size() == 1) return moved;
  const auto first = static_cast<int64_t>(beside_.size()) + 1;
  return moved.flatten(first, first + static_cast<int64_t>(axes_.size()) - 1);
}

Tensor AttentionAxes::from_heads(const Tensor& by_heads, const Tensor& query) const {
  const Tensor whole = axes_.size() == 1 ? by_heads : by_heads.unflatten(-2, sizes_along(query));
  // Where each axis of (batch, ..., heads, dim) is now.
  std::vector<int64_t> order(static_cast<std::size_t>(whole.dim()));
  const auto side = static_cast<int64_t>(beside_.size());
  for (int64_t i = 0; i < side; ++i) order[static_cast<std::size_t>(beside_[static_cast<std::size_t>(i)])] = i;
  for (std::size_t i = 0; i < axes_.size(); ++i)
    order[static_cast<std::size_t>(axes_[i])] = side + 1 + static_cast<int64_t>(i);
  order[order.size() - 2] = side;
  order[order.size() - 1] = whole.dim() - 1;
  return whole.permute(order);
}

Tensor AttentionAxes::mask_by_heads(Tensor mask, const Tensor& query, const Tensor& value) const {
  if (!mask.defined()) return mask;
  const auto along = static_cast<int64_t>(axes_.size());
  const auto rank = static_cast<int64_t>(beside_.size()) + 1 + 2 * along;
  while (mask.dim() < rank) mask = mask.unsqueeze(std::max(-2 * along - 1, -mask.dim() - 1));
  if (along == 1) return mask;
  auto sizes = mask.sizes().vec();
  const auto queries = sizes_along(query), keys = sizes_along(value);
  std::copy(queries.begin(), queries.end(), sizes.end() - 2 * along);
  std::copy(keys.begin(), keys.end(), sizes.end() - along);
  return mask.expand(sizes).flatten(-along).flatten(-along - 1, -2);
}

Tensor AttentionAxes::whole_scores(const Tensor& scores, const Tensor& query, const Tensor& value) const {
  if (axes_.size() == 1) return scores;
  return scores.unflatten(-1, sizes_along(value)).unflatten(scores.dim() - 2, sizes_along(query));
}

Shape AttentionAxes::scores_shape(const Shape& query, const Shape& value, int64_t heads) const {
  std::vector<int64_t> sizes;
  for (const auto axis : beside_) sizes.push_back(query[axis]);
  sizes.push_back(heads);
  for (const auto axis : axes_) sizes.push_back(query[axis]);
  for (const auto axis : axes_) sizes.push_back(value[axis]);
  return Shape::of(sizes);
}

}  // namespace tandem
