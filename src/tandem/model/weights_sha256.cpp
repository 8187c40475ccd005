#include "tandem/model/weights_sha256.h"

#include "tandem/core/sha256.h"

namespace tandem {

std::string weights_sha256(const Model& model) {
  Sha256 digest;
  for (const auto& values : model.get_weights()) digest.add(values.const_data_ptr(), values.nbytes());
  return digest.hex();
}

}  // namespace tandem
