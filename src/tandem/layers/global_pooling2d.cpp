#include "tandem/layers/global_pooling2d.h"

namespace tandem {

Config GlobalPooling2DLayer::get_config() const {
  return Config::object({{"data_format", "channels_last"}, {"keepdims", keepdims_}});
}

Shape GlobalPooling2DLayer::shape_for(const Shape& images) const {
  return keepdims_ ? Shape{images[0], 1, 1, images[3]} : Shape{images[0], images[3]};
}

}  // namespace tandem
