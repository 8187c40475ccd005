#pragma once
#include <c10/core/Device.h>

#include <functional>
#include <memory>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/layers/weight.h"
#include "tandem/optimizers/optimizer.h"

namespace tandem::distribute {

/// What FlatWeights keep, and how much room.
struct FlatMemory {
  int64_t parts = 1;  // that the buffers can be cut into, equal and each of whole cache lines
  /// False: place_values says where each weight is.
  bool parameters = true;
  /// False: backward's gradients are taken one by one.
  bool gradients = true;
};

/// One replica's copy of the trainable weights, side by side in one buffer, and their gradients in another with the
/// same places: neighbours are exchanged and updated together. Each weight's tensor is a view with the master's
/// strides, a leaf whose .grad is a view of the gradient buffer, so that backward adds in place.
class FlatWeights {
 public:
  /// Lays out `weights` one after the other in `order` (indexes into `weights`; empty: as they come); values are zero
  /// until load.
  explicit FlatWeights(const std::vector<Weight>& weights, const std::vector<std::size_t>& order = {},
                       c10::Device device = c10::kCPU, const FlatMemory& memory = {});
  /// A replica on the device of `other`: the same parameters in the same memory, gradients of its own.
  static FlatWeights beside(const FlatWeights& other);

  /// Of a memory without parameters: weight i is `values[i]`, in its shape, from now on.
  void place_values(std::vector<Tensor> values);
  /// Puts this replica's tensors into `map`.
  void add_to(WeightMap& map) const;
  /// Copies the masters' values in, or back out.
  void load();
  void store() const;
  /// Sets all gradients to zero and makes each .grad the view of its place again.
  void zero_gradients();
  /// Of a memory without gradients: the one that backward has made of weight i, or undefined; it is forgotten here.
  Tensor take_gradient(std::size_t i);
  /// Moves gradients that backward put elsewhere into the buffer (autograd may replace .grad); a no-op else.
  void gather_gradients();
  void gather_gradient(std::size_t i);
  /// Calls `ready(i)` from within backward, on the thread that runs it, when weight i has its whole gradient.
  void on_gradient(std::function<void(std::size_t)> ready);

  /// Of a buffer.
  int64_t elements() const { return elements_; }
  Tensor& parameters() { return parameters_; }
  const Tensor& parameters() const { return parameters_; }
  Tensor& gradients() { return gradients_; }
  const Tensor& gradients() const { return gradients_; }
  const std::vector<Weight>& weights() const { return weights_; }
  /// Where each weight lies in the buffers, in elements.
  const std::vector<FlatPlace>& places() const { return places_; }
  /// View of weight i's place in any buffer laid out like these (a slot of the optimizer), in the weight's shape.
  Tensor view(const Tensor& buffer, std::size_t i) const;
  /// Weight i, as it is computed with.
  const Tensor& value(std::size_t i) const { return values_[i]; }

 private:
  void make_leaves();
  bool keeps_gradients() const { return gradients_.defined(); }

  std::vector<Weight> weights_;
  std::vector<FlatPlace> places_;
  int64_t elements_ = 0;
  Tensor parameters_, gradients_;
  std::vector<Tensor> values_, gradient_views_;
};

}  // namespace tandem::distribute
