#include "tandem/layers/rescaling.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <cmath>

#include "tandem/core/error.h"
#include "tandem/layers/serialization.h"

namespace tandem {

PerChannel PerChannel::from_config(const Config& config) {
  // A numpy array: {"class_name": "__numpy__", "config": {"value": ..., "dtype": ...}}.
  if (config.is_object()) return from_config(config.at("config").at("value"));
  if (!config.is_list()) return config.as_double();
  std::vector<double> numbers;
  for (const auto& number : config.as_list()) numbers.push_back(number.as_double());
  return numbers;
}

Config PerChannel::to_config() const {
  return one_ ? Config(numbers_.front()) : Config(Config::List(numbers_.begin(), numbers_.end()));
}

namespace layers {
namespace {

class RescalingLayer : public Layer {
 public:
  RescalingLayer(PerChannel scale, PerChannel offset) : scale_(std::move(scale)), offset_(std::move(offset)) {
    check("scale", scale_);
    check("offset", offset_);
    scales_ = as_tensor(scale_);
    offsets_ = as_tensor(offset_);
  }

  std::string class_name() const override { return "Rescaling"; }
  Lowering lowering() const override { return Lowering::kOutputs; }
  bool supports_masking() const override { return true; }
  Config get_config() const override {
    return Config::object({{"scale", scale_.to_config()}, {"offset", offset_.to_config()}});
  }

  void build(const Shape& input) override { check_channels(input); }

  Shape output_shape(const Shape& input) override {
    check_channels(input);
    return input;
  }

  Tensor call(const Tensor& x, const CallContext&) override {
    if (!(scale_.one() && offset_.one())) check_channels(Shape::of(x.sizes().vec()));
    const Tensor in = x.is_floating_point() ? x : x.to(at::kFloat);
    const auto alike = [&](const Tensor& t) { return t.to(in.device(), in.scalar_type()); };
    // Each in one pass over the values.
    if (scale_.one()) return at::add(alike(offsets_), in, scale_.numbers().front());
    return at::addcmul(alike(offsets_), in, alike(scales_));
  }

 private:
  static void check(const char* what, const PerChannel& numbers) {
    for (const double n : numbers.numbers()) {
      if (!std::isfinite(n)) throw InvalidArgument(c10::str("Rescaling: ", what, " must be finite, got ", n));
    }
    if (numbers.numbers().empty()) throw InvalidArgument(c10::str("Rescaling: ", what, " must not be an empty list"));
  }

  static Tensor as_tensor(const PerChannel& numbers) {
    const Tensor all = at::tensor(numbers.numbers(), at::kFloat);
    return numbers.one() ? all[0] : all;
  }

  void check_channels(const Shape& input) const {
    for (const auto& [what, numbers] : {std::pair("scale", &scale_), std::pair("offset", &offset_)}) {
      if (numbers->one()) continue;
      const auto count = static_cast<int64_t>(numbers->numbers().size());
      if (input.rank() >= 2 && (input.back() == count || input.back() == Shape::kUnknown)) continue;
      throw_shape_error(*this,
                        c10::str("the last axis of the input must be as long as the list of ", what, "s (", count, ")"),
                        input);
    }
  }

  PerChannel scale_, offset_;
  Tensor scales_, offsets_;  // the same as float32, () or (channels,)
};

}  // namespace

Rescaling::Rescaling(PerChannel scale, RescalingOptions options)
    : LayerHandle(make_remembered<RescalingLayer>(options.name, std::move(scale), options.offset)) {}

Rescaling::Rescaling(std::initializer_list<double> scale, RescalingOptions options)
    : Rescaling(PerChannel(scale), std::move(options)) {}

Rescaling Rescaling::from_config(const Config& config) {
  return Rescaling(PerChannel::from_config(config.at("scale")),
                   {.offset = PerChannel::from_config(config.get("offset", 0.0))});
}

}  // namespace layers
}  // namespace tandem
