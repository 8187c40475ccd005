#pragma once
#include <string>
#include <vector>

#include "tandem/layers/layer.h"
#include "tandem/layers/weight.h"

namespace tandem::saving {

/// A weight and the name of its data set in a legacy file, to which Keras 2 adds ":0".
struct NamedWeight {
  std::string name;  // "conv/kernel"
  Weight weight;
};

/// A layer's weights in the legacy order, the trained ones first, under names that differ: "<layer>/<weight>", with
/// the names of inner layers in between; those of a nested model's layers begin with the inner layer, as in Keras 2.
std::vector<NamedWeight> legacy_weights(const Layer& layer);

}  // namespace tandem::saving
