#include "tandem/data/random_flip.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/data/image_inputs.h"
#include "tandem/kernels/image_batch.h"
#include "tandem/kernels/image_flip.h"

namespace tandem::data {
namespace {

// Elements of a row's stream.
constexpr uint64_t kLeftRight = 0, kTopBottom = 1;

bool is_chosen(const RandomStream& row, uint64_t element) { return row.uniform_at(element) < 0.5F; }

template <class T>
void turn_over(T* image, const kernels::ImageSize& size) {
  T* top = image;
  T* bottom = image + (size.height - 1) * size.row();
  for (; top < bottom; top += size.row(), bottom -= size.row()) std::swap_ranges(top, top + size.row(), bottom);
}

}  // namespace

RandomFlip::RandomFlip(const std::string& mode) : TransformHandle(std::make_shared<RandomFlipTransform>(mode)) {}

RandomFlipTransform::RandomFlipTransform(const std::string& mode)
    : horizontal_(mode.starts_with("horizontal")), vertical_(mode.ends_with("vertical")) {
  if (mode != "horizontal" && mode != "vertical" && mode != "horizontal_and_vertical") {
    throw_unknown_name("RandomFlip: mode", mode, {"horizontal", "vertical", "horizontal_and_vertical"});
  }
}

std::vector<bool> RandomFlipTransform::mirrored(std::span<const RandomStream> rows) const {
  std::vector<bool> out;
  for (const RandomStream& row : rows) out.push_back(horizontal_ && is_chosen(row, kLeftRight));
  return out;
}

Batch RandomFlipTransform::apply(Batch batch, std::span<const RandomStream> rows) const {
  const auto left_right = mirrored(rows);
  for (Tensor* images : image_inputs(batch, "RandomFlip")) {
    const auto size = kernels::image_size(*images, "RandomFlip");
    const auto flip_all = [&](auto* image) {
      for (std::size_t i = 0; i < rows.size(); ++i, image += size.count()) {
        if (left_right[i]) kernels::flip_image(image, size);
        if (vertical_ && is_chosen(rows[i], kTopBottom)) turn_over(image, size);
      }
    };
    if (images->scalar_type() == at::kByte) {
      flip_all(images->mutable_data_ptr<uint8_t>());
    } else {
      flip_all(images->mutable_data_ptr<float>());
    }
  }
  return batch;
}

}  // namespace tandem::data
