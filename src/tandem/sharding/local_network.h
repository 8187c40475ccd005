#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/network/graph.h"
#include "tandem/sharding/division.h"

namespace tandem::sharding {

/// A weight of a local network that was made anew: the model's own, and how a rank's part comes from it.
struct LocalWeight {
  Weight whole, own;
  int64_t axis = 0;
  Division division = {};  // whole: every rank has a copy
};

/// What became of a layer.
struct LayerPlan {
  std::string name, class_name;
  std::string how;                            // "by units"; empty: whole
  std::string why;                            // it stays whole
  std::vector<std::string> collectives = {};  // of its call: "enter", "sum", "gather"
  int64_t weights = 0;                        // elements, of the whole layer
};

/// The model as one rank of a tensor group computes it: the same graph, in which layers are made anew with their part
/// and collectives stand where the way in which values are had changes; layers that stay whole are the model's own.
/// Its inputs and outputs are whole. Calls keep their numbers, so that the same random numbers are drawn.
struct LocalNetwork {
  std::shared_ptr<Graph> graph;
  std::vector<LocalWeight> weights;  // those that are not the model's own
  std::vector<LayerPlan> plan;       // by layer, in the order of the first calls

  /// What stands for `whole` in the local network, or null where that is the weight itself.
  const LocalWeight* find(const Weight& whole) const;
  /// True where some layer with weights is split.
  bool splits() const;
};

/// The same choices are made for every rank. Throws InvalidArgument where `network` is no graph.
LocalNetwork make_local_network(const Network& network, const Place& place);

}  // namespace tandem::sharding
