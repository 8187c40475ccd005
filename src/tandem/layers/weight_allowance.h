#pragma once
#include <cstdint>
#include <string>

#include "tandem/core/shape.h"

namespace tandem {

class Layer;

/// While alive, layers that are built on this thread may declare weights of at most `elements` in all. For models from
/// files: a file of a few bytes can ask for a layer of any size, and no more than its weights' part holds can be true.
class WeightAllowance {
 public:
  explicit WeightAllowance(int64_t elements);
  ~WeightAllowance();
  WeightAllowance(const WeightAllowance&) = delete;
  WeightAllowance& operator=(const WeightAllowance&) = delete;

  /// Takes a weight of this shape out of what this thread's innermost one has left, where there is one. Throws
  /// InvalidArgument naming the layer and the weight when it is not enough.
  static void take(const Layer& layer, const std::string& weight, const Shape& shape);

 private:
  int64_t left_;
  WeightAllowance* outer_;
};

}  // namespace tandem
