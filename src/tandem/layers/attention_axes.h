#pragma once
#include <vector>

#include "tandem/core/shape.h"
#include "tandem/core/tensor.h"

namespace tandem {

/// Along which axes of (batch, ..., features) queries look at keys. The others stand side by side, as the batch does.
/// With heads a tensor is (batch, ..., heads, dim); "by heads" it is (batch, side by side, heads, steps, dim), where
/// steps are all places along the axes.
class AttentionAxes {
 public:
  /// `axes`: ascending, of tensors of `rank` without the heads, not the batch and not the features.
  AttentionAxes(std::vector<int64_t> axes, int64_t rank);

  Tensor by_heads(const Tensor& projected) const;
  /// Back from (batch, side by side, heads, steps, dim) to the axes of `query`: (batch, ..., heads, dim).
  Tensor from_heads(const Tensor& by_heads, const Tensor& query) const;
  /// A mask (batch, query steps, key steps), each steps as many axes as attention has and more in front if wanted, as
  /// one that fits scores by heads. Undefined stays so.
  Tensor mask_by_heads(Tensor mask, const Tensor& query, const Tensor& value) const;
  /// Scores by heads with the axes of query and value again: (batch, side by side, heads, query axes, key axes).
  Tensor whole_scores(const Tensor& scores, const Tensor& query, const Tensor& value) const;
  Shape scores_shape(const Shape& query, const Shape& value, int64_t heads) const;

 private:
  std::vector<int64_t> sizes_along(const Tensor& x) const;

  std::vector<int64_t> axes_;    // of attention
  std::vector<int64_t> beside_;  // the others, from the batch on, without heads and features
};

}  // namespace tandem
