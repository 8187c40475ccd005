#include "tandem/kernels/image_channels.h"

#include <ATen/ops/empty.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/kernels/image_batch.h"

namespace tandem::kernels {

at::Tensor repeat_channels(const at::Tensor& images, int64_t channels) {
  const ImageSize size = image_size(images, "repeat_channels");
  if (size.channels != 1 || channels < 1) {
    throw InvalidArgument(c10::str("repeat_channels: one channel can be repeated at least once, got ", size.channels,
                                   " channels to become ", channels));
  }
  at::Tensor repeated = at::empty({images.size(0), size.height, size.width, channels}, at::kFloat);
  with_pixels(images, [&](const auto* from) {
    repeat_channels(from, repeated.mutable_data_ptr<float>(), images.numel(), channels);
  });
  return repeated;
}

}  // namespace tandem::kernels
