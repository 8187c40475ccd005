// Callbacks by name and from configs.
#include <gtest/gtest.h>

#include "tandem/callbacks/callback.h"
#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

TEST(CallbackCatalog, ConfigsComeBackAsTheyWere) {
  const std::vector<std::pair<std::string, Config>> all = {
      {"Callback", Config::object()},
      {"ProgbarLogger", Config::object()},
      {"TerminateOnNaN", Config::object({{"raise_error", true}})},
      {"CSVLogger", Config::object({{"filename", "a.csv"}, {"separator", ";"}, {"append", true}})},
      {"Trace", Config::object({{"filename", "a.json"}, {"first_batch", 2}, {"batches", -1}})},
      {"EarlyStopping", Config::object({{"monitor", "val_auc"},
                                        {"min_delta", 0.25},
                                        {"patience", 3},
                                        {"verbose", 1},
                                        {"mode", "max"},
                                        {"baseline", 0.5},
                                        {"restore_best_weights", true},
                                        {"start_from_epoch", 2}})},
      {"ReduceLROnPlateau", Config::object({{"monitor", "loss"},
                                            {"factor", 0.5},
                                            {"patience", 4},
                                            {"verbose", 1},
                                            {"mode", "min"},
                                            {"min_delta", 0.01},
                                            {"cooldown", 5},
                                            {"min_lr", 0.001}})},
      {"ModelCheckpoint", Config::object({{"filepath", "{epoch}.weights.h5"},
                                          {"monitor", "loss"},
                                          {"verbose", 1},
                                          {"save_best_only", true},
                                          {"save_weights_only", true},
                                          {"mode", "max"},
                                          {"save_freq", 7},
                                          {"initial_value_threshold", 0.5},
                                          {"period", 1}})},
  };
  for (const auto& [name, config] : all) {
    const auto callback = Callback::make(name, config);
    EXPECT_EQ(callback->class_name(), name);
    EXPECT_EQ(callback->get_config().to_json(), config.to_json());
  }
}

TEST(CallbackCatalog, MissingArgumentsHaveKerasDefaults) {
  EXPECT_EQ(Callback::make("EarlyStopping")->get_config().to_json(),
            R"({"monitor":"val_loss","min_delta":0.0,"patience":0,"verbose":0,"mode":"auto","baseline":null,)"
            R"("restore_best_weights":false,"start_from_epoch":0})");
  EXPECT_EQ(Callback::make("ReduceLROnPlateau")->get_config().to_json(),
            R"({"monitor":"val_loss","factor":0.1,"patience":10,"verbose":0,"mode":"auto","min_delta":0.0001,)"
            R"("cooldown":0,"min_lr":0.0})");
  EXPECT_EQ(
      Callback::make("ModelCheckpoint", Config::object({{"filepath", "a.keras"}}))->get_config().to_json(),
      R"({"filepath":"a.keras","monitor":"val_loss","verbose":0,"save_best_only":false,)"
      R"("save_weights_only":false,"mode":"auto","save_freq":"epoch","initial_value_threshold":null,"period":1})");
  EXPECT_EQ(Callback::make("CSVLogger", Config::object({{"filename", "a.csv"}}))->get_config().to_json(),
            R"({"filename":"a.csv","separator":",","append":false})");
}

TEST(CallbackCatalog, RefusesWhatItCannotMake) {
  EXPECT_EQ(message_of([] { Callback::make("EarlyStoping"); }),
            "callback 'EarlyStoping' is not known; did you mean 'EarlyStopping'?");
  EXPECT_EQ(message_of([] {
              Callback::make("EarlyStopping", Config::object({{"patients", 1}}));
            }),
            "EarlyStopping: setting 'patients' is not known; did you mean 'patience'?");
  EXPECT_EQ(message_of<DataError>([] { Callback::make("ModelCheckpoint"); }),
            "ModelCheckpoint: its config must have 'filepath', got {}");
  EXPECT_EQ(message_of([] { Callback::make("LambdaCallback"); }),
            "callback 'LambdaCallback' is made of functions and must be made in code, not by name");
  EXPECT_THROW(Callback::make("CSVLogger", Config::object({{"filename", 3}})), DataError);
}

}  // namespace
}  // namespace tandem
