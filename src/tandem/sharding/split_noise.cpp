// Layers that multiply by random numbers, on divided values: each rank draws the numbers of the whole and takes its
// own.
#include <ATen/ATen.h>

#include "tandem/sharding/split_layer.h"

namespace tandem::sharding {
namespace {

class PartOfNoise final : public Layer {
 public:
  PartOfNoise(std::shared_ptr<Layer> layer, const Division& division, const Place& place)
      : layer_(std::move(layer)), division_(division), place_(place) {}

  std::string class_name() const override { return layer_->class_name(); }
  bool supports_masking() const override { return true; }
  Shape output_shape(const Shape& input) override { return input; }

  Tensor call(const Tensor& x, const CallContext& context) override {
    if (!context.training) return x;
    auto sizes = x.sizes().vec();
    sizes.back() = division_.length();
    // They multiply: what they make of ones are their factors.
    const Tensor factors = layer_->call(at::ones(sizes, x.options().requires_grad(false)), context);
    return x * part_of(factors, -1, division_, place_);
  }

 private:
  std::shared_ptr<Layer> layer_;  // has no weights
  Division division_;
  Place place_;
};

}  // namespace

SplitOrReason split_noise(const SplitCall& call) {
  const auto& in = call.inputs.front();
  if (in.whole()) return "its input is whole";
  const auto own = std::make_shared<PartOfNoise>(call.layer, in, call.place);
  own->set_name(call.layer->name());
  own->set_dtype_policy(call.layer->dtype_policy());
  return SplitLayer{.how = "its columns of the whole's draws", .takes = in, .layer = own, .gives = in};
}

}  // namespace tandem::sharding
