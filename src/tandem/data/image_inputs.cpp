#include "tandem/data/image_inputs.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"

namespace tandem::data {

std::vector<Tensor*> image_inputs(Batch& batch, const char* where) {
  std::vector<Tensor*> images;
  for (Tensor& x : batch.x) {
    if (x.dim() != 4) continue;
    x = (x.scalar_type() == at::kByte ? x : x.to(at::kFloat)).contiguous();
    images.push_back(&x);
  }
  if (images.empty()) {
    throw InvalidArgument(c10::str(where, ": an input must hold images (rows, height, width, channels), got ",
                                   batch.x.empty() ? "no inputs" : Shape::of(batch.x[0].sizes().vec()).to_string()));
  }
  return images;
}

}  // namespace tandem::data
