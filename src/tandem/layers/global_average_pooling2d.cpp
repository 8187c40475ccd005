#include "tandem/layers/global_average_pooling2d.h"

#include <ATen/ATen.h>

#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

class GlobalAveragePooling2DLayer : public Layer {
 public:
  explicit GlobalAveragePooling2DLayer(bool keepdims) : keepdims_(keepdims) {}

  std::string class_name() const override { return "GlobalAveragePooling2D"; }
  Config get_config() const override {
    return Config::object({{"data_format", "channels_last"}, {"keepdims", keepdims_}});
  }

  void build(const Shape& input) override { check_rank(input.rank(), input); }

  Shape output_shape(const Shape& input) override {
    check_rank(input.rank(), input);
    return keepdims_ ? Shape{input[0], 1, 1, input[3]} : Shape{input[0], input[3]};
  }

  Tensor call(const Tensor& x, const CallContext&) override {
    if (x.dim() != 4) check_rank(x.dim(), Shape::of(x.sizes().vec()));
    return x.mean({1, 2}, keepdims_);
  }

 private:
  void check_rank(int64_t rank, const Shape& input) const {
    if (rank != 4) throw_shape_error(*this, "input must have rank 4 (batch, height, width, channels)", input);
  }

  bool keepdims_;
};

}  // namespace

GlobalAveragePooling2D::GlobalAveragePooling2D(GlobalAveragePooling2DOptions options)
    : LayerHandle(make_remembered<GlobalAveragePooling2DLayer>(options.name, options.keepdims)) {}

GlobalAveragePooling2D GlobalAveragePooling2D::from_config(const Config& config) {
  check_channels_last(config, "GlobalAveragePooling2D");
  return GlobalAveragePooling2D({.keepdims = config.get("keepdims", false).as_bool()});
}

}  // namespace tandem::layers
