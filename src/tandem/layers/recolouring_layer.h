#pragma once
#include <array>
#include <string>

#include "tandem/layers/random_image_layer.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/value_range.h"

namespace tandem {

/// What the random image layers share that change values by a drawn factor, within the range of values.
class RecolouringLayer : public RandomImageLayer {
 public:
  /// Options with value_range and seed. Throws InvalidArgument naming `layer` when the factor leaves [low, high].
  template <class Options>
  RecolouringLayer(const std::string& layer, const RandomRange& factor, double low, double high, const Options& options)
      : RandomImageLayer(options.seed), factor_(factor), range_(options.value_range) {
    factor_.check(layer + ": factor", low, high);
    check_value_range(layer, range_);
  }

  Config get_config() const final;

 protected:
  const RandomRange& factor() const { return factor_; }
  double range() const { return range_[1] - range_[0]; }
  Tensor within_range(const Tensor& images) const;

 private:
  RandomRange factor_;
  std::array<double, 2> range_;
};

/// The handle from such a layer's config. Throws InvalidArgument naming `layer` on settings that are not supported.
template <class Handle, class Options>
Handle recolouring_from(const Config& config, const std::string& layer) {
  check_channels_last(config, layer);
  refuse_settings(config, layer, {"bounding_box_format"});
  Options options;
  options.value_range = value_range_from(config);
  options.seed = seed_from(config);
  return Handle(RandomRange::from_config(config.at("factor")), options);
}

}  // namespace tandem
