#include "tandem/data/random_brightness.h"

#include <ATen/ATen.h>

#include <memory>
#include <utility>

#include "tandem/data/change_images.h"
#include "tandem/kernels/image_values.h"

namespace tandem::data {
namespace {

class RandomBrightnessTransform : public Transform {
 public:
  explicit RandomBrightnessTransform(const Range& range) : range_(range) {
    check_range(range, "RandomBrightness: the range");
  }

  Batch apply(Batch batch, std::span<const RandomStream> rows) const override {
    return change_images(std::move(batch), "RandomBrightness",
                         [&](std::size_t i, float* image, const kernels::ImageSize& size) {
                           kernels::brighten(image, size.count(), static_cast<float>(range_.at(rows[i].uniform_at(0))));
                         });
  }

  std::string class_name() const override { return "RandomBrightness"; }

 private:
  Range range_;
};

}  // namespace

RandomBrightness::RandomBrightness(const Range& range)
    : TransformHandle(std::make_shared<RandomBrightnessTransform>(range)) {}

}  // namespace tandem::data
