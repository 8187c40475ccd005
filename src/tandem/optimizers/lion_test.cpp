#include "tandem/optimizers/lion.h"

#include <gtest/gtest.h>

#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

// The rule: keras_cases_test.cpp and flat_optimizer_test.cpp.
TEST(Lion, NamesItsSlotsAndRefusesSettingsOutOfRange) {
  EXPECT_EQ(optimizers::Lion().get()->slots(), std::vector<std::string>{"momentum"});
  EXPECT_EQ(message_of([] { optimizers::Lion({.beta_1 = 2}); }), "Lion: beta_1 must lie in [0, 1], got 2");
  EXPECT_EQ(message_of([] { optimizers::Lion({.beta_2 = -1}); }), "Lion: beta_2 must lie in [0, 1], got -1");
}

}  // namespace
}  // namespace tandem
