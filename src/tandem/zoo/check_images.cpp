#include "tandem/zoo/check_images.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::zoo {

void check_images(const std::string& model, const Shape& shape, int64_t least, int64_t classes) {
  if (shape.rank() != 3)
    throw InvalidArgument(c10::str(model, ": input_shape must be (height, width, channels), got ", shape));
  if (classes < 2) throw InvalidArgument(c10::str(model, ": classes must be at least 2, got ", classes));
  for (const int64_t axis : {0, 1}) {
    if (shape[axis] != Shape::kUnknown && shape[axis] < least) {
      throw InvalidArgument(
          c10::str(model, ": images must be at least ", least, "x", least, ", got input_shape ", shape));
    }
  }
}

}  // namespace tandem::zoo
