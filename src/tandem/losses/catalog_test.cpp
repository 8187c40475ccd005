#include <gtest/gtest.h>

#include <set>

#include "tandem/losses/loss.h"

namespace tandem {
namespace {

std::string message_of_making(const std::string& name, const Config& config) {
  try {
    Loss::make(name, config);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(LossCatalog, KnowsEachOfKerassSpellings) {
  const std::pair<const char*, std::vector<const char*>> kClasses[] = {
      {"BinaryCrossentropy", {"binary_crossentropy", "bce", "BCE"}},
      {"BinaryFocalCrossentropy", {"binary_focal_crossentropy"}},
      {"CategoricalCrossentropy", {"categorical_crossentropy"}},
      {"CategoricalFocalCrossentropy", {"categorical_focal_crossentropy"}},
      {"SparseCategoricalCrossentropy", {"sparse_categorical_crossentropy"}},
      {"Crossentropy", {"crossentropy", "ce", "CE"}},
      {"KLDivergence", {"kl_divergence", "kullback_leibler_divergence", "kld", "KLD"}},
      {"Poisson", {"poisson"}},
      {"MeanSquaredError", {"mean_squared_error", "mse", "MSE"}},
      {"MeanAbsoluteError", {"mean_absolute_error", "mae", "MAE"}},
      {"MeanAbsolutePercentageError", {"mean_absolute_percentage_error", "mape", "MAPE"}},
      {"MeanSquaredLogarithmicError", {"mean_squared_logarithmic_error", "msle", "MSLE"}},
      {"CosineSimilarity", {"cosine_similarity"}},
      {"Huber", {"huber", "huber_loss"}},
      {"LogCosh", {"log_cosh", "logcosh"}},
      {"Hinge", {"hinge"}},
      {"SquaredHinge", {"squared_hinge"}},
      {"CategoricalHinge", {"categorical_hinge"}},
      {"Dice", {"dice"}},
      {"Tversky", {"tversky"}},
  };
  std::size_t names = 0;
  for (const auto& [class_name, spellings] : kClasses) {
    EXPECT_EQ(Loss::make(class_name)->class_name(), class_name);
    for (const char* name : spellings) EXPECT_EQ(Loss::make(name)->class_name(), class_name) << name;
    names += 1 + spellings.size();
  }
  EXPECT_EQ(Loss::names().size(), names);
}

TEST(LossCatalog, ProposesTheNearestNames) {
  const std::string message = message_of_making("categorical_cross_entropy", Config::object());
  EXPECT_NE(message.find("loss 'categorical_cross_entropy' is not known"), std::string::npos) << message;
  EXPECT_NE(message.find("'categorical_crossentropy'"), std::string::npos) << message;
}

TEST(LossCatalog, ReadsSettingsAndFillsUpKerassDefaults) {
  const auto loss = Loss::make("Huber", Config::object({{"name", "mine"}, {"delta", 0.5}, {"dtype", Config()}}));
  EXPECT_EQ(loss->get_config(),
            Config::object({{"name", "huber_loss"}, {"reduction", "sum_over_batch_size"}, {"delta", 0.5}}));
  EXPECT_EQ(Loss::make("Huber")->get_config(),
            Config::object({{"name", "huber_loss"}, {"reduction", "sum_over_batch_size"}}));
  const auto sparse = Loss::make("SparseCategoricalCrossentropy", Config::object({{"ignore_class", -1}}));
  EXPECT_TRUE(sparse->has_mask());
}

TEST(LossCatalog, ReadsPlainFunctionsAsKerasWritesThem) {
  EXPECT_EQ(Loss::make("function", "mean_absolute_error")->class_name(), "MeanAbsoluteError");
  const Config function = Config::object({{"module", "builtins"},
                                          {"class_name", "function"},
                                          {"config", "binary_crossentropy"},
                                          {"registered_name", "binary_crossentropy"}});
  const auto loss = Loss::make(
      "LossFunctionWrapper",
      Config::object({{"name", "binary_crossentropy"}, {"reduction", "sum"}, {"fn", function}, {"from_logits", true}}));
  EXPECT_EQ(loss->class_name(), "BinaryCrossentropy");
  EXPECT_TRUE(loss->get_config().at("from_logits").as_bool());
  EXPECT_EQ(loss->reduction(), Reduction::kSum);
}

TEST(LossCatalog, ReadsTheReductionAndRefusesThoseThatDoNotTrain) {
  const auto with = [](const Config& reduction) { return Config::object({{"reduction", reduction}}); };
  EXPECT_EQ(Loss::make("mse")->reduction(), Reduction::kSumOverBatchSize);
  EXPECT_EQ(Loss::make("MeanSquaredError", with("sum"))->reduction(), Reduction::kSum);
  EXPECT_EQ(Loss::make("MeanSquaredError", with("mean"))->reduction(), Reduction::kSumOverBatchSize);
  EXPECT_EQ(Loss::make("MeanSquaredError", with("mean"))->get_config().at("reduction").as_string(), "mean");
  EXPECT_EQ(Loss::make("MeanSquaredError", with("auto"))->get_config().at("reduction").as_string(),
            "sum_over_batch_size");
  for (const char* reduction : {"none", "mean_with_sample_weight", "SUM"}) {
    EXPECT_EQ(message_of_making("MeanSquaredError", with(reduction)),
              std::string("MeanSquaredError: reduction must be 'sum_over_batch_size', 'mean' or 'sum' for training, "
                          "got '") +
                  reduction + "'");
  }
  EXPECT_NE(message_of_making("MeanSquaredError", with(Config())).find("got null"), std::string::npos);
}

TEST(LossCatalog, RefusesSettingsByName) {
  EXPECT_EQ(message_of_making("MeanSquaredError", Config::object({{"delta", 2}})),
            "loss MeanSquaredError: setting 'delta' is not known; known: 'name', 'dtype', 'reduction'");
  EXPECT_EQ(message_of_making("Huber", Config::object({{"detla", 2}})),
            "loss Huber: setting 'detla' is not known; did you mean 'delta'?");
  EXPECT_EQ(message_of_making("Huber", Config::object({{"delta", "big"}})),
            "loss Huber: 'delta' of its config: must be a number, got \"big\"");
  EXPECT_EQ(message_of_making("Huber", Config::object({{"delta", 0}})),
            "Huber: delta must be a finite number above 0, got 0");
  EXPECT_NE(message_of_making("SparseCategoricalCrossentropy", Config::object({{"axis", 1}})).find("axis must be -1"),
            std::string::npos);
  EXPECT_NE(message_of_making("mse", "text").find("config must be an object"), std::string::npos);
}

}  // namespace
}  // namespace tandem
