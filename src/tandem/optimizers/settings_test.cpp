// Configs of Keras that ask for what is not there.
#include "tandem/optimizers/settings.h"

#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/optimizers/optimizer.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

std::shared_ptr<Optimizer> made(const std::string& json, const std::string& name = "SGD") {
  return Optimizer::make(name, Config::from_json(json));
}

TEST(OptimizerConfig, KeepsDefaultsForWhatIsMissingOrNull) {
  const auto sgd = made(R"({"momentum": null, "clipnorm": null, "weight_decay": null, "use_ema": false,
                            "gradient_accumulation_steps": null, "loss_scale_factor": null, "ema_momentum": 0.5,
                            "ema_overwrite_frequency": null})");
  EXPECT_EQ(sgd->get_config(), Optimizer::make("sgd")->get_config());
  EXPECT_EQ(Optimizer::make("adam", Config())->get_config(), Optimizer::make("Adam")->get_config());
}

TEST(OptimizerConfig, TakesWholeNumbersAndSchedules) {
  const auto sgd = made(R"({"learning_rate": 1, "global_clipnorm": 2})");
  EXPECT_EQ(sgd->learning_rate(7), 1);
  EXPECT_EQ(sgd->clipping().global_clipnorm, 2);
  const auto adam = made(R"({"learning_rate": {"module": "keras.optimizers.schedules", "class_name": "ExponentialDecay",
                             "config": {"initial_learning_rate": 0.5, "decay_steps": 1, "decay_rate": 0.5}}})",
                         "adam");
  EXPECT_EQ(adam->learning_rate(2), 0.125);
}

TEST(OptimizerConfig, RefusesWhatIsOutOfRange) {
  EXPECT_EQ(message_of([] { made(R"({"use_ema": true, "ema_momentum": 1.5})"); }),
            "SGD: ema_momentum must lie in [0, 1], got 1.5");
  EXPECT_EQ(message_of([] { made(R"({"gradient_accumulation_steps": 1})", "rmsprop"); }),
            "RMSprop: gradient_accumulation_steps must be at least 2, or 0 for none, got 1");
  EXPECT_EQ(message_of([] { made(R"({"loss_scale_factor": -1.0})", "AdamW"); }),
            "AdamW: loss_scale_factor must be a finite number >= 0, got -1");
  EXPECT_EQ(message_of([] { made(R"({"clipnorm": 1.0, "clipvalue": 1.0})"); }),
            "SGD: only one of clipnorm, clipvalue and global_clipnorm can be set, got clipnorm=1, clipvalue=1");
}

TEST(OptimizerConfig, NamesWhatItDoesNotKnow) {
  EXPECT_EQ(message_of([] { made(R"({"momentun": 0.9})"); }),
            "SGD: setting 'momentun' is not known; did you mean 'momentum'?");
  EXPECT_EQ(message_of([] { made(R"({"learning_rate": {"class_name": "CosineDecy", "config": {}}})"); }),
            "learning rate schedule 'CosineDecy' is not known; did you mean 'CosineDecay'?");
  EXPECT_EQ(message_of([] { Optimizer::make("rmsprob"); }),
            "optimizer 'rmsprob' is not known; did you mean 'rmsprop', 'RMSprop'?");
}

TEST(OptimizerConfig, NamesTheMemberOfAnotherKind) {
  EXPECT_EQ(message_of<DataError>([] { made(R"({"momentum": "fast"})"); }),
            "SGD: 'momentum' of its config: must be a number, got \"fast\"");
  EXPECT_EQ(message_of<DataError>([] { made("[1]"); }), "SGD: its config must be an object, got [1]");
  const auto schedule = [](const char* json) {
    return message_of<DataError>([&] { LearningRateSchedule::make("InverseTimeDecay", Config::from_json(json)); });
  };
  EXPECT_EQ(schedule(R"({"decay_steps": 3})"),
            "InverseTimeDecay: its config must have 'initial_learning_rate', got {\"decay_steps\":3}");
  EXPECT_EQ(schedule(R"({"initial_learning_rate": 1, "decay_steps": 2.5, "decay_rate": 1})"),
            "InverseTimeDecay: 'decay_steps' of its config: must be a whole number, got 2.5");
}

}  // namespace
}  // namespace tandem
