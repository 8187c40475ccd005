#include "tandem/saving/weight_paths.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <set>

#include "tandem/saving/assignments.h"

namespace tandem::saving {
namespace {

class PathWalk {
 public:
  void enter(const Layer& layer, const std::string& outer) {
    if (!visited_.insert(&layer).second) return;
    const std::string kind = layer.class_name();
    // A Sequential that knows its input is built where it is made, whatever it becomes a part of.
    const std::string inner = kind == "Functional"   ? std::string()
                              : kind == "Sequential" ? layer.name() + "/"
                                                     : c10::str(outer, layer.name(), "/");
    for (const auto& weight : trained_first(layer.own_weights())) add(inner + weight.name(), weight);
    for (const auto& [path, child] : layer.named_children()) {
      // A model that stands in for its network has the network's name already.
      enter(*child, path.empty() ? outer : inner);
    }
  }

  std::vector<NamedWeight> take() { return std::move(named_); }

 private:
  void add(const std::string& base, const Weight& weight) {
    if (std::any_of(named_.begin(), named_.end(), [&](const auto& other) { return other.weight == weight; })) return;
    std::string path = base;
    for (int i = 1; !taken_.insert(path).second; ++i) path = c10::str(base, "_", i);
    named_.push_back({path, weight});
  }

  std::vector<NamedWeight> named_;
  std::set<std::string> taken_;
  std::set<const Layer*> visited_;
};

}  // namespace

std::vector<NamedWeight> weight_paths(const Network& network) {
  PathWalk walk;
  walk.enter(network, "");
  return walk.take();
}

}  // namespace tandem::saving
