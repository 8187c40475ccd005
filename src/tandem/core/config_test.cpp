#include "tandem/core/config.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

Config layer() {
  return Config::object({{"name", "dense"},
                         {"units", 3},
                         {"rate", 0.25},
                         {"use_bias", true},
                         {"regularizer", Config()},
                         {"shape", Config::list({2, 3})}});
}

TEST(Config, MembersKeepTheirOrder) {
  auto config = Config::object({{"z", 1}, {"a", 2}, {"z", 3}});
  EXPECT_EQ(config.as_object(), (Config::Object{{"z", 3}, {"a", 2}}))
      << "a repeated key keeps its place and takes the last value";
  config.set("a", "new").set("m", 1);
  EXPECT_EQ(config.as_object(), (Config::Object{{"z", 3}, {"a", "new"}, {"m", 1}}));
}

TEST(Config, SetMakesAnObjectOfNullOnly) {
  Config config;
  config.set("a", 1);
  EXPECT_EQ(config, Config::object({{"a", 1}}));
  Config number(3);
  EXPECT_EQ(message_of<DataError>([&] { number.set("a", 1); }), "config: must be an object, got 3");
}

TEST(Config, GivesValuesOfTheKindAskedFor) {
  const auto config = layer();
  EXPECT_EQ(config.at("name").as_string(), "dense");
  EXPECT_EQ(config.at("units").as_int(), 3);
  EXPECT_EQ(config.at("units").as_double(), 3.0);
  EXPECT_EQ(config.at("rate").as_double(), 0.25);
  EXPECT_TRUE(config.at("use_bias").as_bool());
  EXPECT_TRUE(config.at("regularizer").is_null());
  EXPECT_EQ(config.at("shape").as_ints(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(config.at("shape").as_list().size(), 2U);
  EXPECT_EQ(config.as_object().size(), 6U);
  EXPECT_EQ(Config(4.0).as_int(), 4);
  EXPECT_TRUE(config.contains("rate"));
  EXPECT_FALSE(config.contains("rates"));
  EXPECT_EQ(config.get("rate", 9.0).as_double(), 0.25);
  EXPECT_EQ(config.get("other", 9.0).as_double(), 9.0);
}

TEST(Config, NamesExpectedKindAndValue) {
  EXPECT_EQ(message_of<DataError>([] { Config("x").as_int(); }), "config: must be a whole number, got \"x\"");
  EXPECT_EQ(message_of<DataError>([] { Config(0.5).as_int(); }), "config: must be a whole number, got 0.5");
  EXPECT_EQ(message_of<DataError>([] { Config(1e30).as_int(); }), "config: must be a whole number, got 1e+30");
  EXPECT_EQ(message_of<DataError>([] { Config(0x1p63).as_int(); }).find("config: must be a whole number, got 9.22"),
            0U);
  EXPECT_EQ(message_of<DataError>([] { Config(std::nan("")).as_int(); }), "config: must be a whole number, got nan");
  EXPECT_EQ(message_of<DataError>([] { Config(1).as_bool(); }), "config: must be true or false, got 1");
  EXPECT_EQ(message_of<DataError>([] { Config(true).as_double(); }), "config: must be a number, got true");
  EXPECT_EQ(message_of<DataError>([] { Config().as_string(); }), "config: must be a text, got null");
  EXPECT_EQ(message_of<DataError>([] { Config(1).as_list(); }), "config: must be a list, got 1");
  EXPECT_EQ(message_of<DataError>([] { Config(1).at("x"); }), "config: must be an object, got 1");
  EXPECT_EQ(message_of<DataError>([] {
              Config::object({{"a", 1}}).at("b");
            }),
            R"(config: member 'b' is missing in {"a":1})");
}

TEST(Config, IsShownOnOneShortLine) {
  EXPECT_EQ(layer().shown(), R"({"name":"dense","units":3,"rate":0.25,"use_bias":true,"regularizer":null,"sha...)");
  EXPECT_EQ(Config::object().shown() + Config(Config::List{}).shown(), "{}[]");
  EXPECT_EQ(Config(Config::List{INFINITY, "a\nb", false}).shown(), R"([inf,"a b",false])");
  EXPECT_EQ(Config(std::string(78, 'x')).shown(), '"' + std::string(78, 'x') + '"');
  EXPECT_EQ(Config(std::string(75, 'x') + "\xe2\x82\xac and more").shown(), '"' + std::string(75, 'x') + "...");
  Config deep(1);
  for (int i = 0; i < 300; ++i) deep = Config(Config::List{deep});
  EXPECT_EQ(deep.shown(), std::string(77, '[') + "...");
}

}  // namespace
}  // namespace tandem
