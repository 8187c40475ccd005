#pragma once
#include <map>
#include <string>

#include "tandem/network/graph.h"

namespace tandem::sharding {

/// How the layers of a model are called, those of the models within it included: what decides, before any of them is
/// split, which must not be.
class LayerUses {
 public:
  explicit LayerUses(const Graph& graph);
  /// Why `layer` stays whole whatever it is; empty where nothing says so.
  std::string why_whole(const Layer& layer) const;

 private:
  struct Use {
    Shapes inputs;
    std::size_t outputs = 0;
    bool alike = true;  // in all calls
  };
  void add(const Graph& graph);

  std::map<const Layer*, Use> uses_;
  std::map<const void*, const Layer*> owners_;        // of variables: the first layer that has it
  std::map<const Layer*, const Layer*> shares_with_;  // a layer that has a variable of this one
};

}  // namespace tandem::sharding
