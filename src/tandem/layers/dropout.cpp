#include "tandem/layers/dropout.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::layers {
namespace {

class DropoutLayer : public Layer {
 public:
  DropoutLayer(double rate, DropoutOptions options) : rate_(rate), options_(std::move(options)) {
    if (!(rate_ >= 0 && rate_ < 1)) throw InvalidArgument(c10::str("Dropout: rate must be in [0, 1), got ", rate_));
    for (int64_t n : options_.noise_shape) {
      if (n < -1 || n == 0)
        throw InvalidArgument(c10::str("Dropout: noise_shape must hold sizes or -1, got ", options_.noise_shape));
    }
  }

  std::string class_name() const override { return "Dropout"; }

  Config get_config() const override {
    Config noise_shape;
    if (!options_.noise_shape.empty()) {
      Config::List sizes;
      for (int64_t n : options_.noise_shape) sizes.push_back(n == Shape::kUnknown ? Config() : Config(n));
      noise_shape = sizes;
    }
    return Config::object(
        {{"rate", rate_}, {"seed", options_.seed ? Config(*options_.seed) : Config()}, {"noise_shape", noise_shape}});
  }

  Shape output_shape(const Shape& input) override {
    mask_shape(input);
    return input;
  }

  Tensor call(const Tensor& x, const CallContext& context) override {
    if (!context.training || rate_ == 0) return x;
    const Shape shape = mask_shape(Shape::of(x.sizes().vec()));
    // A mask with one row for all is the same wherever the rows begin.
    const bool by_row = options_.noise_shape.empty() || options_.noise_shape[0] != 1;
    const auto first = by_row ? static_cast<uint64_t>(context.first_row * shape.without_batch().count()) : 0;
    const RandomStream random =
        options_.seed ? context.random.fold(static_cast<uint64_t>(*options_.seed)) : context.random;
    Tensor mask = random.uniform(shape, first);
    mask.ge_(rate_).mul_(1 / (1 - rate_));
    return x * mask.to(x.options().requires_grad(false));
  }

 private:
  Shape mask_shape(const Shape& input) const {
    if (options_.noise_shape.empty()) return input;
    Shape mask = options_.noise_shape;
    bool fits = mask.rank() == input.rank();
    for (int64_t i = 0; fits && i < mask.rank(); ++i) {
      if (mask[i] == Shape::kUnknown) mask[i] = input[i];
      fits = mask[i] == 1 || mask[i] == input[i] || input[i] == Shape::kUnknown;
    }
    if (!fits) throw_shape_error(*this, c10::str("input must fit noise_shape ", options_.noise_shape), input);
    return mask;
  }

  double rate_;
  DropoutOptions options_;
};

}  // namespace

Dropout::Dropout(double rate, DropoutOptions options)
    : LayerHandle(make_remembered<DropoutLayer>(options.name, rate, options)) {}

Dropout Dropout::from_config(const Config& config) {
  DropoutOptions options;
  if (const Config sizes = config.get("noise_shape", {}); !sizes.is_null()) {
    std::vector<int64_t> noise_shape;
    for (const auto& n : sizes.as_list()) noise_shape.push_back(n.is_null() ? Shape::kUnknown : n.as_int());
    options.noise_shape = Shape::of(noise_shape);
  }
  if (const Config seed = config.get("seed", {}); !seed.is_null()) options.seed = seed.as_int();
  return Dropout(config.at("rate").as_double(), options);
}

}  // namespace tandem::layers
