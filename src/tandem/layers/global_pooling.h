#pragma once
#include <memory>
#include <string>

#include "tandem/layers/image_layer.h"
#include "tandem/layers/layer_handle.h"
#include "tandem/layers/pooling_options.h"
#include "tandem/layers/serialization.h"

namespace tandem {

/// The global pooling layers: one value a channel of (batch, spatial axes, channels), as (batch, channels) or, with
/// keepdims, with spatial axes of size 1.
class GlobalPoolingLayer : public ImageLayer {
 public:
  /// Reduces the axes.
  using Reduce = Tensor (*)(const Tensor& images, c10::IntArrayRef axes, bool keepdims);

  GlobalPoolingLayer(std::string class_name, Reduce reduce, std::size_t axes, bool keepdims)
      : ImageLayer(axes), class_name_(std::move(class_name)), reduce_(reduce), keepdims_(keepdims) {}

  std::string class_name() const override { return class_name_; }
  Config get_config() const override;

 protected:
  Shape shape_for(const Shape& images) const override;
  Tensor compute(const Tensor& images) const override;

 private:
  std::string class_name_;
  Reduce reduce_;
  bool keepdims_;
};

std::shared_ptr<Layer> make_global_max_pooling(const std::string& class_name, std::size_t axes,
                                               const layers::GlobalPoolingOptions& options);
std::shared_ptr<Layer> make_global_average_pooling(const std::string& class_name, std::size_t axes,
                                                   const layers::GlobalPoolingOptions& options);

/// Pooling: the handle's class.
template <class Pooling>
Pooling global_pooling_from(const Config& config, const std::string& class_name) {
  check_channels_last(config, class_name);
  return Pooling({.keepdims = config.get("keepdims", false).as_bool()});
}

}  // namespace tandem
