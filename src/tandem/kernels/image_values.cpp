#include "tandem/kernels/image_values.h"

#include <algorithm>
#include <utility>

#include "tandem/kernels/widest_vectors.h"

namespace tandem::kernels {
namespace {

constexpr float kWhite = 255;

std::pair<float, float> range_of(const float* image, int64_t count) {
  float least = image[0], most = image[0];
  for (int64_t k = 1; k < count; ++k) {
    least = image[k] < least ? image[k] : least;
    most = image[k] > most ? image[k] : most;
  }
  return {least, most};
}

}  // namespace

void shift_values(float* image, int64_t count, float intensity) {
  const auto [least, most] = range_of(image, count);
  with_widest_vectors([=, least = least, most = most] {
    for (int64_t k = 0; k < count; ++k) image[k] = std::min(std::max(image[k] + intensity, least), most);
  });
}

void brighten(float* image, int64_t count, float factor) {
  auto [black, white] = range_of(image, count);
  if (black >= 0 && white <= kWhite) {
    black = 0;
    white = kWhite;
  }
  with_widest_vectors([=, black = black, white = white] {
    for (int64_t k = 0; k < count; ++k) {
      image[k] = std::min(std::max((image[k] - black) * factor, 0.0F), white - black) + black;
    }
  });
}

}  // namespace tandem::kernels
