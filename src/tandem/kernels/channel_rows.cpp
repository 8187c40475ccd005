#include "tandem/kernels/channel_rows.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::kernels {
namespace {

/// Values from one row to the next; 0 when the distances differ.
int64_t row_stride(const at::Tensor& x) {
  int64_t stride = 0, rows = 1;  // of the axes seen so far, from the innermost on
  for (int64_t axis = x.dim() - 2; axis >= 0; --axis) {
    if (x.size(axis) == 1) continue;
    if (stride == 0) stride = x.stride(axis);
    if (x.stride(axis) != rows * stride || stride < x.size(-1)) return 0;
    rows *= x.size(axis);
  }
  return stride == 0 ? x.size(-1) : stride;
}

}  // namespace

bool has_channel_rows(const at::Tensor& x) {
  return x.device().is_cpu() && x.scalar_type() == at::kFloat && x.layout() == at::kStrided && x.dim() > 0 &&
         x.numel() > 0 && (x.stride(-1) == 1 || x.size(-1) == 1) && row_stride(x) > 0;
}

ChannelRows channel_rows(const at::Tensor& x, const char* what) {
  if (!has_channel_rows(x)) {
    throw InvalidArgument(c10::str(what, ": must get a float32 CPU tensor (..., channels) that is not empty and whose ",
                                   "rows lie at equal distances, got ", x.toString(), " ", x.sizes(), " with strides ",
                                   x.strides()));
  }
  return {x.const_data_ptr<float>(), x.numel() / x.size(-1), x.size(-1), row_stride(x)};
}

}  // namespace tandem::kernels
