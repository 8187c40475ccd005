#include "tandem/kernels/sum_of_squares.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>

namespace tandem::kernels {
namespace {

constexpr int64_t kSquareLanes = 32;    // partial sums that run beside one another in vector registers
constexpr int64_t kSquareBlock = 1024;  // values that are summed in float32
constexpr int64_t kMostSquareParts = 64, kLeastSquarePart = 32768;

double squares_of_block(const float* x, int64_t n) {
  std::array<float, kSquareLanes> lanes{};
  const int64_t whole = n / kSquareLanes * kSquareLanes;
  for (int64_t i = 0; i < whole; i += kSquareLanes) {
    for (int64_t lane = 0; lane < kSquareLanes; ++lane) lanes[lane] += x[i + lane] * x[i + lane];
  }
  double sum = 0;
  for (const float lane : lanes) sum += lane;
  for (int64_t i = whole; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

double squares_of_part(const float* x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i += kSquareBlock) sum += squares_of_block(x + i, std::min(kSquareBlock, n - i));
  return sum;
}

}  // namespace

double sum_of_squares(const float* x, int64_t n) {
  const int64_t count = std::clamp<int64_t>(n / kLeastSquarePart, 1, kMostSquareParts);
  if (count == 1) return squares_of_part(x, n);
  const int64_t length = (n + count - 1) / count;
  std::array<double, kMostSquareParts> parts{};
  at::parallel_for(0, count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      parts[i] = squares_of_part(x + i * length, std::clamp<int64_t>(n - i * length, 0, length));
  });
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

}  // namespace tandem::kernels
