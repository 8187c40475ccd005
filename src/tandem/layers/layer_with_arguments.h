#pragma once
#include <string>
#include <vector>

#include "tandem/layers/call_arguments.h"
#include "tandem/layers/layer.h"

namespace tandem {

/// Base of the layers whose call takes more than tensors, or tensors by name: attention, operations. What a call is
/// given is the call's own and is kept with the graph's node.
class LayerWithArguments : public Layer {
 public:
  /// Throw InvalidArgument naming the shapes, or DataError naming the argument, where they do not fit.
  virtual Shapes output_shapes_for(const CallArguments& arguments, const Shapes& inputs) = 0;
  virtual Tensors call_for(const CallArguments& arguments, const Tensors& inputs, const CallContext& context) = 0;
  /// Those of a call's inputs that the layer is built for.
  virtual Shapes shapes_to_build(const CallArguments& arguments, const Shapes& inputs) const = 0;
  /// The arguments of a call on `inputs` tensors and nothing else.
  virtual CallArguments plain_arguments(std::size_t inputs) const = 0;
  /// Keras's names of the shapes in its build_config; none: "input_shape".
  virtual std::vector<std::string> build_names() const { return {}; }

  Shapes output_shapes(const Shapes& inputs) final { return output_shapes_for(plain_arguments(inputs.size()), inputs); }
  Tensors call_many(const Tensors& inputs, const CallContext& context) final {
    return call_for(plain_arguments(static_cast<std::size_t>(inputs.size())), inputs, context);
  }
};

}  // namespace tandem
