#pragma once
#include <ATen/core/Tensor.h>

#include <string>

namespace tandem::testing {

/// Empty when both have one shape and |got - want| <= tolerance * (1 + |want|) everywhere; else a line that says where
/// they differ most: `EXPECT_EQ(difference(got, want, 1e-5), "")`. NaN equals NaN.
std::string difference(const at::Tensor& got, const at::Tensor& want, double tolerance);

}  // namespace tandem::testing
