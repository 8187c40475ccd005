#include "tandem/layers/recolouring_layer.h"

#include <ATen/ATen.h>

namespace tandem {

Config RecolouringLayer::get_config() const {
  return Config::object({{"data_format", "channels_last"},
                         {"factor", Config::List{factor_.low(), factor_.high()}},
                         {"value_range", Config::List{range_[0], range_[1]}},
                         {"seed", seed_to_config(seed())}});
}

Tensor RecolouringLayer::within_range(const Tensor& images) const { return images.clamp(range_[0], range_[1]); }

}  // namespace tandem
