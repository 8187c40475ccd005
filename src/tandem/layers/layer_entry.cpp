#include "tandem/layers/layer_entry.h"

#include "tandem/layers/catalog.h"

namespace tandem {

LayerHandle layer_from_entry(const Config& entry) {
  const Config registered = entry.get("registered_name", {});
  const bool packaged = registered.is_string() && registered.as_string().find('>') != std::string::npos;
  const Config& config = entry.at("config");
  return packaged ? layer_from_config(registered.as_string(), config, LayerOrigin::kProgram)
                  : layer_from_config(entry.at("class_name").as_string(), config);
}

}  // namespace tandem
