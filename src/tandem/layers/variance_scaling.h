#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tandem/core/handle.h"
#include "tandem/layers/initializer.h"

/// Initializers whose spread follows from a weight's fans: the number of inputs that feed one output and the reverse. A
/// kernel (..., in, out) has fan_in = receptive field * in and fan_out = receptive field * out. For kernels of another
/// layout input_axes and output_axes, where both are given, name the axes whose sizes make the fans.
namespace tandem::initializers {

using OptionalAxes = std::optional<std::vector<int64_t>>;

struct VarianceScalingOptions {
  double scale = 1;
  std::string mode = "fan_in";                    // "fan_in", "fan_out", "fan_avg"
  std::string distribution = "truncated_normal";  // also "untruncated_normal", "uniform"
  std::optional<int64_t> seed = {};
  OptionalAxes input_axes = {};
  OptionalAxes output_axes = {};
};

/// Values of variance scale / fan. Throws InvalidArgument on scale <= 0 or an unknown mode or distribution.
struct VarianceScaling : Handle<Initializer> {
  explicit VarianceScaling(VarianceScalingOptions options = {});
};

struct FanOptions {
  std::optional<int64_t> seed = {};
  OptionalAxes input_axes = {};
  OptionalAxes output_axes = {};
};

/// Uniform within +-sqrt(6 / (fan_in + fan_out)): Glorot and Bengio 2010. Keras's default for kernels.
struct GlorotUniform : Handle<Initializer> {
  explicit GlorotUniform(FanOptions options = {});
};
/// Truncated normal of variance 2 / (fan_in + fan_out).
struct GlorotNormal : Handle<Initializer> {
  explicit GlorotNormal(FanOptions options = {});
};
/// Uniform within +-sqrt(6 / fan_in): He et al. 2015.
struct HeUniform : Handle<Initializer> {
  explicit HeUniform(FanOptions options = {});
};
/// Truncated normal of variance 2 / fan_in.
struct HeNormal : Handle<Initializer> {
  explicit HeNormal(FanOptions options = {});
};
/// Uniform within +-sqrt(3 / fan_in): LeCun et al. 1998.
struct LecunUniform : Handle<Initializer> {
  explicit LecunUniform(FanOptions options = {});
};
/// Truncated normal of variance 1 / fan_in.
struct LecunNormal : Handle<Initializer> {
  explicit LecunNormal(FanOptions options = {});
};

struct Fans {
  double in, out;
};
/// Throws InvalidArgument on an axis that the shape has not.
Fans compute_fans(const Shape& shape, const OptionalAxes& input_axes = {}, const OptionalAxes& output_axes = {});

}  // namespace tandem::initializers
