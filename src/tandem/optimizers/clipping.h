#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem {

/// Where a weight lies in a flat buffer, in elements.
struct FlatPlace {
  int64_t offset = 0;
  int64_t count = 0;
};

/// Bounds that gradients are clipped to before an update, as the settings of these names of keras.optimizers. 0: none;
/// at most one is set.
struct Clipping {
  /// Largest L2 norm of each weight's gradient.
  double clipnorm = 0;
  /// Largest absolute value of each element.
  double clipvalue = 0;
  /// Largest L2 norm of all gradients together.
  double global_clipnorm = 0;

  bool any() const { return clipnorm > 0 || clipvalue > 0 || global_clipnorm > 0; }
};

/// The ranks that have a model's gradients between them, each those of some weights or a part of each weight.
struct GradientShards {
  /// Adds up a number over the ranks; collective.
  std::function<double(double)> sum;
  /// Of this rank's buffer: what another one counts, since both have it (a weight that two stages share).
  std::vector<FlatPlace> counted_elsewhere = {};
  /// Where weights are in parts: adds up a number for each weight, in the order of the buffer's, over the ranks that
  /// have parts of it; collective. Empty: weights are whole.
  std::function<void(std::vector<double>&)> sum_by_weight = {};
  bool leads = true;  // of these ranks this is the one that tells what all of them found
};

/// Throws InvalidArgument in the name of `where` when a bound is no finite number >= 0, or more than one is set.
void check_clipping(const std::string& where, const Clipping& clipping);

/// Clips in place the flat buffer `gradients` (n,), in which the gradient of weight i lies at weights[i] and all else
/// is zero. A gradient over its bound is scaled down to it, or its elements are cut off at +-clipvalue. The result does
/// not depend on the number of threads. float32 on the CPU needs no memory; other types and devices go by tensor
/// operations. Norms that are not finite act as in Keras: by weight infinity gives 0 where the gradient is finite, NaN
/// gives NaN; over all weights both give NaN everywhere.
/// With `shards` norms are those over all ranks, which must all call this, where weights are in parts with as many
/// `weights`, of whatever lengths.
void clip_gradients(Tensor& gradients, std::span<const FlatPlace> weights, const Clipping& clipping,
                    const GradientShards* shards = nullptr);

}  // namespace tandem
