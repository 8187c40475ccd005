#pragma once
#include <cstdint>
#include <set>

#include "tandem/core/tensor.h"

namespace tandem::distribute {

/// Bytes of the memory behind tensors, each piece of it once.
class StorageBytes {
 public:
  void add(const Tensor& tensor) {
    const auto& storage = tensor.storage();
    if (seen_.insert(storage.unsafeGetStorageImpl()).second) bytes_ += static_cast<int64_t>(storage.nbytes());
  }
  int64_t bytes() const { return bytes_; }

 private:
  std::set<const void*> seen_;
  int64_t bytes_ = 0;
};

}  // namespace tandem::distribute
