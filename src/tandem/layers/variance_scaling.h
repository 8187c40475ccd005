#pragma once
#include <optional>
#include <string>

#include "tandem/core/handle.h"
#include "tandem/layers/initializer.h"

/// Initializers whose spread follows from a weight's fans: the number of inputs that feed one output and the reverse. A
/// kernel
/// (..., in, out) has fan_in = receptive field * in and fan_out = receptive field * out.
namespace tandem::initializers {

struct VarianceScalingOptions {
  double scale = 1;
  std::string mode = "fan_in";                    // "fan_in", "fan_out", "fan_avg"
  std::string distribution = "truncated_normal";  // also "untruncated_normal", "uniform"
  std::optional<int64_t> seed = {};
};

/// Values of variance scale / fan. Throws InvalidArgument on scale <= 0 or an unknown mode or distribution.
struct VarianceScaling : Handle<Initializer> {
  explicit VarianceScaling(VarianceScalingOptions options = {});
};

struct SeedOptions {
  std::optional<int64_t> seed = {};
};

/// Uniform within +-sqrt(6 / (fan_in + fan_out)): Glorot and Bengio 2010. Keras's default for kernels.
struct GlorotUniform : Handle<Initializer> {
  explicit GlorotUniform(SeedOptions options = {});
};
/// Truncated normal of variance 2 / (fan_in + fan_out).
struct GlorotNormal : Handle<Initializer> {
  explicit GlorotNormal(SeedOptions options = {});
};
/// Uniform within +-sqrt(6 / fan_in): He et al. 2015.
struct HeUniform : Handle<Initializer> {
  explicit HeUniform(SeedOptions options = {});
};
/// Truncated normal of variance 2 / fan_in.
struct HeNormal : Handle<Initializer> {
  explicit HeNormal(SeedOptions options = {});
};
/// Uniform within +-sqrt(3 / fan_in): LeCun et al. 1998.
struct LecunUniform : Handle<Initializer> {
  explicit LecunUniform(SeedOptions options = {});
};
/// Truncated normal of variance 1 / fan_in.
struct LecunNormal : Handle<Initializer> {
  explicit LecunNormal(SeedOptions options = {});
};

struct Fans {
  double in, out;
};
Fans compute_fans(const Shape& shape);

}  // namespace tandem::initializers
