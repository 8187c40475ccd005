#include "tandem/saving/legacy_names.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <set>

#include "tandem/saving/nested_network.h"

namespace tandem::saving {
namespace {

struct Search {
  std::vector<NamedWeight> found;
  std::set<const Layer*> visited;

  void enter(const Layer& layer, const std::string& prefix) {
    if (!visited.insert(&layer).second) return;
    for (const auto& weight : layer.own_weights()) found.push_back({c10::str(prefix, weight.name()), weight});
    for (const auto& [path, child] : layer.named_children())
      enter(*child, path.empty() ? prefix : c10::str(prefix, child->name(), "/"));
  }
};

}  // namespace

std::vector<NamedWeight> legacy_weights(const Layer& layer) {
  Search search;
  search.enter(layer, nested_network(layer) ? "" : layer.name() + "/");
  std::vector<Weight> order = layer.trainable_weights();
  const auto others = layer.non_trainable_weights();
  order.insert(order.end(), others.begin(), others.end());

  std::vector<NamedWeight> named;
  std::set<std::string> taken;
  for (const auto& weight : order) {
    const auto place = std::find_if(search.found.begin(), search.found.end(),
                                    [&](const NamedWeight& n) { return n.weight == weight; });
    const std::string base = place == search.found.end() ? weight.name() : place->name;
    std::string name = base;
    for (int i = 1; !taken.insert(name).second; ++i) name = c10::str(base, "_", i);
    named.push_back({name, weight});
  }
  return named;
}

}  // namespace tandem::saving
