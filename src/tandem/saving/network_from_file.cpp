#include "tandem/saving/network_from_file.h"

#include <algorithm>

#include "tandem/layers/weight_allowance.h"
#include "tandem/network/network_config.h"
#include "tandem/saving/config_code.h"

namespace tandem::saving {
namespace {

// As for the members of an archive: small ones are taken at their word, large ones grow a hundredfold at most. Files
// hold half precision and compressed weights, too.
constexpr int64_t kFreeElements = int64_t{64} << 20;
constexpr int64_t kMostElementsOfAByte = 25;

}  // namespace

std::shared_ptr<Network> network_from_file(const Config& entry, int64_t weight_bytes) {
  refuse_code(entry);
  const int64_t most = std::min(weight_bytes, INT64_MAX / kMostElementsOfAByte) * kMostElementsOfAByte;
  const WeightAllowance allowance(std::max(kFreeElements, most));
  return network_from_model_config(entry);
}

}  // namespace tandem::saving
