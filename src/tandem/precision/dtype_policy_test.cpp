#include "tandem/precision/dtype_policy.h"

#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

TEST(DTypePolicy, HasKerasNames) {
  EXPECT_EQ(DTypePolicy().name(), "float32");
  EXPECT_FALSE(DTypePolicy("float32").mixed());
  EXPECT_EQ(DTypePolicy("mixed_bfloat16").compute_type(), c10::ScalarType::BFloat16);
  EXPECT_EQ(DTypePolicy("mixed_float16").compute_type(), c10::ScalarType::Half);
  EXPECT_EQ(testing::message_of([] { DTypePolicy("mixed_bfloat"); }),
            "precision 'mixed_bfloat' is not known; did you mean 'mixed_bfloat16', 'mixed_float16'?");
}

TEST(DTypePolicyScope, EndsWithItsBlock) {
  EXPECT_FALSE(dtype_policy());
  {
    const DTypePolicyScope outer("mixed_bfloat16");
    {
      const DTypePolicyScope inner("float32");
      EXPECT_EQ(dtype_policy(), DTypePolicy("float32"));
    }
    EXPECT_EQ(dtype_policy(), DTypePolicy("mixed_bfloat16"));
  }
  EXPECT_FALSE(dtype_policy());
}

}  // namespace
}  // namespace tandem
