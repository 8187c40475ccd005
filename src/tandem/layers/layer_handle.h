#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "tandem/layers/keras_tensor.h"
#include "tandem/layers/layer.h"
#include "tandem/layers/making_scope.h"

namespace tandem {

/// What programs hold and copy: copies are the same layer. Dense, Conv2D, ... derive from it and add no data members.
class LayerHandle {
 public:
  LayerHandle() = default;
  LayerHandle(std::shared_ptr<Layer> layer) : layer_(std::move(layer)) {}

  /// Adds the layer to a graph: builds it at the first call, checks shapes, and returns its (first) output.
  KerasTensor operator()(const KerasTensors& inputs) const;
  /// All outputs, for layers that have several.
  std::vector<KerasTensor> outputs(const KerasTensors& inputs) const;
  /// Computes now, in the context of the call in progress (inference outside of any), and returns the first output.
  Tensor operator()(const Tensors& inputs) const;
  Tensor operator()(const Tensors& inputs, const CallContext& context) const;
  Tensors call_many(const Tensors& inputs, const CallContext& context) const;

  /// This layer, with a DTypePolicy of its own: Keras's argument `dtype`.
  LayerHandle with_dtype(const DTypePolicy& policy) const {
    get()->set_dtype_policy(policy);
    return *this;
  }
  bool empty() const { return !layer_; }
  /// Throws InvalidArgument on an empty handle.
  Layer& operator*() const { return *get(); }
  Layer* operator->() const { return get().get(); }
  const std::shared_ptr<Layer>& get() const;
  const std::string& name() const { return get()->name(); }
  std::vector<Weight> weights() const { return get()->weights(); }
  bool operator==(const LayerHandle&) const = default;

 protected:
  std::shared_ptr<Layer> layer_;
};

/// Makes a layer and remembers its arguments, so that clone_model can make another.
template <class L, class... Args>
std::shared_ptr<L> make_remembered(const std::string& name, Args... args) {
  auto make = [name, args...] {
    MakingScope scope;
    auto layer = std::make_shared<L>(args...);
    scope.finish(*layer);
    if (!name.empty()) layer->set_name(name);
    return layer;
  };
  auto layer = make();
  layer->set_recipe(make);
  return layer;
}

/// A handle whose `->` gives the layer's own type.
template <class L>
class LayerOf : public LayerHandle {
 public:
  explicit LayerOf(std::shared_ptr<L> layer) : LayerHandle(std::move(layer)) {}
  L* operator->() const { return static_cast<L*>(get().get()); }
};

/// A layer written by a user, as a handle: `make_layer<Scale>(arguments...)`. Arguments are copied and kept.
template <class L, class... Args>
LayerOf<L> make_layer(Args... args) {
  return LayerOf<L>(make_remembered<L>("", std::move(args)...));
}

}  // namespace tandem
