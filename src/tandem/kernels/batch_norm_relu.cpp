#include "tandem/kernels/batch_norm_relu.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/kernels/channel_rows.h"
#include "tandem/kernels/channel_sums.h"
#include "tandem/kernels/widest_vectors.h"

namespace tandem::kernels {
namespace {

/// The normalised value is (x - mean) * scale + beta.
struct Coefficients {
  const float *mean, *scale, *beta;
};

/// Keeps the arrays behind Coefficients: gamma and the deviation are one factor, and an absent gamma or beta is there.
class ChannelFactors {
 public:
  ChannelFactors(const ChannelNorm& norm, int64_t channels)
      : mean_(norm.mean), scale_(at::empty({channels}, at::kFloat)) {
    check(norm.mean, channels, "mean");
    check(norm.inverse_deviation, channels, "inverse_deviation");
    if (norm.gamma.defined()) check(norm.gamma, channels, "gamma");
    if (norm.beta.defined()) check(norm.beta, channels, "beta");
    beta_ = norm.beta.defined() ? norm.beta : at::zeros({channels}, at::kFloat);
    const float* deviation = norm.inverse_deviation.const_data_ptr<float>();
    const float* gamma = norm.gamma.defined() ? norm.gamma.const_data_ptr<float>() : nullptr;
    auto* scale = scale_.mutable_data_ptr<float>();
    for (int64_t c = 0; c < channels; ++c) scale[c] = gamma ? deviation[c] * gamma[c] : deviation[c];
  }

  Coefficients pointers() const {
    return {mean_.const_data_ptr<float>(), scale_.const_data_ptr<float>(), beta_.const_data_ptr<float>()};
  }

 private:
  static void check(const at::Tensor& t, int64_t channels, const char* name) {
    if (t.defined() && t.dim() == 1 && t.size(0) == channels && t.scalar_type() == at::kFloat && t.device().is_cpu() &&
        t.is_contiguous()) {
      return;
    }
    throw InvalidArgument(c10::str("batch_norm_relu: ", name, " must be a contiguous float32 CPU tensor (", channels,
                                   ",), got ", t.toString(), " ", t.defined() ? t.sizes() : at::IntArrayRef{}));
  }

