#include "tandem/layers/dropout.h"

#include <ATen/ATen.h>

#include "tandem/layers/noise.h"
#include "tandem/layers/noise_shape.h"

namespace tandem::layers {
namespace {

class DropoutLayer : public Layer {
 public:
  DropoutLayer(double rate, DropoutOptions options) : rate_(rate), options_(std::move(options)) {
    check_rate("Dropout", rate_);
    check_noise_shape("Dropout", options_.noise_shape);
  }

  std::string class_name() const override { return "Dropout"; }

  Config get_config() const override {
    return Config::object({{"rate", rate_},
                           {"seed", seed_to_config(options_.seed)},
                           {"noise_shape", noise_shape_to_config(options_.noise_shape)}});
  }

  Shape output_shape(const Shape& input) override {
    mask_shape(*this, options_.noise_shape, input);
    return input;
  }

  Tensor call(const Tensor& x, const CallContext& context) override {
    if (!context.training || rate_ == 0) return x;
    const Shape shape = mask_shape(*this, options_.noise_shape, Shape::of(x.sizes().vec()));
    const Tensor mask = kept(shape, rate_, context, options_.seed, x, differs_by_row(options_.noise_shape));
    return x * mask.mul_(1 / (1 - rate_));
  }

 private:
  double rate_;
  DropoutOptions options_;
};

}  // namespace

Dropout::Dropout(double rate, DropoutOptions options)
    : LayerHandle(make_remembered<DropoutLayer>(options.name, rate, options)) {}

Dropout Dropout::from_config(const Config& config) {
  return Dropout(config.at("rate").as_double(), {.noise_shape = noise_shape_from(config), .seed = seed_from(config)});
}

}  // namespace tandem::layers
