#pragma once
#include <string>

namespace tandem {

/// `value` as Python's repr writes a float: the fewest digits that read back the same, "0.1", "1.0", "1e-05", "nan".
std::string python_text(double value);

}  // namespace tandem
