#include "tandem/network/network_config.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/layer_config.h"
#include "tandem/layers/shape_config.h"
#include "tandem/network/read_config.h"

namespace tandem {
namespace {

// The shapes in build_config: one, or one an input.
Shapes built_for(const Config& shapes) {
  if (!shapes.is_list() || shapes.as_list().empty()) return {};
  if (!shapes.as_list().front().is_list()) return {shape_from_config(shapes)};
  Shapes read;
  for (const auto& shape : shapes.as_list()) read.push_back(shape_from_config(shape));
  return read;
}

}  // namespace

std::shared_ptr<Network> network_from_model_config(const Config& entry) {
  const ConfigPlace place;
  const LayerHandle layer = read_layer(entry, place);
  auto network = std::dynamic_pointer_cast<Network>(layer.get());
  if (!network) place.fail(c10::str("must be a model, is a ", layer->class_name()));
  place.run([&] {
    const Config built = entry.get("build_config", {});
    const Shapes shapes = built_for(built.is_null() ? built : built.get("input_shape", {}));
    if (!network->built() && !shapes.empty()) network->ensure_built(shapes);
  });
  return network;
}

std::shared_ptr<Network> network_from_config(const std::string& class_name, const Config& config) {
  return network_from_model_config(Config::object({{"class_name", class_name}, {"config", config}}));
}

std::string network_to_json(const Network& network) { return layer_to_config(network).to_json(); }

std::shared_ptr<Network> network_from_json(const std::string& text) {
  return network_from_model_config(Config::from_json(text));
}

}  // namespace tandem
