#pragma once
#include <memory>
#include <vector>

#include "tandem/layers/keras_tensor.h"
#include "tandem/layers/layer.h"

namespace tandem {

/// A graph's nodes so that each comes after those that it needs, and its layers in the order in which Keras lists them
/// (by their distance from the outputs, then by first visit), on which the order of weights depends.
struct GraphOrder {
  std::vector<std::shared_ptr<const Node>> nodes;
  std::vector<std::shared_ptr<Layer>> layers;
};

/// Throws InvalidArgument, naming the layer, when the outputs cannot be computed from the inputs, or two layers share a
/// name.
GraphOrder order_graph(const KerasTensors& inputs, const KerasTensors& outputs);

}  // namespace tandem
