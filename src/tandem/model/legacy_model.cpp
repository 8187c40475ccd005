#include "tandem/model/legacy_model.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tandem/model/compile_config.h"
#include "tandem/model/optimizer_file.h"
#include "tandem/saving/keras_version.h"
#include "tandem/saving/legacy_names.h"
#include "tandem/saving/legacy_weights.h"

namespace tandem {
namespace {

bool is_model_entry(const Config& entry) {
  const std::string& name = entry.at("class_name").as_string();
  return name == "Functional" || name == "Sequential";
}

// A layer as such files have it: without modules and shapes, a class of the program's own under its registered name.
// What it was built for stays where only that tells (classes of the program's own at the top).
Config legacy_entry(const Config& entry, bool top) {
  const Config registered = entry.get("registered_name", {});
  const bool packaged = registered.is_string() && registered.as_string().find('>') != std::string::npos;
  Config config = entry.at("config");
  if (is_model_entry(entry)) {
    Config::List layers;
    for (const auto& layer : config.at("layers").as_list()) layers.push_back(legacy_entry(layer, false));
    config.set("layers", std::move(layers));
  }
  // The one class that Keras exports under another name than its own, which these files have.
  const bool grouped = entry.at("class_name") == Config("GroupQueryAttention");
  const Config own_name = grouped ? Config("GroupedQueryAttention") : entry.at("class_name");
  Config legacy = Config::object({{"class_name", packaged ? registered : own_name}, {"config", std::move(config)}});
  for (const char* key : {"name", "inbound_nodes"}) {
    if (entry.contains(key)) legacy.set(key, entry.at(key));
  }
  if (top && !is_model_entry(entry) && entry.contains("build_config")) {
    legacy.set("build_config", entry.at("build_config"));
  }
  return legacy;
}

std::vector<std::string> names_of_trained(const Network& network) {
  std::vector<saving::NamedWeight> known;
  for (const auto& layer : network.layers()) {
    const auto named = saving::legacy_weights(*layer);
    known.insert(known.end(), named.begin(), named.end());
  }
  std::vector<std::string> names;
  for (const auto& weight : network.trainable_weights()) {
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const auto& named) { return named.weight == weight; });
    names.push_back(found == known.end() ? weight.name() : found->name);
  }
  return names;
}

}  // namespace

void write_legacy_model(const Network& network, const Config& entry, const CompiledState* compiled,
                        const saving::H5Group& root) {
  root.set_text("backend", "tensorflow");
  root.set_text("keras_version", saving::kKerasVersion);
  root.set_text("model_config", legacy_entry(entry, true).to_json());
  saving::write_legacy_model_weights(network, root.create_group("model_weights"));
  if (!compiled) return;
  root.set_text("training_config", compile_options_to_training_config(compiled->options).to_json());
  write_legacy_optimizer(compiled->optimizer, names_of_trained(network), compiled->state,
                         root.create_group(kLegacyOptimizer));
}

}  // namespace tandem
