#pragma once
#include <c10/core/Device.h>

#include <cstddef>
#include <unordered_set>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/layers/weight.h"

namespace tandem::distribute {

/// The weights of one replica as several devices compute with them at the same time: the same values in the same
/// memory, but trained ones with a gradient for each device, so that no two threads add to one. A device with another
/// memory than the replica's has copies of those that it needs.
class PlacedWeights {
 public:
  /// `devices`: where each computes.
  PlacedWeights(std::vector<Weight> weights, std::vector<c10::Device> devices);

  /// Layers on `device` compute with `weight`. Throws InvalidArgument where two devices with a memory of their own
  /// would each change statistics.
  void need(std::size_t device, const Weight& weight);
  /// The replica's tensors are those of `replica` from now on, with their present values. Cheap where they are the same
  /// as before.
  void follow(const WeightMap& replica);
  const WeightMap& of(std::size_t device) const { return maps_[device]; }
  /// Statistics that a device changed in copies become the replica's.
  void keep_statistics();
  /// Of weights that a device has beside the replica's.
  int64_t bytes_of_copies(std::size_t device) const;
  /// The replica's trained tensors.
  const std::vector<Tensor>& trained() const { return trained_; }
  /// Gradients of trained(), where those lie, added up in the order of the devices; undefined where there is none. They
  /// start anew.
  std::vector<Tensor> take_gradients();

 private:
  struct Copy {
    Tensor from, to;
    int64_t changes;  // of `to` by layers, up to when `from` was last given its values
  };
  void place(const Weight& weight, const Tensor& own, std::size_t device);
  void refresh();

  std::vector<Weight> weights_;
  std::vector<c10::Device> devices_;
  std::vector<std::unordered_set<const Variable*>> needed_;  // by device
  std::vector<WeightMap> maps_;
  std::vector<Tensor> trained_;
  std::vector<std::vector<Tensor>> leaves_;  // by device, as trained_; undefined where it does not compute with one
  std::vector<Copy> copies_;
  std::vector<const void*> followed_;  // by weight: the replica's tensor
};

}  // namespace tandem::distribute
