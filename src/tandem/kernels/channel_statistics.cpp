#include "tandem/kernels/channel_statistics.h"

#include <ATen/ops/empty.h>

#include "tandem/kernels/channel_rows.h"
#include "tandem/kernels/channel_sums.h"
#include "tandem/kernels/widest_vectors.h"

namespace tandem::kernels {
namespace {

// Adds the distances to the first row, which are exact where all values are alike.
inline void add_distances(const ChannelRows& x, float* __restrict sum) {
  const float* origin = x.row(0);
  for (int64_t i = 1; i < x.count; ++i) {
    const float* row = x.row(i);
    for (int64_t c = 0; c < x.channels; ++c) sum[c] += row[c] - origin[c];
  }
}

inline void add_squares(const ChannelRows& x, const float* __restrict mean, float* __restrict sum) {
  for (int64_t i = 0; i < x.count; ++i) {
    const float* row = x.row(i);
    for (int64_t c = 0; c < x.channels; ++c) sum[c] += (row[c] - mean[c]) * (row[c] - mean[c]);
  }
}

// Adds the sums of x and of x^2. About a block's rounded mean m the latter is sum (x - m)^2 + m (2 sum x - n m).
void add_statistics(const ChannelRows& x, double* __restrict sums) {
  std::vector<float> values(static_cast<std::size_t>(3 * x.channels));
  float *distances = values.data(), *mean = distances + x.channels, *squares = mean + x.channels;
  const int64_t block = rows_per_block(x.channels);
  for (int64_t first = 0; first < x.count; first += block) {
    const ChannelRows part = x.part(first, std::min(first + block, x.count));
    const auto n = static_cast<float>(part.count);
    std::fill(values.begin(), values.end(), 0.F);
    add_distances(part, distances);
    const float* origin = part.row(0);
    for (int64_t c = 0; c < x.channels; ++c) mean[c] = origin[c] + distances[c] / n;
    add_squares(part, mean, squares);
    for (int64_t c = 0; c < x.channels; ++c) {
      const double sum = distances[c] + static_cast<double>(n) * origin[c], m = mean[c];
      sums[c] += sum;
      sums[x.channels + c] += squares[c] + m * (2 * sum - n * m);
    }
  }
}

}  // namespace

ChannelStatistics channel_statistics(const at::Tensor& x) {
  const ChannelRows rows = channel_rows(x, "channel_statistics");
  const auto sums = channel_sums(rows.count, rows.channels, [&](int64_t first, int64_t end, double* partial) {
    with_widest_vectors([&] { add_statistics(rows.part(first, end), partial); });
  });
  ChannelStatistics result{at::empty({rows.channels}, at::kFloat), at::empty({rows.channels}, at::kFloat)};
  float* mean = result.mean.mutable_data_ptr<float>();
  float* variance = result.variance.mutable_data_ptr<float>();
  for (int64_t c = 0; c < rows.channels; ++c) {
    const double m = sums[static_cast<std::size_t>(c)] / static_cast<double>(rows.count);
    const double v = sums[static_cast<std::size_t>(rows.channels + c)] / static_cast<double>(rows.count) - m * m;
    mean[c] = static_cast<float>(m);
    variance[c] = v < 0 ? 0.F : static_cast<float>(v);  // a NaN stays one
  }
  return result;
}

}  // namespace tandem::kernels
