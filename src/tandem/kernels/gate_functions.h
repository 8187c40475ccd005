#pragma once
#include <bit>
#include <cstdint>

/// The functions of a recurrent cell's gates, written so that compilers make vector instructions of loops over them (a
/// call of the C library's would end that). Their relative error stays below 5e-7; NaN stays NaN.
namespace tandem::kernels {

/// exp(x) - 1 for |x| <= 87, exact near 0 as well: with x = n ln 2 + r it is 2^n (exp(r) - 1) + (2^n - 1).
inline float exp_minus_1(float x) {
  constexpr float kToNearest = 12582912.F;  // 1.5 * 2^23: adding it rounds to a whole number, which its last bits hold
  const float shifted = x * 1.44269504F + kToNearest;
  const float n = shifted - kToNearest;
  const float r =
      (x - n * 0.693359375F) + n * 2.12194440e-4F;  // ln 2 in two parts, of which the first times n is exact
  // Taylor: |r| <= ln 2 / 2, where the first term left out is 5e-9 of the sum.
  const float tail = 1.F / 6 + r * (1.F / 24 + r * (1.F / 120 + r * (1.F / 720 + r * (1.F / 5040))));
  const float small = r + r * r * (0.5F + r * tail);
  const auto power = std::bit_cast<float>((std::bit_cast<uint32_t>(shifted) << 23) + std::bit_cast<uint32_t>(1.F));
  return power * small + (power - 1);
}

/// `x` within +-bound, without a branch, for which compilers would give up on vectors; NaN stays NaN.
inline float within(float x, float bound) {
  const auto bits = std::bit_cast<uint32_t>(x), sign = bits & 0x80000000U;
  const auto far = -static_cast<uint32_t>((bits ^ sign) > std::bit_cast<uint32_t>(bound));
  const auto finite = -static_cast<uint32_t>((bits ^ sign) <= 0x7f800000U);  // or infinite: not NaN
  const uint32_t cut = far & finite;
  return std::bit_cast<float>((bits & ~cut) | ((std::bit_cast<uint32_t>(bound) | sign) & cut));
}

inline float gate_sigmoid(float x) { return 1 / (2 + exp_minus_1(-within(x, 87))); }

inline float gate_tanh(float x) {
  const float e = exp_minus_1(2 * within(x, 15));  // 1 in float32 from there on
  return e / (e + 2);
}

}  // namespace tandem::kernels
