#include "tandem/saving/stored_layers.h"

#include <c10/util/StringUtil.h>

#include <map>
#include <set>

#include "tandem/core/error.h"
#include "tandem/saving/assignments.h"

namespace tandem::saving {
namespace {

class Walk {
 public:
  explicit Walk(const Layer& network) {
    visited_.insert(&network);
    enter(network, add(network, ""));
  }

  std::vector<StoredLayer> take() {
    for (auto& stored : all_) stored.weights = trained_first(std::move(stored.weights));
    return std::move(all_);
  }

 private:
  std::size_t add(const Layer& layer, const std::string& path) {
    const auto [taken, fresh] = paths_.emplace(path, &layer);
    if (!fresh) {
      throw InvalidArgument(c10::str("weights file: layers '", taken->second->name(), "' and '", layer.name(),
                                     "' would both be stored as ", path));
    }
    all_.push_back({path, &layer, {}});
    return all_.size() - 1;
  }

  // `place`: under which entry of all_ the layer's own weights are stored.
  void enter(const Layer& layer, std::size_t place) {
    const auto& own = layer.own_weights();
    all_[place].weights.insert(all_[place].weights.end(), own.begin(), own.end());
    for (const auto& [name, child] : layer.named_children()) {
      if (!visited_.insert(child.get()).second) continue;
      const std::string& base = all_[place].path;
      const std::string path = base.empty() || name.empty() ? base + name : c10::str(base, "/", name);
      enter(*child, name.empty() ? place : add(*child, path));
    }
  }

  std::vector<StoredLayer> all_;
  std::set<const Layer*> visited_;
  std::map<std::string, const Layer*> paths_;
};

}  // namespace

std::string StoredLayer::title() const {
  return path.empty() ? layer->name() : c10::str(layer->name(), " (", path, ")");
}

std::vector<StoredLayer> stored_layers(const Layer& network) { return Walk(network).take(); }

}  // namespace tandem::saving
