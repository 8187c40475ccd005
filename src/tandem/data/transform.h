#pragma once
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tandem/core/handle.h"
#include "tandem/core/random.h"
#include "tandem/data/batch.h"

namespace tandem::data {

/// A change to rows on their way to training, applied by worker threads to a whole batch at a time.
class Transform {
 public:
  virtual ~Transform() = default;
  /// The changed batch. `rows[i]` is the stream of row i, keyed by seed, epoch and row: the numbers that a row draws do
  /// not depend on workers, batches or devices. `batch` is the callee's own and may be changed in place.
  virtual Batch apply(Batch batch, std::span<const RandomStream> rows) const = 0;
  virtual std::string class_name() const = 0;
};

/// What map and Compose take: RandomShift(0.1), Rescale(1.0 / 16), ... derive from it.
class TransformHandle {
 public:
  TransformHandle() = default;
  TransformHandle(std::shared_ptr<const Transform> transform) : transform_(std::move(transform)) {}
  bool empty() const { return !transform_; }
  const Transform& operator*() const { return *transform_; }
  const Transform* operator->() const { return transform_.get(); }

 private:
  std::shared_ptr<const Transform> transform_;
};

}  // namespace tandem::data
