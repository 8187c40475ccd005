#include "tandem/layers/identity.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(Identity, MatchesKeras) { EXPECT_EQ(check_cases("identity"), 1); }

TEST(Identity, ReturnsWhatItGets) {
  const Tensor a = at::ones({2, 3}), b = at::ones({2, 4});
  EXPECT_EQ(Identity()(a).data_ptr(), a.data_ptr());
  EXPECT_EQ(Identity().call_many({a, b}, CallContext{}).size(), 2);
  EXPECT_EQ(Identity()(Input({3, -1})).shape(), (Shape{-1, 3, -1}));
}

}  // namespace
}  // namespace tandem::layers
