// In place of sha256.cpp where OpenSSL is missing.
#include "tandem/core/error.h"
#include "tandem/data/sha256.h"

namespace tandem::data {

std::string sha256_of(const std::string& path) {
  throw InvalidArgument(path + ": checksums cannot be made: Tandem was built without OpenSSL");
}

}  // namespace tandem::data
