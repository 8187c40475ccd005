#pragma once
#include <limits>
#include <string>
#include <vector>

#include "tandem/layers/layer.h"

namespace tandem {

/// What layers of several inputs and one output share.
class MergingLayer : public Layer {
 public:
  void build_many(const Shapes& inputs) override { output_shapes(inputs); }

 protected:
  /// Throws InvalidArgument: "layer 'add' (Add): <must>, got <all shapes>".
  [[noreturn]] void throw_wrong_inputs(const std::string& must, const Shapes& inputs) const;
  static Shapes shapes_of(const Tensors& inputs);
};

/// What Add, Multiply, ... share: values that stand at the same place become one. As Keras does, axes of size 1 are
/// repeated, and an input of fewer axes than another gets axes of size 1 behind the batch. All inputs have the same
/// rows.
class ElementwiseMergeLayer : public MergingLayer {
 public:
  /// Takes from two to `most_inputs` inputs.
  explicit ElementwiseMergeLayer(int64_t most_inputs = std::numeric_limits<int64_t>::max())
      : most_inputs_(most_inputs) {}

  Shapes output_shapes(const Shapes& inputs) override;
  Tensors call_many(const Tensors& inputs, const CallContext& context) override;
  /// A step counts where it does in any input, and everywhere where an input has no mask.
  bool supports_masking() const override { return true; }
  Tensors compute_mask(const Tensors& inputs, const Tensors& masks) override;

 protected:
  /// Merges two or more inputs of one rank, whose shapes fit together and are `equal` or not. Leaves them as they are.
  virtual Tensor merge(const std::vector<Tensor>& inputs, bool equal) const = 0;

 private:
  int64_t most_inputs_;
};

/// The sum of two or more tensors that fit together; `equal`: of one shape, which saves memory.
Tensor sum_of(const std::vector<Tensor>& inputs, bool equal);

}  // namespace tandem
