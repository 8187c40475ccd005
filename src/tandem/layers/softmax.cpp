#include "tandem/layers/softmax.h"

#include <ATen/ATen.h>

#include "tandem/layers/input_axes.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

class SoftmaxLayer : public Layer {
 public:
  explicit SoftmaxLayer(Axes axis) : axis_(std::move(axis)) {}

  std::string class_name() const override { return "Softmax"; }
  Config get_config() const override { return Config::object({{"axis", axis_.to_config()}}); }

  void build(const Shape& input) override { input_axes(*this, axis_, input); }

  Shape output_shape(const Shape& input) override {
    input_axes(*this, axis_, input);
    return input;
  }

  Tensor call(const Tensor& x, const CallContext& context) override {
    const auto axes = input_axes(*this, axis_, Shape::of(x.sizes().vec()));
    if (axes.size() > 1) {
      const Tensor shares = at::exp(x - x.detach().amax(axes, /*keepdim=*/true));
      return shares / shares.sum(axes, /*keepdim=*/true);
    }
    Tensor out = at::softmax(x, axes[0]);
    if (context.logits && axes[0] == x.dim() - 1) context.logits->remember(out, x);
    return out;
  }

 private:
  Axes axis_;
};

}  // namespace

Softmax::Softmax(SoftmaxOptions options) : LayerHandle(make_remembered<SoftmaxLayer>(options.name, options.axis)) {}

Softmax Softmax::from_config(const Config& config) {
  return Softmax({.axis = Axes::from_config(config.get("axis", -1))});
}

}  // namespace tandem::layers
