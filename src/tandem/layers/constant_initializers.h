#pragma once
#include "tandem/core/handle.h"
#include "tandem/layers/initializer.h"

namespace tandem::initializers {

struct Zeros : Handle<Initializer> {
  Zeros();
};

struct Ones : Handle<Initializer> {
  Ones();
};

struct Constant : Handle<Initializer> {
  explicit Constant(double value = 0);
};

/// `gain` on the main diagonal, else 0; for shapes of rank 2, square or not. Throws InvalidArgument on another rank
/// when drawn.
struct Identity : Handle<Initializer> {
  explicit Identity(double gain = 1);
};

}  // namespace tandem::initializers
