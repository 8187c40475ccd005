#include "tandem/layers/softmax.h"

#include <ATen/ATen.h>

#include "tandem/core/mask.h"
#include "tandem/layers/input_axes.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

class SoftmaxLayer : public Layer {
 public:
  explicit SoftmaxLayer(Axes axis) : axis_(std::move(axis)) {}

  std::string class_name() const override { return "Softmax"; }
  Lowering lowering() const override { return Lowering::kOutputs; }
  bool supports_masking() const override { return true; }
  Config get_config() const override { return Config::object({{"axis", axis_.to_config()}}); }

  void build(const Shape& input) override { input_axes(*this, axis_, input); }

  Shape output_shape(const Shape& input) override {
    input_axes(*this, axis_, input);
    return input;
  }

  Tensor call(const Tensor& input, const CallContext& context) override {
    const auto axes = input_axes(*this, axis_, Shape::of(input.sizes().vec()));
    const Tensor x = without_masked(input);
    if (axes.size() > 1) {
      const Tensor shares = at::exp(x - x.detach().amax(axes, /*keepdim=*/true));
      return shares / shares.sum(axes, /*keepdim=*/true);
    }
    Tensor out = at::softmax(x, axes[0]);
    if (context.logits && axes[0] == x.dim() - 1) context.logits->remember(out, x);
    return out;
  }

 private:
  // What the mask leaves out is so small that it gets no share.
  Tensor without_masked(const Tensor& x) const {
    const Tensor mask = mask_of(x);
    if (!mask.defined()) return x;
    if (mask.dim() != x.dim())
      throw_shape_error(*this, "the input's mask must have the input's shape", Shape::of(mask.sizes().vec()));
    return x.masked_fill(mask.logical_not(), -1e9);
  }

  Axes axis_;
};

}  // namespace

Softmax::Softmax(SoftmaxOptions options) : LayerHandle(make_remembered<SoftmaxLayer>(options.name, options.axis)) {}

Softmax Softmax::from_config(const Config& config) {
  return Softmax({.axis = Axes::from_config(config.get("axis", -1))});
}

}  // namespace tandem::layers
