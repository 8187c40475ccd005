#include "tandem/saving/nested_network.h"

namespace tandem::saving {

const Network* nested_network(const Layer& layer) {
  if (const auto* network = dynamic_cast<const Network*>(&layer)) return network;
  const auto children = layer.named_children();
  // Only a stand-in has a child without a path of its own.
  const bool stands_in = children.size() == 1 && children.front().first.empty();
  return stands_in ? nested_network(*children.front().second) : nullptr;
}

}  // namespace tandem::saving
