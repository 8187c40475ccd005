// Code in configs (keras/src/saving/serialization_lib.py and Keras 2's Lambda.get_config): refused, never looked into.
#include "tandem/saving/config_code.h"

#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"

namespace tandem::saving {
namespace {

Config layer_entry(const char* class_name, Config settings) {
  settings.set("name", "one");
  return Config::object({{"class_name", class_name}, {"config", std::move(settings)}});
}

Config model_of(Config layer) {
  return Config::object({{"class_name", "Sequential"},
                         {"config", Config::object({{"name", "m"}, {"layers", Config::List{std::move(layer)}}})}});
}

std::string refused(const Config& entry) {
  return testing::message_of<DataError>([&] { refuse_code(entry); });
}

const char* const kWhy =
    "holds Python code, which is never run; write it as a layer of your own that register_layer names, and save the "
    "model with that";

TEST(ConfigCode, OfKeras3AndKeras2IsNamedWithItsPlace) {
  const Config code = Config::object(
      {{"class_name", "__lambda__"}, {"config", Config::object({{"code", "4wEAAAAAAAAA"}, {"defaults", {}}})}});
  const std::string place = std::string("model config: layers[0] 'one': ");
  EXPECT_EQ(refused(model_of(layer_entry("Lambda", Config::object({{"function", code}})))), place + kWhy);
  EXPECT_EQ(refused(model_of(layer_entry("Dense", Config::object({{"activation", code}})))), place + kWhy);
  EXPECT_EQ(refused(model_of(layer_entry(
                "Lambda", Config::object({{"function", Config::List{"4wEA", {}, {}}}, {"function_type", "lambda"}})))),
            place + kWhy);
  EXPECT_EQ(refused(model_of(model_of(layer_entry("Lambda", Config::object({{"function", code}}))))),
            std::string("model config: layers[0] 'm': layers[0] 'one': ") + kWhy);
}

TEST(ConfigCode, OtherConfigsPass) {
  EXPECT_EQ(refused(model_of(layer_entry("Dense", Config::object({{"activation", "relu"}})))), "nothing was thrown");
  EXPECT_EQ(refused(Config()), "nothing was thrown");
  EXPECT_EQ(refused(Config::object({{"config", 3}})), "nothing was thrown");
}

}  // namespace
}  // namespace tandem::saving
