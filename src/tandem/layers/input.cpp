#include "tandem/layers/input.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {
namespace {

class InputLayer : public Layer {
 public:
  explicit InputLayer(Shape batch_shape) : batch_shape_(std::move(batch_shape)) {}
  std::string class_name() const override { return "InputLayer"; }
  Config get_config() const override { return Config::object({{"batch_shape", Config::list(batch_shape_.sizes())}}); }
  Tensor call(const Tensor& x, const CallContext&) override { return x; }

 private:
  Shape batch_shape_;
};

}  // namespace

KerasTensor Input(const Shape& shape, const InputOptions& options) {
  for (int64_t n : shape) {
    if (n == 0 || n < Shape::kUnknown)
      throw InvalidArgument(c10::str("Input: sizes must be positive or unknown (-1), got ", shape));
  }
  auto node = std::make_shared<Node>();
  const Shape batch_shape = shape.with_batch(options.batch_size);
  node->layer = make_remembered<InputLayer>(options.name, batch_shape);
  node->output_shapes = {batch_shape};
  node->device = DeviceScope::current();
  node->layer->ensure_built({batch_shape});
  return KerasTensor(node, 0);
}

}  // namespace tandem::layers
