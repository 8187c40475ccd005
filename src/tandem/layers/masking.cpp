#include "tandem/layers/masking.h"

#include <ATen/ATen.h>

#include "tandem/core/mask.h"

namespace tandem::layers {
namespace {

class MaskingLayer : public Layer {
 public:
  explicit MaskingLayer(double mask_value) : mask_value_(mask_value) {}

  std::string class_name() const override { return "Masking"; }
  bool supports_masking() const override { return true; }
  Config get_config() const override { return Config::object({{"mask_value", mask_value_}}); }

  Shape output_shape(const Shape& input) override {
    if (input.rank() < 2) throw_shape_error(*this, "input must have features behind the batch", input);
    return input;
  }

  Tensor call(const Tensor& x, const CallContext&) override {
    output_shape(Shape::of(x.sizes().vec()));
    const Tensor mask = counted(x);
    Tensor out = at::where(mask.unsqueeze(-1), x, at::zeros({}, x.options()));
    set_mask(out, mask);  // so that no one computes it again
    return out;
  }

  Tensors compute_mask(const Tensors& inputs, const Tensors&) override { return counted(inputs.front()); }

 private:
  Tensor counted(const Tensor& x) const { return x.detach().ne(mask_value_).any(-1); }

  double mask_value_;
};

}  // namespace

Masking::Masking(double mask_value, MaskingOptions options)
    : LayerHandle(make_remembered<MaskingLayer>(options.name, mask_value)) {}

Masking Masking::from_config(const Config& config) { return Masking(config.get("mask_value", 0.0).as_double()); }

}  // namespace tandem::layers
