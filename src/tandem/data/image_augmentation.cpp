#include "tandem/data/image_augmentation.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/data/image_inputs.h"
#include "tandem/kernels/affine_map.h"
#include "tandem/kernels/fill_mode.h"
#include "tandem/kernels/image_values.h"
#include "tandem/kernels/image_warp.h"

namespace tandem::data {
namespace {

// Elements of a row's stream: a number keeps its place whatever else is asked for.
enum Element : std::size_t {
  kRotation,
  kHeight,
  kWidth,
  kShear,
  kZoomX,
  kZoomY,
  kMirror,
  kTurn,
  kChannel,
  kBright,
  kAll
};

using Drawn = std::array<float, kAll>;

double shift_in_pixels(double range, int64_t pixels, double drawn) {
  return Range::around_zero(range < 1 ? range * static_cast<double>(pixels) : range).at(drawn);
}

class ImageAugmentationTransform : public Transform {
 public:
  explicit ImageAugmentationTransform(const ImageAugmentationOptions& options)
      : options_(options),
        fill_{.mode = kernels::fill_mode(options.fill_mode), .value = static_cast<float>(options.cval)} {
    check_spread(options.rotation_range, "ImageAugmentation: rotation_range");
    check_spread(options.width_shift_range, "ImageAugmentation: width_shift_range");
    check_spread(options.height_shift_range, "ImageAugmentation: height_shift_range");
    check_spread(options.shear_range, "ImageAugmentation: shear_range");
    check_spread(options.channel_shift_range, "ImageAugmentation: channel_shift_range");
    check_zoom(options.zoom_range, "ImageAugmentation: zoom_range");
    if (options.brightness_range) check_range(*options.brightness_range, "ImageAugmentation: brightness_range");
    if (!std::isfinite(options.rescale) || options.rescale == 0) {
      throw InvalidArgument(
          c10::str("ImageAugmentation: rescale must be a number other than 0, got ", options.rescale));
    }
  }

  Batch apply(Batch batch, std::span<const RandomStream> rows) const override {
    for (Tensor* images : image_inputs(batch, "ImageAugmentation")) {
      const auto size = kernels::image_size(*images, "ImageAugmentation");
      Tensor changed = at::empty(images->sizes(), at::kFloat);
      float* to = changed.mutable_data_ptr<float>();
      kernels::with_pixels(*images, [&](const auto* from) {
        for (const RandomStream& row : rows) {
          Drawn drawn;
          row.uniform(drawn);
          kernels::warp_image(from, to, size, map(drawn, size), fill_);
          change_values(drawn, to, size.count());
          from += size.count();
          to += size.count();
        }
      });
      *images = std::move(changed);
    }
    return batch;
  }

  std::string class_name() const override { return "ImageAugmentation"; }

 private:
  kernels::AffineMap map(const Drawn& drawn, const kernels::ImageSize& size) const {
    const kernels::AffineParameters parameters{
        .theta = Range::around_zero(options_.rotation_range).at(drawn[kRotation]),
        .tx = shift_in_pixels(options_.height_shift_range, size.height, drawn[kHeight]),
        .ty = shift_in_pixels(options_.width_shift_range, size.width, drawn[kWidth]),
        .shear = Range::around_zero(options_.shear_range).at(drawn[kShear]),
        .zx = options_.zoom_range.at(drawn[kZoomX]),
        .zy = options_.zoom_range.at(drawn[kZoomY])};
    kernels::AffineMap map = kernels::affine_map(parameters, kernels::keras_middle(size));
    if (options_.horizontal_flip && drawn[kMirror] < 0.5F) map = map.then(kernels::mirror_map(size));
    if (options_.vertical_flip && drawn[kTurn] < 0.5F) map = map.then(kernels::turn_over_map(size));
    return map;
  }

  void change_values(const Drawn& drawn, float* image, int64_t count) const {
    if (options_.channel_shift_range > 0) {
      const auto range = Range::around_zero(options_.channel_shift_range);
      kernels::shift_values(image, count, static_cast<float>(range.at(drawn[kChannel])));
    }
    if (options_.brightness_range)
      kernels::brighten(image, count, static_cast<float>(options_.brightness_range->at(drawn[kBright])));
    if (options_.rescale != 1) {
      const auto factor = static_cast<float>(options_.rescale);
      for (int64_t k = 0; k < count; ++k) image[k] *= factor;
    }
  }

  ImageAugmentationOptions options_;
  kernels::Fill fill_;
};

}  // namespace

ImageAugmentation::ImageAugmentation(const ImageAugmentationOptions& options)
    : TransformHandle(std::make_shared<ImageAugmentationTransform>(options)) {}

}  // namespace tandem::data
