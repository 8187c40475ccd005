#pragma once
#include <optional>

#include "tandem/layers/layer_with_arguments.h"

namespace tandem {

/// A call of attention: which of its inputs is what, and its flags.
struct AttentionCall {
  int64_t query = 0, value = 1;
  std::optional<int64_t> key = {};  // the value where there is none
  std::optional<int64_t> attention_mask = {};
  bool with_scores = false;
  bool use_causal_mask = false;
};

/// Base of the attention layers: from the arguments of Keras's calls to what is asked for, and back.
class AttentionLayer : public LayerWithArguments {
 public:
  /// Throws DataError naming an argument that is not supported.
  virtual AttentionCall read_call(const CallArguments& arguments) const = 0;
  /// Throws InvalidArgument on what this layer's call does not take.
  virtual CallArguments arguments_of(const AttentionCall& call) const = 0;

  /// True when, as Keras, the layer takes the masks of its query, value and key away from who reads these after it.
  virtual bool takes_masks() const { return false; }

  Shapes output_shapes_for(const CallArguments& arguments, const Shapes& inputs) final;
  Tensors call_for(const CallArguments& arguments, const Tensors& inputs, const CallContext& context) final;
  Shapes shapes_to_build(const CallArguments& arguments, const Shapes& inputs) const final;
  CallArguments plain_arguments(std::size_t inputs) const final;
  /// The query's, for the output; scores have none.
  bool supports_masking() const final { return true; }
  Tensors compute_mask(const Tensors& /*inputs*/, const Tensors& masks) final { return masks.front(); }

 protected:
  struct InputShapes {
    const Shape &query, &value, &key;
  };
  /// Of the output, then of the scores. Throws InvalidArgument where shapes do not fit.
  virtual std::pair<Shape, Shape> attention_shapes(const InputShapes& inputs) = 0;
  struct Operands {
    const Tensor &query, &value, &key;
    bool has_key;
    Tensor attention_mask;  // undefined: none
    bool with_scores, use_causal_mask;
  };
  struct Attended {
    Tensor output, scores;
  };
  virtual Attended attend(const Operands& operands, const CallContext& context) = 0;

  /// Throws InvalidArgument: "layer 'attention' (Attention): <must>, got <shapes>".
  [[noreturn]] void throw_wrong_shapes(const std::string& must, const InputShapes& got) const;
};

}  // namespace tandem
