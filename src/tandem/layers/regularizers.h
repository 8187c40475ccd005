#pragma once
#include <string>

#include "tandem/core/handle.h"
#include "tandem/layers/regularizer.h"

/// Keras's regularizers. Factors must be finite and not negative, else InvalidArgument.
namespace tandem::regularizers {

/// l1 * sum |w|.
struct L1 : Handle<Regularizer> {
  explicit L1(double l1 = 0.01);
};

/// l2 * sum w^2.
struct L2 : Handle<Regularizer> {
  explicit L2(double l2 = 0.01);
};

struct L1L2Options {
  double l1 = 0;
  double l2 = 0;
};

/// l1 * sum |w| + l2 * sum w^2.
struct L1L2 : Handle<Regularizer> {
  explicit L1L2(L1L2Options options = {});
};

struct OrthogonalRegularizerOptions {
  double factor = 0.01;
  std::string mode = "rows";  // or "columns"
};

/// factor times the mean of |a . b| over the pairs of different rows (columns) of a matrix, each scaled to norm 1.
/// Throws InvalidArgument on an unknown mode, and when applied to a weight of rank other than 2.
struct OrthogonalRegularizer : Handle<Regularizer> {
  explicit OrthogonalRegularizer(OrthogonalRegularizerOptions options = {});
};

}  // namespace tandem::regularizers
