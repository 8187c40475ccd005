#pragma once
#include "tandem/core/handle.h"
#include "tandem/layers/axes.h"
#include "tandem/layers/constraint.h"

/// Keras's constraints. `axis` is what a norm runs over: 0 gives each unit of a Dense kernel (in, units) a norm of its
/// own, {0, 1, 2} each filter of a Conv2D kernel (height, width, in, filters). An axis that the weight has not is
/// refused with InvalidArgument when the constraint is first applied.
namespace tandem::constraints {

struct MaxNormOptions {
  double max_value = 2;
  Axes axis = 0;
};

/// Scales weights down to a norm of max_value at most. Throws InvalidArgument unless max_value is finite and not
/// negative.
struct MaxNorm : Handle<Constraint> {
  explicit MaxNorm(MaxNormOptions options = {});
  explicit MaxNorm(double max_value) : MaxNorm(MaxNormOptions{max_value}) {}
};

/// Negative weights become 0.
struct NonNeg : Handle<Constraint> {
  NonNeg();
};

struct UnitNormOptions {
  Axes axis = 0;
};

/// Scales weights to norm 1.
struct UnitNorm : Handle<Constraint> {
  explicit UnitNorm(UnitNormOptions options = {});
};

struct MinMaxNormOptions {
  double min_value = 0;
  double max_value = 1;
  /// The share of the way to the nearest allowed norm that one update goes.
  double rate = 1;
  Axes axis = 0;
};

/// Scales weights towards a norm between min_value and max_value. Throws InvalidArgument unless 0 <= min_value <=
/// max_value and rate are finite.
struct MinMaxNorm : Handle<Constraint> {
  explicit MinMaxNorm(MinMaxNormOptions options = {});
};

}  // namespace tandem::constraints
