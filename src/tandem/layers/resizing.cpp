#include "tandem/layers/resizing.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/layers/image_layer.h"
#include "tandem/layers/interpolation.h"
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
    const Tensor image = options_.crop_to_aspect_ratio ? cropped(x) : options_.pad_to_aspect_ratio ? padded(x) : x;
    return resize_image(image, height_, width_, interpolation_);
  }

  /// n times `target` over `other`, in float32 and cut to a whole number as Keras does.
  static int64_t in_ratio(int64_t n, int64_t target, int64_t other) {
    return static_cast<int64_t>(static_cast<float>(n * target) / static_cast<float>(other));
  }

  /// The largest window in the middle that has the target's shape.
  Tensor cropped(const Tensor& x) const {
    const int64_t height = x.size(1), width = x.size(2);
    const int64_t rows = std::clamp<int64_t>(in_ratio(width, height_, width_), 1, height);
    const int64_t columns = std::clamp<int64_t>(in_ratio(height, width_, height_), 1, width);
    return x.narrow(1, (height - rows) / 2, rows).narrow(2, (width - columns) / 2, columns).contiguous();
  }

  /// The image in the middle of a larger one of the target's shape; both ends get the same.
  Tensor padded(const Tensor& x) const {
    const int64_t rows = std::max<int64_t>(in_ratio(x.size(2), height_, width_) - x.size(1), 0) / 2;
    const int64_t columns = std::max<int64_t>(in_ratio(x.size(1), width_, height_) - x.size(2), 0) / 2;
    if (rows == 0 && columns == 0) return x;
    return to_channels_last(pad_image(to_channels_first(x), {rows, rows}, {columns, columns}, options_.fill_value));
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
