#include "tandem/layers/resizing.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/layers/image_layer.h"
#include "tandem/layers/interpolation.h"
#include "tandem/layers/middle.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/window.h"

namespace tandem::layers {
namespace {

class ResizingLayer : public ImageLayer {
 public:
  ResizingLayer(int64_t height, int64_t width, ResizingOptions options)
      : height_(height),
        width_(width),
        options_(std::move(options)),
        interpolation_(parse_interpolation("Resizing", options_.interpolation)) {
    if (height_ <= 0 || width_ <= 0) {
      throw InvalidArgument(c10::str("Resizing: height and width must be positive, got ", height_, " and ", width_));
    }
    if (options_.crop_to_aspect_ratio && options_.pad_to_aspect_ratio) {
      throw InvalidArgument("Resizing: crop_to_aspect_ratio and pad_to_aspect_ratio must not both be true");
    }
    if (options_.fill_mode != "constant") {
      throw InvalidArgument(c10::str("Resizing: fill_mode must be 'constant', got '", options_.fill_mode, "'"));
    }
    if (options_.antialias) throw InvalidArgument("Resizing: antialias is not supported and must be false");
  }

  std::string class_name() const override { return "Resizing"; }
  Lowering lowering() const override { return Lowering::kOutputs; }
  Config get_config() const override {
    return Config::object({{"height", height_},
                           {"width", width_},
                           {"interpolation", to_string(interpolation_)},
                           {"crop_to_aspect_ratio", options_.crop_to_aspect_ratio},
                           {"pad_to_aspect_ratio", options_.pad_to_aspect_ratio},
                           {"fill_mode", options_.fill_mode},
                           {"fill_value", options_.fill_value},
                           {"antialias", options_.antialias},
                           {"data_format", "channels_last"}});
  }

 protected:
  Shape shape_for(const Shape& images) const override { return {images[0], height_, width_, images[3]}; }

  Tensor compute(const Tensor& images) const override {
    if (images.is_floating_point()) return resized(images);
    return resized(images.to(at::kFloat)).round_().to(images.scalar_type());
  }

 private:
  Tensor resized(const Tensor& x) const {
    const Tensor image = options_.crop_to_aspect_ratio  ? middle_in_ratio(x, height_, width_)
                         : options_.pad_to_aspect_ratio ? padded(x)
                                                        : x;
    return resize_image(image, height_, width_, interpolation_);
  }

  /// The image in the middle of a larger one of the target's shape; both ends get the same.
  Tensor padded(const Tensor& x) const {
    const int64_t rows = std::max<int64_t>(size_in_ratio(x.size(2), height_, width_) - x.size(1), 0) / 2;
    const int64_t columns = std::max<int64_t>(size_in_ratio(x.size(1), width_, height_) - x.size(2), 0) / 2;
    if (rows == 0 && columns == 0) return x;
    return to_channels_last(pad_image(to_channels_first(x), {{rows, rows}, {columns, columns}}, options_.fill_value));
  }

  int64_t height_, width_;
  ResizingOptions options_;
  Interpolation interpolation_;
};

}  // namespace

Resizing::Resizing(int64_t height, int64_t width, ResizingOptions options)
    : LayerHandle(make_remembered<ResizingLayer>(options.name, height, width, options)) {}

Resizing Resizing::from_config(const Config& config) {
  check_channels_last(config, "Resizing");
  refuse_settings(config, "Resizing", {"bounding_box_format"});
  return Resizing(config.at("height").as_int(), config.at("width").as_int(),
                  {.interpolation = config.get("interpolation", "bilinear").as_string(),
                   .crop_to_aspect_ratio = config.get("crop_to_aspect_ratio", false).as_bool(),
                   .pad_to_aspect_ratio = config.get("pad_to_aspect_ratio", false).as_bool(),
                   .fill_mode = config.get("fill_mode", "constant").as_string(),
                   .fill_value = config.get("fill_value", 0.0).as_double(),
                   .antialias = config.get("antialias", false).as_bool()});
}

}  // namespace tandem::layers
