#include "tandem/layers/flatten.h"

#include <ATen/ATen.h>

#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

class FlattenLayer : public Layer {
 public:
  std::string class_name() const override { return "Flatten"; }
  Config get_config() const override { return Config::object({{"data_format", "channels_last"}}); }

  Shape output_shape(const Shape& input) override {
    if (input.empty()) throw_shape_error(*this, "input must have a batch axis", input);
    const Shape row = input.without_batch();
    return {input[0], row.is_known() ? row.count() : Shape::kUnknown};
  }

  Tensor call(const Tensor& x, const CallContext&) override {
    if (x.dim() == 0) throw_shape_error(*this, "input must have a batch axis", {});
    return x.dim() == 1 ? x.unsqueeze(1) : x.flatten(1);
  }
};

}  // namespace

Flatten::Flatten(FlattenOptions options) : LayerHandle(make_remembered<FlattenLayer>(options.name)) {}

Flatten Flatten::from_config(const Config& config) {
  check_channels_last(config, "Flatten");
  return Flatten();
}

}  // namespace tandem::layers
