#include "tandem/data/random_flip.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/data/image_inputs.h"
#include "tandem/data/move_transform.h"
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

class RandomFlipTransform : public MoveTransform {
 public:
  explicit RandomFlipTransform(const std::string& mode)
      : horizontal_(mode.starts_with("horizontal")), vertical_(mode.ends_with("vertical")) {
    if (mode != "horizontal" && mode != "vertical" && mode != "horizontal_and_vertical") {
      throw_unknown_name("RandomFlip: mode", mode, {"horizontal", "vertical", "horizontal_and_vertical"});
    }
  }

  kernels::AffineMap draw(const RandomStream& row, const kernels::ImageSize& size) const override {
    kernels::AffineMap map;
    if (mirrors(row)) map = kernels::mirror_map(size);
    if (turns_over(row)) map = map.then(kernels::turn_over_map(size));
    return map;
  }

  const kernels::Fill* fill() const override { return nullptr; }

  // In place; bytes stay bytes.
  Batch apply(Batch batch, std::span<const RandomStream> rows) const override {
    for (Tensor* images : image_inputs(batch, "RandomFlip")) {
      const auto size = kernels::image_size(*images, "RandomFlip");
      const auto flip_all = [&](auto* image) {
        for (const RandomStream& row : rows) {
          if (mirrors(row)) kernels::flip_image(image, size);
          if (turns_over(row)) turn_over(image, size);
          image += size.count();
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

  std::string class_name() const override { return "RandomFlip"; }

 private:
  bool mirrors(const RandomStream& row) const { return horizontal_ && is_chosen(row, kLeftRight); }
  bool turns_over(const RandomStream& row) const { return vertical_ && is_chosen(row, kTopBottom); }

  bool horizontal_, vertical_;
};

}  // namespace

RandomFlip::RandomFlip(const std::string& mode) : TransformHandle(std::make_shared<RandomFlipTransform>(mode)) {}

}  // namespace tandem::data
