#pragma once
#include <optional>

#include "tandem/core/handle.h"
#include "tandem/layers/initializer.h"

/// Initializers that draw. Each takes its numbers from the weight's stream (set_random_seed, layer, weight); a `seed`
/// of its own replaces that stream, so that every weight drawn with it and of one shape is the same.
namespace tandem::initializers {

struct RandomNormalOptions {
  double mean = 0;
  double stddev = 0.05;
  std::optional<int64_t> seed = {};
};

struct RandomNormal : Handle<Initializer> {
  explicit RandomNormal(RandomNormalOptions options = {});
};

/// A normal distribution cut off at two standard deviations.
struct TruncatedNormal : Handle<Initializer> {
  explicit TruncatedNormal(RandomNormalOptions options = {});
};

struct RandomUniformOptions {
  double minval = -0.05;
  double maxval = 0.05;  // exclusive
  std::optional<int64_t> seed = {};
};

struct RandomUniform : Handle<Initializer> {
  explicit RandomUniform(RandomUniformOptions options = {});
};

struct OrthogonalOptions {
  double gain = 1;
  std::optional<int64_t> seed = {};
};

/// `gain` times a random matrix with orthonormal columns (or rows, where there are fewer) of shape (all axes but the
/// last, last axis): Saxe et al. 2014. Throws InvalidArgument on a weight of rank below 2 when drawn.
struct Orthogonal : Handle<Initializer> {
  explicit Orthogonal(OrthogonalOptions options = {});
};

/// float32 tensors of the shape: normal, and normal cut off at two standard deviations.
Tensor draw_normal(const Shape& shape, const RandomStream& random, double mean, double stddev);
Tensor draw_truncated_normal(const Shape& shape, const RandomStream& random, double mean, double stddev);
Tensor draw_uniform(const Shape& shape, const RandomStream& random, double low, double high);

/// The weight's stream, or that of the seed where one is given.
RandomStream stream_of(const std::optional<int64_t>& seed, const RandomStream& random);
/// null, or the seed.
Config seed_config(const std::optional<int64_t>& seed);

}  // namespace tandem::initializers
