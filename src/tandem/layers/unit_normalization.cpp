#include "tandem/layers/unit_normalization.h"

#include <ATen/ATen.h>

#include "tandem/layers/input_axes.h"
#include "tandem/layers/l2_normalize.h"

namespace tandem::layers {
namespace {

class UnitNormalizationLayer : public Layer {
 public:
  explicit UnitNormalizationLayer(Axes axis) : axis_(std::move(axis)) {}

  std::string class_name() const override { return "UnitNormalization"; }
  Lowering lowering() const override { return Lowering::kOutputs; }
  bool supports_masking() const override { return true; }
  Config get_config() const override { return Config::object({{"axis", axis_.to_config()}}); }
  void build(const Shape& input) override { input_axes(*this, axis_, input); }

  Shape output_shape(const Shape& input) override {
    input_axes(*this, axis_, input);
    return input;
  }

  Tensor call(const Tensor& x, const CallContext&) override {
    constexpr double kEpsilon = 1e-12;  // Keras's for this layer
    return l2_normalize(x, input_axes(*this, axis_, Shape::of(x.sizes().vec())), kEpsilon);
  }

 private:
  Axes axis_;
};

}  // namespace

UnitNormalization::UnitNormalization(UnitNormalizationOptions options)
    : LayerHandle(make_remembered<UnitNormalizationLayer>(options.name, options.axis)) {}

UnitNormalization UnitNormalization::from_config(const Config& config) {
  return UnitNormalization({.axis = Axes::from_config(config.get("axis", -1))});
}

}  // namespace tandem::layers
