#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tandem/core/shape.h"
#include "tandem/core/tensor.h"

namespace tandem {

/// A stream of random numbers addressed by position: element i is a function of (key, i) alone (Philox 4x32-10, Salmon
/// et al. 2011), so it does not matter which thread asks, in which order, or how often. Streams are derived from one
/// another by `fold`, as in `root.fold("dropout").fold(epoch).fold(step)`.
class RandomStream {
 public:
  RandomStream() = default;
  explicit RandomStream(uint64_t key) : key_(key) {}

  /// An independent stream for `value`; the same pair always gives the same stream.
  RandomStream fold(uint64_t value) const;
  RandomStream fold(std::string_view name) const;

  uint64_t key() const { return key_; }

  /// Elements [first, first + out.size()) of the stream, uniform in [0, 1) with 24 bits.
  void uniform(std::span<float> out, uint64_t first = 0) const;
  /// Elements [first, ...) of the stream, standard normal (Box-Muller).
  void normal(std::span<float> out, uint64_t first = 0) const;
  float uniform_at(uint64_t i) const;
  /// Whole number in [0, n) from element i; n > 0.
  int64_t below(int64_t n, uint64_t i = 0) const;
  /// A permutation of 0 ... n-1.
  std::vector<int64_t> permutation(int64_t n) const;

  /// float32 CPU tensors filled with elements [first, first + count) in row-major order.
  Tensor uniform(const Shape& shape, uint64_t first = 0) const;
  Tensor normal(const Shape& shape, uint64_t first = 0) const;

 private:
  uint64_t key_ = 0;
};

/// Makes everything that follows repeatable: initial weights, shuffling, augmentation, dropout. Starts the count of
/// layers anew, so that a net rebuilt after the same seed starts with equal weights. As keras.utils.set_random_seed.
void set_random_seed(int64_t seed);

/// The stream that all others come from. Drawn from the system once a process unless set_random_seed was called.
RandomStream random_root();

/// The number of the next layer made since set_random_seed (0, 1, ...): keys its initial weights. Thread-safe.
int64_t next_layer_number();

}  // namespace tandem
