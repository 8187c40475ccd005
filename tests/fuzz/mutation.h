#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tandem::fuzz {

using Random = std::mt19937_64;

/// One of `seeds`, changed in one to eight places as files get damaged or are made to do harm: bits, bytes, numbers in
/// binary and in digits, parts left out, repeated, cut off, or taken from another seed.
std::string mutated(const std::vector<std::string>& seeds, Random& random);

}  // namespace tandem::fuzz
