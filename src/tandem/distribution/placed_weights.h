#pragma once
#include <cstddef>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/layers/weight.h"

namespace tandem::distribute {

/// The weights of one replica as several devices compute with them at the same time: the same values in the same
/// memory, but trained ones with a gradient for each device, so that no two threads add to one.
class PlacedWeights {
 public:
  PlacedWeights(std::vector<Weight> weights, std::size_t devices);

  /// The replica's tensors are those of `replica` from now on. Cheap where they are the same as before.
  void follow(const WeightMap& replica);
  const WeightMap& of(std::size_t device) const { return maps_[device]; }
  /// The replica's trained tensors.
  const std::vector<Tensor>& trained() const { return trained_; }
  /// Gradients of trained(), added up in the order of the devices; undefined where there is none. They start anew.
  std::vector<Tensor> take_gradients();

 private:
  std::vector<Weight> weights_;
  std::vector<WeightMap> maps_;
  std::vector<Tensor> trained_;
  std::vector<std::vector<Tensor>> leaves_;  // by device, as trained_
  std::vector<const void*> followed_;        // by weight: the replica's tensor
};

}  // namespace tandem::distribute
