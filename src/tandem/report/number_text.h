#pragma once
#include <string>

namespace tandem::report {

/// `value` with `digits` after the point, as Python's f"{value:.4f}": NaN is "nan", infinity "inf". Independent of the
/// locale.
std::string fixed_text(double value, int digits);

/// `value` as Python's f"{value:.4e}".
std::string scientific_text(double value, int digits);

/// The shortest digits that read back as `value`; not finite values as Python's str: nan, inf, -inf.
std::string shortest_text(double value);

}  // namespace tandem::report
