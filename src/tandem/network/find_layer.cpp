#include "tandem/network/find_layer.h"

#include <c10/util/StringUtil.h>

namespace tandem {

const Layer* find_layer(const Layer& layer, const std::function<bool(const Layer&)>& is_one) {
  if (is_one(layer)) return &layer;
  for (const auto& child : layer.children()) {
    if (const auto* found = find_layer(*child, is_one)) return found;
  }
  return nullptr;
}

std::string quoted(const Layer& layer) { return c10::str("'", layer.name(), "' (", layer.class_name(), ")"); }

}  // namespace tandem
