#include "tandem/layers/weight_allowance.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/layer.h"

namespace tandem {
namespace {

thread_local WeightAllowance* innermost = nullptr;

}  // namespace

WeightAllowance::WeightAllowance(int64_t elements) : left_(elements), outer_(innermost) { innermost = this; }
WeightAllowance::~WeightAllowance() { innermost = outer_; }

void WeightAllowance::take(const Layer& layer, const std::string& weight, const Shape& shape) {
  if (!innermost) return;
  int64_t count = 1;
  for (const int64_t size : shape) {
    if (__builtin_mul_overflow(count, size, &count)) count = INT64_MAX;
  }
  if (count > innermost->left_) {
    throw InvalidArgument(c10::str("layer '", layer.name(), "' (", layer.class_name(), "): weight '", weight,
                                   "' of shape ", shape, " is more than the file's weights can hold"));
  }
  innermost->left_ -= count;
}

}  // namespace tandem