  at::Tensor mean_, scale_, beta_;
};

// Rows that are worth handing to another thread.
int64_t grain(int64_t channels) { return std::max<int64_t>(1, 32768 / channels); }

inline void write_outputs(const ChannelRows& x, const Coefficients& k, float* __restrict out) {
  const float* __restrict mean = k.mean, * __restrict scale = k.scale, * __restrict beta = k.beta;
  for (int64_t i = 0; i < x.count; ++i, out += x.channels) {
    const float* row = x.row(i);
    for (int64_t c = 0; c < x.channels; ++c) {
      const float y = (row[c] - mean[c]) * scale[c] + beta[c];
      out[c] = y < 0 ? 0 : y;
    }
  }
}

/// What of an output's gradient passes the ReLU; a NaN output passes all, as in LibTorch.
inline float passed(float gradient, float y) { return y <= 0 ? 0 : gradient; }

// Adds g and g (x - mean) of each row, g being what passes the ReLU.
inline void add_block(const ChannelRows& gradient, const ChannelRows& x, const Coefficients& k, float* __restrict sum,
                      float* __restrict products) {
  const float* __restrict mean = k.mean, * __restrict scale = k.scale, * __restrict beta = k.beta;
  for (int64_t i = 0; i < x.count; ++i) {
    const float *row = x.row(i), *g = gradient.row(i);
    for (int64_t c = 0; c < x.channels; ++c) {
      const float d = row[c] - mean[c], p = passed(g[c], d * scale[c] + beta[c]);
      sum[c] += p;
      products[c] += p * d;
    }
  }
}

void add_gradients(const ChannelRows& gradient, const ChannelRows& x, const Coefficients& k, double* __restrict sums) {
  std::vector<float> values(static_cast<std::size_t>(2 * x.channels));
  const int64_t block = rows_per_block(x.channels);
  for (int64_t first = 0; first < x.count; first += block) {
    const int64_t end = std::min(first + block, x.count);
    std::fill(values.begin(), values.end(), 0.F);
    add_block(gradient.part(first, end), x.part(first, end), k, values.data(), values.data() + x.channels);
    for (int64_t c = 0; c < 2 * x.channels; ++c) sums[c] += values[static_cast<std::size_t>(c)];
  }
}

// scale * g - offset - slope (x - mean)
inline void write_gradients(const ChannelRows& gradient, const ChannelRows& x, const Coefficients& k,
                            const float* __restrict offset, const float* __restrict slope, float* __restrict out) {
  const float* __restrict mean = k.mean, * __restrict scale = k.scale, * __restrict beta = k.beta;
  for (int64_t i = 0; i < x.count; ++i, out += x.channels) {
    const float *row = x.row(i), *g = gradient.row(i);
    for (int64_t c = 0; c < x.channels; ++c) {
      const float d = row[c] - mean[c];
      out[c] = scale[c] * passed(g[c], d * scale[c] + beta[c]) - offset[c] - slope[c] * d;
    }
  }
}

}  // namespace

at::Tensor batch_norm_relu(const at::Tensor& x, const ChannelNorm& norm) {
  const ChannelRows rows = channel_rows(x, "batch_norm_relu");
  const ChannelFactors factors(norm, rows.channels);
  const Coefficients k = factors.pointers();
  at::Tensor out = at::empty(x.sizes(), at::kFloat);
  float* to = out.mutable_data_ptr<float>();
  at::parallel_for(0, rows.count, grain(rows.channels), [&](int64_t first, int64_t end) {
    with_widest_vectors([&] { write_outputs(rows.part(first, end), k, to + first * rows.channels); });
  });
  return out;
}

BatchNormReluGradients batch_norm_relu_backward(const at::Tensor& gradient, const at::Tensor& x,
                                                const ChannelNorm& norm, bool from_batch) {
  const ChannelRows rows = channel_rows(x, "batch_norm_relu_backward");
  const ChannelRows g = channel_rows(gradient, "batch_norm_relu_backward");
  if (gradient.sizes() != x.sizes()) {
    throw InvalidArgument(c10::str("batch_norm_relu_backward: the gradient must have the shape of x, ", x.sizes(),
                                   ", got ", gradient.sizes()));
  }
  const int64_t channels = rows.channels;
  const ChannelFactors factors(norm, channels);
  const Coefficients k = factors.pointers();
  const auto sums = channel_sums(rows.count, channels, [&](int64_t first, int64_t end, double* partial) {
    with_widest_vectors([&] { add_gradients(g.part(first, end), rows.part(first, end), k, partial); });
  });

  const auto vector = [&] { return at::empty({channels}, at::kFloat); };
  BatchNormReluGradients result{at::empty(x.sizes(), at::kFloat), vector(), vector()};
  std::vector<float> offset(static_cast<std::size_t>(channels)), slope(static_cast<std::size_t>(channels));
  const float* deviation = norm.inverse_deviation.const_data_ptr<float>();
  auto *gamma = result.gamma.mutable_data_ptr<float>(), *beta = result.beta.mutable_data_ptr<float>();
  const auto n = static_cast<double>(rows.count);
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    const double sum = sums[c], product = sums[static_cast<std::size_t>(channels) + c];
    beta[c] = static_cast<float>(sum);
    gamma[c] = static_cast<float>(product * deviation[c]);
    if (!from_batch) continue;
    offset[c] = static_cast<float>(k.scale[c] * sum / n);
    slope[c] = static_cast<float>(k.scale[c] * product * deviation[c] * deviation[c] / n);
  }
  float* to = result.x.mutable_data_ptr<float>();
  at::parallel_for(0, rows.count, grain(channels), [&](int64_t first, int64_t end) {
    with_widest_vectors([&] {
      write_gradients(g.part(first, end), rows.part(first, end), k, offset.data(), slope.data(), to + first * channels);
    });
  });
  return result;
}

}  // namespace tandem::kernels
