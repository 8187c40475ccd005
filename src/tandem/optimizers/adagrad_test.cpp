#include "tandem/optimizers/adagrad.h"

#include <gtest/gtest.h>

#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

// The rule: keras_cases_test.cpp and flat_optimizer_test.cpp.
TEST(Adagrad, BeginsWithSomeInItsSumsAndRefusesSettingsOutOfRange) {
  const auto adagrad = optimizers::Adagrad({.initial_accumulator_value = 0.5}).get();
  EXPECT_EQ(adagrad->slots(), std::vector<std::string>{"accumulator"});
  EXPECT_EQ(adagrad->initial_slot(0), 0.5);
  EXPECT_EQ(message_of([] { optimizers::Adagrad({.initial_accumulator_value = -1}); }),
            "Adagrad: initial_accumulator_value must be a finite number >= 0, got -1");
  EXPECT_EQ(message_of([] { optimizers::Adagrad({.epsilon = -1}); }),
            "Adagrad: epsilon must be a finite number >= 0, got -1");
}

}  // namespace
}  // namespace tandem
