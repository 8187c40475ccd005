#include "tandem/network/read_config.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/layers/catalog.h"
#include "tandem/layers/operation.h"
#include "tandem/layers/time_distributed.h"

namespace tandem {
namespace {

// Walking a graph recurses once a layer; Keras itself gives up at about 1,000 in a row.
constexpr std::size_t kMostLayers = 10000;

// Keras's own classes, of any version, and files from before classes had modules.
bool is_of_keras(const Config& entry) {
  if (!entry.contains("module")) return true;
  const Config& module = entry.at("module");
  if (!module.is_string()) return false;
  const std::string& name = module.as_string();
  for (const char* package : {"keras", "tf_keras", "tensorflow.keras", "tensorflow.python.keras"}) {
    if (name == package || name.starts_with(c10::str(package, "."))) return true;
  }
  return false;
}

// Settings under their names of today, where Keras's own reader of old files does the same.
Config modern_config(const Config& entry, const std::string& class_name) {
  Config config = entry.at("config");
  if (!config.is_object()) return config;  // a Sequential's list of layers
  const Config axis = config.get("axis", {});
  const bool old = !entry.contains("module") || class_name == "BatchNormalization";
  if (old && axis.is_list() && axis.as_list().size() == 1) config.set("axis", axis.as_list().front());
  return config;
}

// Sets the network's own flag and leaves those of its layers, which its own would reach.
void set_own_trainable(Network& network, bool trainable) {
  std::vector<std::pair<std::shared_ptr<Layer>, bool>> flags;  // each layer before those within it
  const auto note = [&](const auto& again, const Layer& layer) -> void {
    for (const auto& child : layer.children()) {
      flags.emplace_back(child, child->trainable());
      again(again, *child);
    }
  };
  note(note, network);
  network.set_trainable(trainable);
  for (const auto& [layer, flag] : flags) layer->set_trainable(flag);
}

// A wrapper, around a model too, which the layer's own from_config could not read.
LayerHandle read_time_distributed(const Config& config, const ConfigPlace& place) {
  const Config entry = place.run([&] { return config.at("layer"); });
  const LayerHandle inner = read_layer(entry, place.part("layer"));
  return place.run([&] {
    LayerHandle layer = layers::TimeDistributed(inner);
    if (const Config name = config.get("name", {}); !name.is_null()) layer->set_name(name.as_string());
    if (!config.get("trainable", true).as_bool()) layer->set_trainable(false);
    return layer;
  });
}

}  // namespace

bool is_network_class(const std::string& class_name) {
  return class_name == "Functional" || class_name == "Sequential" || class_name == "Model";
}

const Config::List& read_entries(const Config& layers) {
  const auto& entries = layers.as_list();
  if (entries.size() > kMostLayers)
    throw DataError(c10::str("must have at most ", kMostLayers, " layers, has ", entries.size()));
  return entries;
}

ConfigPlace place_of_entry(const ConfigPlace& place, std::size_t i, const Config& entry) {
  Config name;
  if (entry.is_object()) {
    name = entry.get("name", {});
    const Config config = entry.get("config", {});
    if (name.is_null() && config.is_object()) name = config.get("name", {});
  }
  return place.part(name.is_string() ? c10::str("layers[", i, "] '", name.as_string(), "'")
                                     : c10::str("layers[", i, "]"));
}

LayerHandle read_layer(const Config& entry, const ConfigPlace& place) {
  const std::string written = place.run([&] { return entry.at("class_name").as_string(); });
  // .h5 files have the class's own name, others the one that Keras exports it under.
  const std::string class_name = written == "GroupedQueryAttention" ? "GroupQueryAttention" : written;
  const Config config = place.run([&] { return modern_config(entry, class_name); });
  const bool of_keras = is_of_keras(entry);
  if (of_keras && is_network_class(class_name)) return LayerHandle(read_network(class_name, config, place));
  if (of_keras && class_name == "TimeDistributed") return read_time_distributed(config, place);
  return place.run([&] {
    const Config module = entry.get("module", {}), registered = entry.get("registered_name", {});
    if (of_keras && module.is_string() && module.as_string().find(".ops.") != std::string::npos)
      return operation_from_config(class_name, module.as_string(), config);
    const bool packaged = registered.is_string() && registered.as_string().find('>') != std::string::npos;
    if (packaged) return layer_from_config(registered.as_string(), config, LayerOrigin::kProgram);
    if (!of_keras) return layer_from_config(class_name, config, LayerOrigin::kProgram);
    auto known = layer_registry().names();
    if (std::find(known.begin(), known.end(), class_name) == known.end() && !layer_registry().added(class_name)) {
      known.insert(known.end(), {"Functional", "InputLayer", "Sequential"});
      throw_unknown_name("layer", class_name, known);
    }
    return layer_from_config(class_name, config);
  });
}

std::shared_ptr<Network> read_network(const std::string& class_name, const Config& config, const ConfigPlace& place) {
  const auto network = class_name == "Sequential" ? read_chain(config, place) : read_graph(config, place);
  if (config.is_list()) return network;
  place.run([&] {
    if (const Config name = config.get("name", {}); !name.is_null()) network->set_name(name.as_string());
    if (!config.get("trainable", true).as_bool()) set_own_trainable(*network, false);
  });
  return network;
}

}  // namespace tandem
