#pragma once
#include <c10/core/ScalarType.h>
#include <c10/util/SmallVector.h>

#include <utility>

#include "tandem/core/tensor.h"
#include "tandem/layers/weight.h"

namespace tandem {

/// While alive, weights that are read on this thread (Weight::value) come in `type`. Each is cast once, also by the
/// scopes of the same type within.
class ComputeScope {
 public:
  explicit ComputeScope(c10::ScalarType type);
  ~ComputeScope();
  ComputeScope(const ComputeScope&) = delete;
  ComputeScope& operator=(const ComputeScope&) = delete;

  /// `value` of `variable` as the scope in force wants it.
  static Tensor cast(const Variable& variable, const Tensor& value);
  /// True where a scope of 16 bits is in force.
  static bool lowers();

 private:
  using Casts = c10::SmallVector<std::pair<const Variable*, Tensor>, 4>;

  const c10::ScalarType type_;
  ComputeScope* const outer_;
  Casts own_casts_;
  Casts& casts_;
};

}  // namespace tandem
