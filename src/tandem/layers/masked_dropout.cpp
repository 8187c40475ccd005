#include "tandem/layers/masked_dropout.h"

#include "tandem/layers/noise_shape.h"

namespace tandem {

MaskedDropoutLayer::MaskedDropoutLayer(std::string class_name, double rate, Shape noise_shape, const Seed& seed)
    : class_name_(std::move(class_name)), rate_(rate), noise_shape_(std::move(noise_shape)), seed_(seed) {
  check_rate(class_name_, rate_);
  check_noise_shape(class_name_, noise_shape_);
}

Config MaskedDropoutLayer::get_config() const {
  return Config::object(
      {{"rate", rate_}, {"seed", seed_to_config(seed_)}, {"noise_shape", noise_shape_to_config(noise_shape_)}});
}

Shape MaskedDropoutLayer::output_shape(const Shape& input) {
  mask_shape(*this, noise_shape_, input);
  return input;
}

Tensor MaskedDropoutLayer::call(const Tensor& x, const CallContext& context) {
  if (!context.training || rate_ == 0) return x;
  const Shape shape = mask_shape(*this, noise_shape_, Shape::of(x.sizes().vec()));
  return drop(x, kept(shape, rate_, context, seed_, x, differs_by_row(noise_shape_)));
}

}  // namespace tandem
