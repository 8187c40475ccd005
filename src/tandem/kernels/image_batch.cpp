#include "tandem/kernels/image_batch.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::kernels {

ImageSize image_size(const at::Tensor& images, const char* where) {
  if (!images.defined()) throw InvalidArgument(c10::str(where, ": images must be a tensor, got none"));
  const bool fits = images.dim() == 4 && images.device().is_cpu() && images.is_contiguous() && images.size(1) > 0 &&
                    images.size(2) > 0 && images.size(3) > 0 &&
                    (images.scalar_type() == at::kFloat || images.scalar_type() == at::kByte);
  if (!fits) {
    throw InvalidArgument(
        c10::str(where,
                 ": images must be a contiguous CPU tensor (rows, height, width, channels) of float32 "
                 "or uint8, got ",
                 images.is_contiguous() ? "" : "non-contiguous ", images.toString(), " ", images.sizes()));
  }
  return {.height = images.size(1), .width = images.size(2), .channels = images.size(3)};
}

}  // namespace tandem::kernels
