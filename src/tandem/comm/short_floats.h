#pragma once
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <bit>
#include <cstdint>

namespace tandem::comm {

// 16-bit floating point numbers to float and back, rounded to the nearest, ties to even; NaN becomes the quiet NaN. The
// same bits as by c10's conversions, but without branches, so that loops over them become vector code on any processor.

// By masks, since compilers keep a branch around floating point operations that only one side needs.
[[gnu::always_inline]] inline uint32_t choose(bool first, uint32_t a, uint32_t b) {
  const uint32_t mask = 0U - static_cast<uint32_t>(first);
  return (a & mask) | (b & ~mask);
}

[[gnu::always_inline]] inline float widen(c10::BFloat16 x) {
  return std::bit_cast<float>(static_cast<uint32_t>(x.x) << 16);
}

[[gnu::always_inline]] inline float widen(c10::Half x) {
  constexpr uint32_t kRebias = 112U << 23;  // exponents are biased by 15 in half and by 127 in float
  const uint32_t exponent = x.x & 0x7c00U, magnitude = x.x & 0x7fffU;
  const uint32_t normal = (magnitude << 13) + kRebias + choose(exponent == 0x7c00U, kRebias, 0);
  // Below 2^-14 the bits count units of 2^-24, as the last bits of numbers from 0.5 on do.
  const auto small = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude | 0x3f000000U) - 0.5F);
  const uint32_t sign = static_cast<uint32_t>(x.x & 0x8000U) << 16;
  return std::bit_cast<float>(sign | choose(exponent == 0, small, normal));
}

[[gnu::always_inline]] inline uint16_t narrow_to_bfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
  return static_cast<uint16_t>(choose((bits & 0x7fffffffU) > 0x7f800000U, 0x7fc0U, rounded));
}

[[gnu::always_inline]] inline uint16_t narrow_to_half(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7fffffffU, sign = bits >> 16 & 0x8000U;
  const uint32_t normal = (magnitude - (112U << 23) + 0xfffU + (magnitude >> 13 & 1U)) >> 13;
  const uint32_t small = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000U;
  uint32_t half = choose(magnitude < (113U << 23), small, normal);  // 2^-14
  half = choose(magnitude >= 0x477ff000U, 0x7c00U, half);           // 65520, halfway beyond the largest: infinity
  half = choose(magnitude > 0x7f800000U, 0x7e00U, half);
  return static_cast<uint16_t>(sign | half);
}

}  // namespace tandem::comm
