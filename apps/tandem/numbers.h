#pragma once
#include <CLI/App.hpp>
#include <cstdint>
#include <limits>

namespace tandem::cli {

/// For CLI::Option::transform: the text must be a whole decimal number from `least` to `most`, and says so in one line
/// otherwise ("--epochs: must be a whole number of at least 1, got 'x'"). CLI11 alone reads "010" as eight and takes
/// numbers that are too large for the largest.
CLI::Validator whole_number(int64_t least, int64_t most = std::numeric_limits<int64_t>::max());

/// The same for a real number. What is not finite is refused.
CLI::Validator real_number(double least, double most = std::numeric_limits<double>::infinity());

}  // namespace tandem::cli
