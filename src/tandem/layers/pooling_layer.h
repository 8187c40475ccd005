#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tandem/layers/image_layer.h"
#include "tandem/layers/layer_handle.h"
#include "tandem/layers/pooling.h"
#include "tandem/layers/pooling_options.h"
#include "tandem/layers/serialization.h"

namespace tandem {

/// The max and average pooling layers: a window that moves over the spatial axes.
class PoolingLayer : public ImageLayer {
 public:
  using Pool = Tensor (*)(const Tensor& image, const Windows& windows, Padding padding);

  /// Strides that are not given are the pool size. Throws InvalidArgument on sizes that are not positive or an unknown
  /// padding.
  PoolingLayer(std::string class_name, Pool pool, const std::vector<int64_t>& pool_size,
               const std::vector<int64_t>& strides, const std::string& padding);

  std::string class_name() const override { return class_name_; }
  Config get_config() const override;

 protected:
  Shape shape_for(const Shape& images) const override;
  Tensor compute(const Tensor& images) const override;

 private:
  std::string class_name_;
  Pool pool_;
  Windows windows_;
  Padding padding_;
};

template <std::size_t kRank>
std::shared_ptr<Layer> make_pooling(const std::string& class_name, PoolingLayer::Pool pool,
                                    const SpatialSize<kRank>& pool_size,
                                    const layers::PoolingOptions<SpatialSize<kRank>>& options) {
  return make_remembered<PoolingLayer>(options.name, class_name, pool, pool_size.numbers(), options.strides.numbers(),
                                       options.padding);
}

/// Pooling: the handle's class.
template <class Pooling, std::size_t kRank>
Pooling pooling_from(const Config& config, const std::string& class_name) {
  using Size = SpatialSize<kRank>;
  check_channels_last(config, class_name);
  return Pooling(size_from(config, "pool_size", Size(2)), {.strides = size_from(config, "strides", Size()),
                                                           .padding = config.get("padding", "valid").as_string()});
}

}  // namespace tandem
