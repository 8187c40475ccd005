#include "tandem/saving/legacy_weights.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <set>

#include "tandem/core/error.h"
#include "tandem/saving/assignments.h"
#include "tandem/saving/h5_text_lists.h"
#include "tandem/saving/keras_version.h"
#include "tandem/saving/legacy_names.h"

namespace tandem::saving {
namespace {

constexpr const char* kTopLevel = "top_level_model_weights";  // the network's own, beside its layers

// A layer as it is on one of the two sides.
struct LegacyLayer {
  std::string name;
  std::vector<NamedWeight> weights;
};

struct LegacyGroup {
  std::string name;
  H5Group group;
  std::vector<std::string> weights;  // names of the data sets in order
};

std::vector<NamedWeight> top_level_weights(const Network& network) {
  std::vector<NamedWeight> named;
  for (const auto& weight : trained_first(network.own_weights())) named.push_back({weight.name(), weight});
  return named;
}

struct LegacyStyle {
  const char* keras_version;
  const char* after_name;  // of a weight
};

void write_layer(const H5Group& group, const std::vector<NamedWeight>& weights) {
  std::vector<std::string> names;
  for (const auto& [name, weight] : weights) names.push_back(name);
  write_text_list(group, "weight_names", names);
  for (const auto& [name, weight] : weights) group.write(name, weight.variable().value);
}

void write_layers(const Network& network, const H5Group& root, const LegacyStyle& style) {
  std::vector<std::string> names;
  for (const auto& layer : network.layers()) names.push_back(layer->name());
  write_text_list(root, "layer_names", names);
  root.set_text("backend", "tensorflow");               // whose layout of kernels it is
  root.set_text("keras_version", style.keras_version);  // and whose order of weights
  const auto styled = [&](std::vector<NamedWeight> weights) {
    for (auto& weight : weights) weight.name += style.after_name;
    return weights;
  };
  for (const auto& layer : network.layers())
    write_layer(root.create_group(layer->name()), styled(legacy_weights(*layer)));
  write_layer(root.create_group(kTopLevel), styled(top_level_weights(network)));
}

std::vector<LegacyLayer> layers_of(const Network& network) {
  std::vector<LegacyLayer> layers;
  for (const auto& layer : network.layers()) {
    auto weights = legacy_weights(*layer);
    if (!weights.empty()) layers.push_back({layer->name(), std::move(weights)});
  }
  return layers;
}

std::vector<LegacyGroup> layers_of(const H5Group& root) {
  std::vector<LegacyGroup> layers;
  for (const auto& name : read_text_list(root, "layer_names")) {
    const H5Group group = root.group(name);
    auto weights = read_text_list(group, "weight_names");
    if (!weights.empty()) layers.push_back({name, group, std::move(weights)});
  }
  return layers;
}

template <class L>
std::vector<std::string> names_of(const std::vector<L>& layers) {
  std::vector<std::string> names;
  for (const auto& layer : layers) names.push_back(layer.name);
  return names;
}

class Reading {
 public:
  Reading(const Network& network, const H5Group& root, const LoadWeightsOptions& options)
      : network_(network), root_(root), options_(options), layers_(layers_of(network)), groups_(layers_of(root)) {}

  LoadReport run() {
    options_.by_name ? match_names() : match_order();
    match_top_level();
    if (report_.loaded.empty() && !report_.complete()) {
      throw DataError(c10::str(root_.where(), ": nothing in it fits model '", network_.name(),
                               "'; layers in the file: ", list_names(names_of(groups_)),
                               "; in the model: ", list_names(names_of(layers_))));
    }
    assignments_.assign();
    return std::move(report_);
  }

 private:
  void match_order() {
    if (layers_.size() != groups_.size()) {
      throw DataError(c10::str(root_.where(), ": model '", network_.name(), "' has ", layers_.size(),
                               " layers with weights, the file ", groups_.size(), "; in the file: ",
                               list_names(names_of(groups_)), "; in the model: ", list_names(names_of(layers_))));
    }
    for (std::size_t i = 0; i < layers_.size(); ++i) match(layers_[i], groups_[i]);
  }

  void match_names() {
    std::set<std::string> known;
    for (const auto& layer : layers_) {
      known.insert(layer.name);
      const auto group =
          std::find_if(groups_.begin(), groups_.end(), [&](const auto& g) { return g.name == layer.name; });
      group == groups_.end() ? report_.missing.push_back(layer.name) : match(layer, *group);
    }
    for (const auto& group : groups_) {
      if (!known.contains(group.name)) report_.surplus.push_back(group.name);
    }
  }

  void match_top_level() {
    const auto own = top_level_weights(network_);
    std::vector<std::string> stored;
    if (root_.has_group(kTopLevel)) stored = read_text_list(root_.group(kTopLevel), "weight_names");
    if (own.empty() && stored.empty()) return;
    if (!stored.empty()) return match({network_.name(), own}, {kTopLevel, root_.group(kTopLevel), stored});
    if (!options_.by_name && !options_.skip_mismatch) {
      throw DataError(c10::str(root_.where(), ": must hold ", own.size(), " weights of model '", network_.name(),
                               "' itself, has none"));
    }
    report_.missing.push_back(network_.name());
  }

  void match(const LegacyLayer& layer, const LegacyGroup& stored) {
    if (layer.weights.size() != stored.weights.size()) {
      if (!options_.by_name || !options_.skip_mismatch) {
        throw DataError(c10::str(stored.group.where(), ": layer '", layer.name, "' has ", layer.weights.size(),
                                 " weights, the file ", stored.weights.size()));
      }
      report_.skipped.push_back(layer.name);
      return;
    }
    bool all = true;
    for (std::size_t i = 0; i < stored.weights.size(); ++i) {
      const auto& weight = layer.weights[i].weight;
      const auto& path = stored.weights[i];
      const auto difference = shape_difference(weight, stored.group, path);
      if (difference.empty()) {
        assignments_.read(weight, stored.group, path);
        continue;
      }
      all = false;
      if (!options_.skip_mismatch) {
        throw DataError(c10::str(stored.group.where(), "/", path, ": ", difference, "; layer '", layer.name, "'"));
      }
    }
    (all ? report_.loaded : report_.skipped).push_back(layer.name);
  }

  const Network& network_;
  const H5Group& root_;
  const LoadWeightsOptions& options_;
  std::vector<LegacyLayer> layers_;
  std::vector<LegacyGroup> groups_;
  Assignments assignments_;
  LoadReport report_;
};

}  // namespace

void write_legacy_weights(const Network& network, const H5Group& root) {
  write_layers(network, root, {"2.15.0", ":0"});
}

void write_legacy_model_weights(const Network& network, const H5Group& group) {
  write_layers(network, group, {kKerasVersion, ""});
}

bool has_legacy_weights(const H5Group& group) { return has_text_list(group, "layer_names"); }

LoadReport read_legacy_weights(const Network& network, const H5Group& group, const LoadWeightsOptions& options) {
  if (group.has_attribute("backend") && group.texts("backend") == std::vector<std::string>{"theano"}) {
    throw DataError(c10::str(group.where(),
                             ": was written by Keras on Theano, whose convolutions turn their kernels "
                             "round; load and save it with Keras 2 on TensorFlow first"));
  }
  return Reading(network, group, options).run();
}

}  // namespace tandem::saving
