#include "tandem/optimizers/clipping.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

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

// Of the weights' gradients, each over all ranks.
std::vector<double> squares_by_weight(const float* values, std::span<const FlatPlace> weights,
                                      const GradientShards& shards) {
  std::vector<double> squares;
  for (const FlatPlace& weight : weights)
    squares.push_back(kernels::sum_of_squares(values + weight.offset, weight.count));
  shards.sum_by_weight(squares);
  return squares;
}

void clip_flat(float* values, int64_t n, std::span<const FlatPlace> weights, const Clipping& clipping,
               const GradientShards* shards) {
  if (clipping.clipnorm > 0) {
    const bool in_parts = shards && shards->sum_by_weight;
    const auto squares = in_parts ? squares_by_weight(values, weights, *shards) : std::vector<double>();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const FlatPlace& weight = weights[i];
      const double norm =
          std::sqrt(in_parts ? squares[i] : kernels::sum_of_squares(values + weight.offset, weight.count));
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

/// The same by tensor operations; without waiting for a device where nobody has the rest.
void clip_tensor(Tensor& gradients, std::span<const FlatPlace> weights, const Clipping& clipping,
                 const GradientShards* shards) {
  const c10::AutoGradMode no_gradient(false);
  const auto of = [&](const FlatPlace& weight) { return gradients.narrow(0, weight.offset, weight.count); };
  const auto squares_of = [](const Tensor& part) { return part.square().sum(at::kFloat).item<double>(); };
  if (clipping.clipnorm > 0 && shards && shards->sum_by_weight) {
    std::vector<double> squares;
    for (const FlatPlace& weight : weights) squares.push_back(squares_of(of(weight)));
    shards->sum_by_weight(squares);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double norm = std::sqrt(squares[i]);
      if (!(norm <= clipping.clipnorm)) of(weights[i]).mul_(clipping.clipnorm / norm);
    }
  } else if (clipping.clipnorm > 0) {
    for (const FlatPlace& weight : weights) {
      Tensor gradient = of(weight);
      gradient.mul_(clipping.clipnorm / gradient.norm().clamp_min(clipping.clipnorm));
    }
  } else if (clipping.global_clipnorm > 0 && shards) {
    double squares = squares_of(gradients);
    for (const FlatPlace& weight : shards->counted_elsewhere) squares -= squares_of(of(weight));
    const double norm = std::sqrt(shards->sum(squares));
    if (norm <= clipping.global_clipnorm) return;
    gradients.mul_(std::isinf(norm) ? std::numeric_limits<double>::quiet_NaN() : clipping.global_clipnorm / norm);
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
  } else {
    clip_tensor(gradients, weights, clipping, shards);
  }
}

}  // namespace tandem
