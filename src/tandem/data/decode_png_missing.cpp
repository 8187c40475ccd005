// In place of decode_png.cpp where libpng is missing.
#include "tandem/core/error.h"
#include "tandem/data/decode_png.h"

namespace tandem::data {

Tensor decode_png(const std::string&, int64_t, const std::string& where) {
  throw InvalidArgument(where + ": PNG pictures cannot be read: Tandem was built without libpng");
}

}  // namespace tandem::data
