#include <gtest/gtest.h>

#include "tandem/losses/loss.h"

namespace tandem {
namespace {

TEST(LossCatalog, KnowsEachOfKerassSpellings) {
  for (const char* name : {"categorical_crossentropy", "CategoricalCrossentropy"}) {
    EXPECT_EQ(Loss::make(name)->class_name(), "CategoricalCrossentropy") << name;
  }
  for (const char* name : {"sparse_categorical_crossentropy", "SparseCategoricalCrossentropy"}) {
    EXPECT_EQ(Loss::make(name)->class_name(), "SparseCategoricalCrossentropy") << name;
  }
  for (const char* name : {"mse", "MSE", "mean_squared_error", "MeanSquaredError"}) {
    EXPECT_EQ(Loss::make(name)->class_name(), "MeanSquaredError") << name;
  }
}

TEST(LossCatalog, ProposesTheNearestNames) {
  try {
    Loss::make("categorical_cross_entropy");
    FAIL();
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("loss 'categorical_cross_entropy' is not known"), std::string::npos) << message;
    EXPECT_NE(message.find("'categorical_crossentropy'"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace tandem
