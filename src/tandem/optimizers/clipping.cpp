#include "tandem/optimizers/clipping.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tandem/core/error.h"
#include "tandem/kernels/sum_of_squares.h"
#include "tandem/optimizers/settings.h"

namespace tandem {
namespace {

// Elements that one thread takes at least.
constexpr int64_t kClipGrain = 32768;

void scale_values(float* values, int64_t n, float scale) {
  at::parallel_for(0, n, kClipGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) values[i] *= scale;
  });
}

void bound_values(float* values, int64_t n, float bound) {
  at::parallel_for(0, n, kClipGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float value = values[i];  // NaN stays: it fails both comparisons
      values[i] = value < -bound ? -bound : value > bound ? bound : value;
    }
  });
}

// Of the gradients of all ranks.
double squares_of_all(const float* values, int64_t n, const GradientShards* shards) {
  double squares = kernels::sum_of_squares(values, n);
  if (!shards) return squares;
  for (const FlatPlace& weight : shards->counted_elsewhere)
    squares -= kernels::sum_of_squares(values + weight.offset, weight.count);
  return shards->sum(squares);
}

// Of one weight, wherever its parts are.
double squares_of(const float* values, const FlatPlace& weight, const GradientShards* shards) {
  const double squares = kernels::sum_of_squares(values + weight.offset, weight.count);
  if (!shards) return squares;
  const bool divided = std::any_of(shards->divided.begin(), shards->divided.end(),
                                   [&](const FlatPlace& part) { return part.offset == weight.offset; });
  return divided ? shards->sum(squares) : squares;
}

void clip_flat(float* values, int64_t n, std::span<const FlatPlace> weights, const Clipping& clipping,
               const GradientShards* shards) {
  if (clipping.clipnorm > 0) {
    for (const FlatPlace& weight : weights) {
      const double norm = std::sqrt(squares_of(values, weight, shards));
      if (norm <= clipping.clipnorm) continue;
      scale_values(values + weight.offset, weight.count, static_cast<float>(clipping.clipnorm / norm));
    }
  } else if (clipping.global_clipnorm > 0) {
    const double norm = std::sqrt(squares_of_all(values, n, shards));
    if (norm <= clipping.global_clipnorm) return;
    const double scale = std::isinf(norm) ? std::numeric_limits<double>::quiet_NaN() : clipping.global_clipnorm / norm;
    scale_values(values, n, static_cast<float>(scale));
  } else {
    bound_values(values, n, static_cast<float>(clipping.clipvalue));
  }
}

/// The same by tensor operations, without waiting for a device.
void clip_tensor(Tensor& gradients, std::span<const FlatPlace> weights, const Clipping& clipping) {
  const c10::AutoGradMode no_gradient(false);
  if (clipping.clipnorm > 0) {
    for (const FlatPlace& weight : weights) {
      Tensor gradient = gradients.narrow(0, weight.offset, weight.count);
      gradient.mul_(clipping.clipnorm / gradient.norm().clamp_min(clipping.clipnorm));
    }
  } else if (clipping.global_clipnorm > 0) {
    const Tensor norm = gradients.norm();
    gradients.mul_(clipping.global_clipnorm / norm.clamp_min(clipping.global_clipnorm) + (norm - norm));
  } else {
    gradients.clamp_(-clipping.clipvalue, clipping.clipvalue);
  }
}

}  // namespace

void check_clipping(const std::string& where, const Clipping& clipping) {
  const std::pair<const char*, double> bounds[] = {{"clipnorm", clipping.clipnorm},
                                                   {"clipvalue", clipping.clipvalue},
                                                   {"global_clipnorm", clipping.global_clipnorm}};
  std::string given;
  int count = 0;
  for (const auto& [name, bound] : bounds) {
    check_at_least_zero(where, name, bound);
    if (bound == 0) continue;
    given += c10::str(count++ ? ", " : "", name, "=", bound);
  }
  if (count > 1) {
    throw InvalidArgument(
        c10::str(where, ": only one of clipnorm, clipvalue and global_clipnorm can be set, got ", given));
  }
}

void clip_gradients(Tensor& gradients, std::span<const FlatPlace> weights, const Clipping& clipping,
                    const GradientShards* shards) {
  if (!clipping.any()) return;
  if (gradients.dim() != 1) {
    throw InternalError(c10::str("clip: must get a flat buffer (n,), got one of ", gradients.dim(), " axes"));
  }
  for (const FlatPlace& weight : weights) {
    if (weight.offset >= 0 && weight.count >= 0 && weight.offset + weight.count <= gradients.numel()) continue;
    throw InternalError(c10::str("clip: a weight of ", weight.count, " elements at ", weight.offset,
                                 " must lie within the buffer's ", gradients.numel()));
  }
  if (gradients.is_cpu() && gradients.scalar_type() == at::kFloat && gradients.is_contiguous()) {
    clip_flat(gradients.mutable_data_ptr<float>(), gradients.numel(), weights, clipping, shards);
  } else if (shards && (clipping.global_clipnorm > 0 || !shards->divided.empty())) {
    throw InvalidArgument("clipping: gradients that several ranks share must be float32 on CPUs");
  } else {
    clip_tensor(gradients, weights, clipping);
  }
}

}  // namespace tandem
