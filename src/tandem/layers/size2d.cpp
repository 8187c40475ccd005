#include "tandem/layers/size2d.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {

Size2D Size2D::of(const std::string& where, std::initializer_list<int64_t> numbers) {
  if (numbers.size() == 1) return *numbers.begin();
  if (numbers.size() == 2) return {*numbers.begin(), *(numbers.begin() + 1)};
  throw InvalidArgument(c10::str(where, " must be one or two numbers, got ", numbers.size(), " of them"));
}

}  // namespace tandem
