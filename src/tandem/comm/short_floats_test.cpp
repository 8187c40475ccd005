#include "tandem/comm/short_floats.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tandem::comm {
namespace {

uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }

template <class T>
T narrowed(float value) {
  const bool is_half = std::is_same_v<T, c10::Half>;
  return T(is_half ? narrow_to_half(value) : narrow_to_bfloat16(value), T::from_bits());
}

template <class T>
void check_all_values() {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const T x(static_cast<uint16_t>(bits), T::from_bits());
    const float want = static_cast<float>(x);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(widen(x))) << bits;
    } else {
      ASSERT_EQ(bits_of(widen(x)), bits_of(want)) << bits;
      ASSERT_EQ(narrowed<T>(want).x, bits) << bits;
    }
  }
}

TEST(ShortFloats, EveryValueGoesToFloatAndBack) {
  check_all_values<c10::Half>();
  check_all_values<c10::BFloat16>();
}

template <class T>
void check_rounding(uint32_t step) {
  for (uint64_t bits = 0; bits <= 0xffffffffULL; bits += step) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    const T want = static_cast<T>(value);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(static_cast<float>(narrowed<T>(value)))) << bits;
    } else {
      ASSERT_EQ(narrowed<T>(value).x, want.x) << bits;
    }
  }
}

TEST(ShortFloats, FloatsAreRoundedAsByLibTorch) {
  check_rounding<c10::Half>(997);  // prime: all kinds of last bits
  check_rounding<c10::BFloat16>(997);
  // Halfway between two neighbours, and next to it, for every pair: 4096 floats apart in half at normal size.
  for (uint32_t bits = 113U << 23; bits < 144U << 23; bits += 4096) {
    for (const uint32_t near : {bits - 1, bits, bits + 1}) {
      const auto value = std::bit_cast<float>(near);
      ASSERT_EQ(narrowed<c10::Half>(value).x, static_cast<c10::Half>(value).x) << near;
    }
  }
}

}  // namespace
}  // namespace tandem::comm
