#include "tandem/callbacks/python_text.h"

#include <cmath>

#include "tandem/core/json_writer.h"

namespace tandem {

std::string python_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return json_real(value);
}

}  // namespace tandem
