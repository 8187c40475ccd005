#pragma once
#include <memory>
#include <string>

#include "tandem/core/config.h"
#include "tandem/network/config_place.h"
#include "tandem/network/network.h"

/// The steps of network_from_config. All throw DataError that names the place.
namespace tandem {

/// Names of the classes that are models: "Functional", "Sequential", and "Model", as Keras before 2.3 has it.
bool is_network_class(const std::string& class_name);

/// The layer or model of an entry {"class_name", "config", ...}, not called yet.
LayerHandle read_layer(const Config& entry, const ConfigPlace& place);

std::shared_ptr<Network> read_network(const std::string& class_name, const Config& config, const ConfigPlace& place);
std::shared_ptr<Network> read_chain(const Config& config, const ConfigPlace& place);
std::shared_ptr<Network> read_graph(const Config& config, const ConfigPlace& place);

/// The entries of a model's "layers", which are not too many.
const Config::List& read_entries(const Config& layers);
/// The place of entry `i` of "layers": "layers[3] 'dense'".
ConfigPlace place_of_entry(const ConfigPlace& place, std::size_t i, const Config& entry);

}  // namespace tandem
