#include "tandem/layers/weight_allowance.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {
namespace {

thread_local WeightAllowance* innermost = nullptr;

}  // namespace

WeightAllowance::WeightAllowance(int64_t elements) : left_(elements), outer_(innermost) { innermost = this; }
WeightAllowance::~WeightAllowance() { innermost = outer_; }

void WeightAllowance::take(const Shape& shape) {
  if (!innermost) return;
  const int64_t count = shape.count();
  if (count > innermost->left_)
    throw InvalidArgument(c10::str("a weight of shape ", shape, " is more than the file's weights can hold"));
  innermost->left_ -= count;
}

}  // namespace tandem
