#pragma once
#include <cstdint>

namespace tandem {

/// A number whose bits all depend on all bits of `value`, for hashes: the finaliser of splitmix64 (Steele et al. 2014).
constexpr uint64_t mix_bits(uint64_t value) {
  uint64_t z = value + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace tandem
