#pragma once
#include "tandem/model/body.h"
#include "tandem/network/network.h"

namespace tandem {

/// The network that a layer is, or that of the model that it is; null for other layers.
inline const Network* network_of(const Layer& layer) {
  if (const auto* body = dynamic_cast<const ModelBody*>(&layer)) return body->network().get();
  return dynamic_cast<const Network*>(&layer);
}

}  // namespace tandem
