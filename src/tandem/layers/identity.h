#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct IdentityOptions {
  std::string name = {};
};

/// Returns its inputs. As keras.layers.Identity.
class Identity : public LayerHandle {
 public:
  explicit Identity(IdentityOptions options = {});
  static Identity from_config(const Config& config);
};

}  // namespace tandem::layers
