#include "tandem/optimizers/adadelta.h"

#include <gtest/gtest.h>

#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

// The rule: keras_cases_test.cpp and flat_optimizer_test.cpp.
TEST(Adadelta, NamesItsSlotsAndRefusesSettingsOutOfRange) {
  EXPECT_EQ(optimizers::Adadelta().get()->slots(),
            (std::vector<std::string>{"accumulated_grad", "accumulated_delta_var"}));
  EXPECT_EQ(message_of([] { optimizers::Adadelta({.rho = 2}); }), "Adadelta: rho must lie in [0, 1], got 2");
  EXPECT_EQ(message_of([] { optimizers::Adadelta({.epsilon = -1}); }),
            "Adadelta: epsilon must be a finite number >= 0, got -1");
}

}  // namespace
}  // namespace tandem
