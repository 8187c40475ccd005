// In place of decode_jpeg.cpp where libjpeg is missing.
#include "tandem/core/error.h"
#include "tandem/data/decode_jpeg.h"

namespace tandem::data {

Tensor decode_jpeg(const std::string&, int64_t, const std::string& where) {
  throw InvalidArgument(where + ": JPEG pictures cannot be read: Tandem was built without libjpeg");
}

}  // namespace tandem::data
