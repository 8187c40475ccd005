#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tandem/core/config.h"
#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

Config written() {
  return Config::object({{"name", "dense"},
                         {"units", 3},
                         {"rate", 0.25},
                         {"use_bias", true},
                         {"regularizer", Config()},
                         {"shape", Config::list({2, 3})}});
}

TEST(JsonText, WritesCompactAndIndented) {
  EXPECT_EQ(written().to_json(),
            R"({"name":"dense","units":3,"rate":0.25,"use_bias":true,"regularizer":null,"shape":[2,3]})");
  EXPECT_EQ(Config::object({{"a", Config::list({1})}}).to_json(2), "{\n  \"a\": [\n    1\n  ]\n}");
  EXPECT_EQ(Config::object().to_json(), "{}");
  EXPECT_EQ(Config(Config::List{}).to_json(), "[]");
}

TEST(JsonText, ReadsBackWhatItWrites) {
  EXPECT_EQ(Config::from_json(written().to_json()), written());
  EXPECT_EQ(Config::from_json(written().to_json(4)), written());
  EXPECT_EQ(Config::from_json(" 7 "), Config(7));
}

TEST(JsonText, WholeNumbersAndRealsStayApart) {
  EXPECT_EQ(Config(1.0).to_json(), "1.0");
  EXPECT_EQ(Config(1).to_json(), "1");
  EXPECT_TRUE(Config::from_json("1").is_int());
  EXPECT_FALSE(Config::from_json("1.0").is_int());
  EXPECT_TRUE(Config::from_json("1e3").is_number());
  EXPECT_NE(Config(1), Config(1.0));
}

TEST(JsonText, NumbersSurviveToTheBit) {
  for (double x : {0.1, 1e-7, 1.0 / 3, 0.9990000128746033, 1e300, 5e-324, -0.0, 123456789.125}) {
    const double back = Config::from_json(Config(x).to_json()).as_double();
    EXPECT_EQ(back, x);
    EXPECT_EQ(std::signbit(back), std::signbit(x));
  }
  EXPECT_EQ(Config(0.1).to_json(), "0.1");
  // As Python's json.dumps writes them.
  for (const char* text : {"100000.0", "1e+16", "1000000000000000.0", "0.0001", "1e-05", "-0.0", "1.5e-07"}) {
    EXPECT_EQ(Config::from_json(text).to_json(), text);
  }
  EXPECT_EQ(Config::from_json("1e-999"), Config(0.0));
  for (int64_t n : {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), int64_t{0}}) {
    EXPECT_EQ(Config::from_json(Config(n).to_json()).as_int(), n);
  }
}

TEST(JsonText, TextsSurvive) {
  for (const std::string text : {"", "quote \" slash \\ newline \n tab \t", "\xc3\xa9\xe2\x82\xac", "\x01"}) {
    EXPECT_EQ(Config::from_json(Config(text).to_json()).as_string(), text);
  }
  EXPECT_EQ(Config::from_json(R"("\u00e9\ud83d\ude00")").as_string(), "\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_NE(message_of<DataError>([] { Config("\xff").to_json(); }).find("UTF-8"), std::string::npos);
}

TEST(JsonText, MembersKeepTheirOrder) {
  const auto config = Config::from_json(R"({"z":1,"a":2,"z":3})");
  EXPECT_EQ(config.to_json(), R"({"z":3,"a":2})") << "a repeated key keeps its place and takes the last value";
}

TEST(JsonText, MalformedTextNamesTheByte) {
  EXPECT_EQ(message_of<DataError>([] { Config::from_json(R"({"a":1,})"); }).find("JSON: malformed at byte 8"), 0U);
  for (const char* text :
       {"",        " ",           "{",           "[1,2",      "{\"a\"}", "tru",      "01",    "\"open",
        "[1] 2",   "NaN",         "Infinity",    "'a'",       "[1,]",    "\"\xff\"", "1e999", "{1:2}",
        "\"\\x\"", "\"\\ud83d\"", "\"\\ude00\"", "\"\\u12\"", "1.",      "1e",       "-",     "\"\n\""}) {
    EXPECT_EQ(message_of<DataError>([&] { Config::from_json(text); }).find("JSON: malformed at byte "), 0U) << text;
  }
}

TEST(JsonText, WholeNumbersBeyond64BitsAreRefused) {
  EXPECT_NE(message_of<DataError>([] { Config::from_json("9223372036854775808"); }).find("64 bits"), std::string::npos);
  EXPECT_NE(message_of<DataError>([] { Config::from_json("[123456789012345678901234567890]"); }).find("64 bits"),
            std::string::npos);
}

TEST(JsonText, NumbersThatAreNotFiniteAreRefusedByName) {
  const auto config = Config::object({{"loss", Config::object({{"values", Config::List{1.0, std::nan("")}}})}});
  EXPECT_EQ(message_of<DataError>([&] { config.to_json(); }),
            "config: member 'loss.values[1]': must be finite to be written as JSON, is nan");
  EXPECT_NE(message_of<DataError>([] { Config(INFINITY).to_json(); }).find("is inf"), std::string::npos);
}

TEST(JsonText, DepthIsLimited) {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_EQ(Config::from_json(nested(200)).to_json(), nested(200));
  EXPECT_NE(message_of<DataError>([&] { Config::from_json(nested(201)); }).find("deeper than 200"), std::string::npos);
  EXPECT_NE(message_of<DataError>([&] { Config::from_json(std::string(10'000'000, '[')); }).find("deeper than 200"),
            std::string::npos);
  Config deep(1);
  for (int i = 0; i < 300; ++i) deep = Config(Config::List{deep});
  EXPECT_NE(message_of<DataError>([&] { deep.to_json(); }).find("deeper than 200"), std::string::npos);
}

}  // namespace
}  // namespace tandem
