#include "tandem/optimizers/adamax.h"

#include <gtest/gtest.h>

#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

// The rule: keras_cases_test.cpp and flat_optimizer_test.cpp.
TEST(Adamax, NamesItsSlotsAndRefusesSettingsOutOfRange) {
  EXPECT_EQ(optimizers::Adamax().get()->slots(), (std::vector<std::string>{"momentum", "norm"}));
  EXPECT_EQ(message_of([] { optimizers::Adamax({.beta_1 = 1}); }), "Adamax: beta_1 must lie in [0, 1), got 1");
  EXPECT_EQ(message_of([] { optimizers::Adamax({.beta_2 = -1}); }), "Adamax: beta_2 must lie in [0, 1), got -1");
}

}  // namespace
}  // namespace tandem
