#include "tandem/losses/binary_values.h"

#include <ATen/ATen.h>

#include "tandem/losses/clip.h"

namespace tandem {

Tensor binary_values(const Tensor& truth, const Tensor& p) {
  const Tensor clipped = clip_probabilities(p);
  return -(truth * clipped.log() + (1 - truth) * (1 - clipped).log());
}

Tensor binary_values_of_logits(const Tensor& truth, const Tensor& logits) {
  return at::binary_cross_entropy_with_logits(logits, truth, {}, {}, at::Reduction::None);
}

}  // namespace tandem
