#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/core/device.h"
#include "tandem/core/shape.h"
#include "tandem/core/tensor.h"
#include "tandem/layers/call_context.h"
#include "tandem/layers/layer_names.h"
#include "tandem/layers/weight.h"
#include "tandem/precision/dtype_policy.h"

namespace tandem {

class LayerHandle;

/// What a mixed DTypePolicy means for a kind of layer.
enum class Lowering {
  /// Inputs and weights are cast to 16 bits: products, and what goes element by element.
  kAll,
  /// It computes in float32, and its outputs are cast: statistics, exponentials, long recurrences.
  kOutputs,
  /// Nothing: it hands on to layers that have policies of their own, or has no numbers of its own to round.
  kNone,
};

/// Base of all layers, built in or a user's own, as keras.layers.Layer. A layer declares weights in build and computes
/// in call; it knows nothing of devices, replicas, losses or optimizers. All shapes are channels-last with the batch in
/// front.
///
/// A layer with one input and one output overrides build, call and (unless a dry run may find it) output_shape. A layer
/// with several overrides build_many, call_many and output_shapes.
class Layer : public std::enable_shared_from_this<Layer> {
 public:
  Layer();
  virtual ~Layer();
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  /// Declares weights for inputs of this shape (batch None). Called once.
  virtual void build(const Shape& input);
  virtual void build_many(const Shapes& inputs);
  /// Output for a batch. Called on replica threads at the same time: must not change the layer, only its Weights'
  /// values.
  virtual Tensor call(const Tensor& x, const CallContext& context);
  virtual Tensors call_many(const Tensors& inputs, const CallContext& context);
  /// True when the layer is max(0, x) and nothing else, so that the layer before it may do both in one pass.
  virtual bool is_relu() const { return false; }
  /// True when call_with_relu is there: max(0, call), in fewer passes over memory than the two layers need.
  virtual bool can_apply_relu() const { return false; }
  virtual Tensor call_with_relu(const Tensor& x, const CallContext& context);
  /// True when outputs get masks from compute_mask, as keras.Layer.supports_masking; with the others masks end. A layer
  /// that uses the mask of an input finds it by mask_of (core/mask.h).
  virtual bool supports_masking() const { return false; }
  /// In which of the two ways it takes 16 bits. Weights that are not trainable are never cast.
  virtual Lowering lowering() const { return Lowering::kAll; }
  /// The outputs' masks for the inputs', undefined where there is none, as keras.Layer.compute_mask. The default hands
  /// them on. Only where supports_masking.
  virtual Tensors compute_mask(const Tensors& inputs, const Tensors& masks);
  /// Shape of the output; the default makes a dry run of call on zeros.
  virtual Shape output_shape(const Shape& input);
  virtual Shapes output_shapes(const Shapes& inputs);

  /// Keras's class name, "Conv2D"; the base of the automatic name, "conv2d". The default is the C++ class's name
  /// without namespaces and a trailing "Layer".
  virtual std::string class_name() const;
  /// Settings under Keras's keys, without the name.
  virtual Config get_config() const;
  /// The layers that this one is made of (a nested model, a wrapper); their weights are this one's too.
  virtual std::vector<std::shared_ptr<Layer>> children() const { return tracked_; }
  /// The children with their paths in Keras's weight files, relative to this layer: "layers/conv2d", "layers/conv2d_1"
  /// unless overridden. Keras names them after attributes: "cell", "query_dense". Empty: stored as this layer itself. A
  /// child may be there under several paths; the first one counts.
  virtual std::vector<std::pair<std::string, std::shared_ptr<Layer>>> named_children() const;

  const std::string& name() const;
  void set_name(std::string name) { name_ = std::move(name); }
  bool trainable() const { return trainable_; }
  /// Freezes or thaws this layer and its children.
  void set_trainable(bool trainable);
  /// What it computes in: that of the thread when it was made, unless set since.
  const DTypePolicy& dtype_policy() const { return policy_; }
  /// Gives the layer a policy of its own, which compile's precision does not change, and its children too that have
  /// none of their own; as setting keras.Layer.dtype_policy.
  void set_dtype_policy(const DTypePolicy& policy);
  /// As set_dtype_policy, but the layer's own policy stays where there is one.
  void default_dtype_policy(const DTypePolicy& policy);
  bool built() const { return built_; }
  /// The shapes of the inputs that the layer was built for; empty before.
  const Shapes& build_shapes() const { return build_shapes_; }
  /// Builds once; throws InvalidArgument naming the layer and the shape when the inputs cannot work.
  void ensure_built(const Shapes& inputs);

  /// Weights in Keras's order: trainable ones first, then the others; children's follow the layer's own.
  std::vector<Weight> weights() const;
  std::vector<Weight> trainable_weights() const;
  std::vector<Weight> non_trainable_weights() const;
  /// The layer's own weights in order of creation, without its children's.
  const std::vector<Weight>& own_weights() const { return weights_; }
  int64_t count_params() const;

  /// A new layer made with the same arguments and the same name, not built. Throws InvalidArgument when it was not made
  /// by make_layer or a built-in handle, which remember the arguments.
  std::shared_ptr<Layer> fresh_copy() const;
  void set_recipe(std::function<std::shared_ptr<Layer>()> recipe) { recipe_ = std::move(recipe); }

  /// Throws InvalidArgument naming a layer that this one (or one of its children) made for itself but did not register
  /// with track: replicas cannot reach its weights.
  void check_reachable() const;
  /// Empty, or why this layer or one of its children cannot have several replicas.
  virtual std::string why_not_replicable() const;

 protected:
  /// Registers a layer that this one is made of under `name`, and returns it: its weights are this one's too.
  ///
  ///     struct Block : Layer {
  ///       Dense inner = track("inner", Dense(8));
  template <class L>
  L track(const std::string& name, L layer) {
    add_tracked(name, layer.get());
    return layer;
  }
  const std::vector<std::shared_ptr<Layer>>& tracked() const { return tracked_; }

  /// Declares a weight; its first values are drawn from a stream keyed by the number of this layer and of the weight.
  Weight add_weight(const std::string& name, const Shape& shape, const WeightOptions& options = {});
  /// Declares a weight whose master is `value` itself, not a copy.
  Weight adopt_weight(const std::string& name, Tensor value, bool trainable);

 private:
  friend class MakingScope;
  void add_tracked(const std::string& name, const std::shared_ptr<Layer>& layer);

  std::string name_;  // empty: automatic, made when first asked for
  bool trainable_ = true;
  DTypePolicy policy_;
  bool own_policy_;
  bool built_ = false;
  Shapes build_shapes_;
  RandomStream initial_;
  std::vector<Weight> weights_;
  std::vector<std::shared_ptr<Layer>> tracked_;
  std::vector<std::weak_ptr<Layer>> made_inside_;  // by its constructor
  std::function<std::shared_ptr<Layer>()> recipe_;
};

/// Throws InvalidArgument: "layer 'dense' (Dense): <must>, got <shape>".
[[noreturn]] void throw_shape_error(const Layer& layer, const std::string& must, const Shape& got);

}  // namespace tandem
