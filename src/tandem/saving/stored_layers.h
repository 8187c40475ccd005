#pragma once
#include <string>
#include <vector>

#include "tandem/layers/layer.h"
#include "tandem/layers/weight.h"

namespace tandem::saving {

/// A layer's place in Keras 3's layout.
struct StoredLayer {
  std::string path;  // "layers/conv2d_1", "layers/functional/layers/dense"; empty for the network itself
  const Layer* layer;
  std::vector<Weight> weights;  // its own: the trained ones by their nature, frozen or not, then the others

  /// Path of the group that holds its weights, "layers/conv2d_1/vars".
  std::string vars() const { return path.empty() ? "vars" : path + "/vars"; }
  /// "out (layers/dense_2)".
  std::string title() const;
};

/// The network and everything in it, each layer once, in the order in which Keras walks them. Throws InvalidArgument
/// when two layers would have one path.
std::vector<StoredLayer> stored_layers(const Layer& network);

}  // namespace tandem::saving
