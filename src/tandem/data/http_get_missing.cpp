// In place of http_get.cpp where curl is missing.
#include "tandem/data/http_get.h"

namespace tandem::data {

std::string http_get(const std::string&, const std::filesystem::path&, int64_t) {
  return "Tandem was built without curl and cannot fetch files";
}

}  // namespace tandem::data
