#include "tandem/layers/input.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/layer_handle.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/shape_config.h"

namespace tandem::layers {
namespace {

class InputLayer : public Layer {
 public:
  InputLayer(Shape batch_shape, std::string dtype) : batch_shape_(std::move(batch_shape)), dtype_(std::move(dtype)) {
    if (dtype_ != "float32" && dtype_ != "int32" && dtype_ != "int64")
      throw InvalidArgument(c10::str("Input: dtype must be float32, int32 or int64, got ", dtype_));
  }

  std::string class_name() const override { return "InputLayer"; }
  Lowering lowering() const override { return Lowering::kNone; }
  Config get_config() const override {
    return Config::object({{"batch_shape", shape_to_config(batch_shape_)},
                           {"dtype", dtype_},
                           {"sparse", false},
                           {"ragged", false},
                           {"optional", false}});
  }

  // As Keras converts what a model is given: half precision alone stays as it is.
  Tensor call(const Tensor& x, const CallContext&) override {
    if (dtype_ != "float32") return x.to(dtype_ == "int32" ? at::kInt : at::kLong);
    return x.scalar_type() == at::kDouble || at::isIntegralType(x.scalar_type(), true) ? x.to(at::kFloat) : x;
  }

 private:
  Shape batch_shape_;
  std::string dtype_;
};

}  // namespace

KerasTensor Input(const Shape& shape, const InputOptions& options) {
  for (int64_t n : shape) {
    if (n == 0 || n < Shape::kUnknown)
      throw InvalidArgument(c10::str("Input: sizes must be positive or unknown (-1), got ", shape));
  }
  auto node = std::make_shared<Node>();
  const Shape batch_shape = shape.with_batch(options.batch_size);
  node->layer = make_remembered<InputLayer>(options.name, batch_shape, options.dtype);
  node->output_shapes = {batch_shape};
  node->device = DeviceScope::current();
  node->layer->ensure_built({batch_shape});
  return KerasTensor(node, 0);
}

KerasTensor input_from_config(const Config& config) {
  refuse_settings(config, "InputLayer", {"sparse", "ragged", "optional"});
  const Shape batch_shape =
      shape_from_config(config.contains("batch_shape") ? config.at("batch_shape") : config.at("batch_input_shape"));
  if (batch_shape.empty()) throw DataError("InputLayer: batch_shape must have a batch axis, got []");
  const Config dtype = config.get("dtype", {}), name = config.get("name", {});
  return Input(batch_shape.without_batch(), {.batch_size = batch_shape[0],
                                             .dtype = dtype.is_null() ? "float32" : dtype.as_string(),
                                             .name = name.is_null() ? "" : name.as_string()});
}

}  // namespace tandem::layers
