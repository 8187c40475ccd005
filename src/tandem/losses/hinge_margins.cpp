#include "tandem/losses/hinge_margins.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/losses/clip.h"

namespace tandem {

Tensor hinge_margins(const Tensor& truth, const Tensor& prediction, const std::string& loss) {
  const Tensor zero = truth.eq(0);
  const Tensor other = zero.logical_or(truth.eq(1)).logical_not();
  if (zero.any().logical_and_(other.any()).item<bool>()) {
    throw InvalidArgument(c10::str(loss, ": targets must be -1 and 1, or 0 and 1, got 0 and ",
                                   truth.masked_select(other)[0].item<double>()));
  }
  return clip_below(1 - truth.masked_fill(zero, -1) * prediction, 0);
}

}  // namespace tandem
