#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tandem {

/// A number whose bits all depend on all bits of `value`, for hashes: the finaliser of splitmix64 (Steele et al. 2014).
constexpr uint64_t mix_bits(uint64_t value) {
  uint64_t z = value + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// A number of bytes, taken as words of 8, the last one filled up with zeros. `begin`: that of what came before them.
inline uint64_t mix_bytes(const void* data, std::size_t bytes, uint64_t begin = 0) {
  const auto* at = static_cast<const char*>(data);
  for (std::size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, at + i, std::min(sizeof(word), bytes - i));
    begin = mix_bits(begin ^ word);
  }
  return begin;
}

}  // namespace tandem
