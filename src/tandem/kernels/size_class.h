#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tandem::kernels {

/// Sizes that memory blocks come in: multiples of 64 bytes up to 512, then eight steps a power of two, so that at most
/// an eighth of a block larger than 512 bytes is unused and a freed block serves every later request of about its size.
struct SizeClass {
  static constexpr int64_t kStep = 64;  // bytes: one cache line
  static constexpr int64_t kSteps = 8;  // a power of two
  static constexpr std::size_t kLargest = std::size_t{1} << 47;
  static constexpr int64_t kCount = kSteps + (47 - 9) * kSteps;

  /// The class of a request of `bytes`, 1 <= bytes <= kLargest.
  static constexpr int64_t of(std::size_t bytes) {
    if (bytes <= kStep * kSteps) return static_cast<int64_t>((bytes - 1) / kStep);
    const int power = std::bit_width(bytes - 1) - 1;  // >= 9
    const auto step = static_cast<int64_t>((bytes - 1) >> (power - 3)) - kSteps;
    return kSteps + (power - 9) * kSteps + step;
  }

  /// Bytes of every block of the class, a multiple of 64.
  static constexpr std::size_t bytes(int64_t size_class) {
    if (size_class < kSteps) return static_cast<std::size_t>((size_class + 1) * kStep);
    const int64_t power = 9 + (size_class - kSteps) / kSteps;
    return static_cast<std::size_t>(kSteps + 1 + size_class % kSteps) << (power - 3);
  }
};

}  // namespace tandem::kernels
