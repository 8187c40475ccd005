#include "tandem/optimizers/optimizer.h"

#include <gtest/gtest.h>

#include "tandem/optimizers/polynomial_decay.h"
#include "tandem/optimizers/sgd.h"

namespace tandem {
namespace {

TEST(Optimizer, MadeByNameHasKerassDefaults) {
  for (const char* name : {"sgd", "SGD"}) {
    const auto sgd = Optimizer::make(name);
    EXPECT_EQ(sgd->class_name(), "SGD");
    EXPECT_EQ(sgd->learning_rate(0), 0.01);
    EXPECT_TRUE(sgd->slots().empty());
    EXPECT_TRUE(sgd->elementwise());
  }
}

TEST(Optimizer, OthersMadeByNameHaveKerassDefaults) {
  for (const auto& [name, class_name] : {std::pair{"rmsprop", "RMSprop"},
                                         {"adam", "Adam"},
                                         {"adamw", "AdamW"},
                                         {"adagrad", "Adagrad"},
                                         {"adadelta", "Adadelta"},
                                         {"adamax", "Adamax"},
                                         {"lion", "Lion"}}) {
    const Handle<Optimizer> handle = name;
    EXPECT_EQ(handle.get()->class_name(), class_name);
    EXPECT_EQ(handle.get()->learning_rate(0), 0.001);
    EXPECT_EQ(handle.get()->get_config(), Optimizer::make(class_name)->get_config());
    EXPECT_FALSE(handle.get()->clips());
  }
  EXPECT_EQ(Optimizer::make("adamw")->get_config().at("weight_decay").as_double(), 0.004);
  EXPECT_TRUE(Optimizer::make("adam")->get_config().at("weight_decay").is_null());
}

TEST(Optimizer, ProposesTheNearestName) {
  try {
    Optimizer::make("sgdd");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("'sgd'"), std::string::npos) << error.what();
  }
}

TEST(Optimizer, AFixedRateCanBeSet) {
  const auto sgd = optimizers::SGD({.learning_rate = 1}).get();
  EXPECT_EQ(sgd->learning_rate(5), 1);
  sgd->set_learning_rate(0.25);
  EXPECT_EQ(sgd->learning_rate(5), 0.25);
  EXPECT_EQ(sgd->get_config().at("learning_rate").as_double(), 0.25);
  EXPECT_THROW(sgd->set_learning_rate(-1), InvalidArgument);
  EXPECT_EQ(sgd->learning_rate(5), 0.25);
}

TEST(Optimizer, ARateThatFollowsAScheduleCannotBeSet) {
  const auto sgd =
      optimizers::SGD({.learning_rate = schedules::PolynomialDecay(5e-3, 1000, {.end_learning_rate = 0})}).get();
  EXPECT_DOUBLE_EQ(sgd->learning_rate(0), 5e-3);
  EXPECT_DOUBLE_EQ(sgd->learning_rate(500), 2.5e-3);
  EXPECT_EQ(sgd->learning_rate(1000), 0);
  EXPECT_EQ(sgd->learning_rate(5000), 0);
  try {
    sgd->set_learning_rate(0.1);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("follows the schedule PolynomialDecay"), std::string::npos)
        << error.what();
  }
}

TEST(PolynomialDecay, RefusesSettingsOutOfRange) {
  const auto message_of = [](double rate, int64_t steps, schedules::PolynomialDecayOptions options) -> std::string {
    try {
      schedules::PolynomialDecay(rate, steps, options);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(message_of(0.1, 0, {}), "PolynomialDecay: decay_steps must be at least 1, got 0");
  EXPECT_EQ(message_of(-0.1, 5, {}), "PolynomialDecay: initial_learning_rate must be a finite number >= 0, got -0.1");
  EXPECT_EQ(message_of(0.1, 5, {.end_learning_rate = -1}),
            "PolynomialDecay: end_learning_rate must be a finite number >= 0, got -1");
  EXPECT_EQ(message_of(0.1, 5, {.power = 0}), "PolynomialDecay: power must be a finite number > 0, got 0");
}

}  // namespace
}  // namespace tandem
