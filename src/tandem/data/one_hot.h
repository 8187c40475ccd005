#pragma once
#include <cstdint>

#include "tandem/data/transform.h"

namespace tandem::data {

/// Every target becomes one-hot rows: labels (rows) to float32 (rows, classes). See to_categorical.
class OneHot : public TransformHandle {
 public:
  explicit OneHot(int64_t classes);
};

}  // namespace tandem::data
