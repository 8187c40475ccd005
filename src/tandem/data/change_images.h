#pragma once
#include <cstddef>

#include "tandem/data/batch.h"
#include "tandem/data/image_inputs.h"
#include "tandem/kernels/image_batch.h"

namespace tandem::data {

/// Makes the batch's images float32 and calls change(i, image, size) for the first value of row i's image, once for
/// each input that holds images. Throws InvalidArgument, beginning with `where`, when no input does.
template <class Change>
Batch change_images(Batch batch, const char* where, const Change& change) {
  for (Tensor* images : image_inputs(batch, where)) {
    *images = images->to(at::kFloat);
    const auto size = kernels::image_size(*images, where);
    float* image = images->mutable_data_ptr<float>();
    for (int64_t i = 0; i < images->size(0); ++i, image += size.count())
      change(static_cast<std::size_t>(i), image, size);
  }
  return batch;
}

}  // namespace tandem::data
