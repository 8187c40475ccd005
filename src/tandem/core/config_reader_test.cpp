#include "tandem/core/config_reader.h"

#include <gtest/gtest.h>

#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

struct Celsius {
  double degrees = 20;
};
void read_member(const Config& member, Celsius& value) { value.degrees = member.as_double(); }

using testing::message_of;

TEST(ConfigReader, ReadsEveryKind) {
  const auto config = Config::object({{"flag", true},
                                      {"count", 3},
                                      {"rate", 2},
                                      {"name", "x"},
                                      {"sizes", Config::list({1, 2})},
                                      {"values", Config::List{1, 0.5}},
                                      {"bound", 7},
                                      {"heat", 30.5}});
  bool flag = false;
  int64_t count = 0;
  double rate = 0;
  std::string name;
  std::vector<int64_t> sizes;
  std::vector<double> values;
  std::optional<int64_t> bound;
  Celsius heat;
  ConfigReader("Thing", config)
      .read("flag", flag)
      .require("count", count)
      .read("rate", rate)
      .read("name", name)
      .read("sizes", sizes)
      .read("values", values)
      .read("bound", bound)
      .read("heat", heat)
      .finish();
  EXPECT_TRUE(flag);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(rate, 2);
  EXPECT_EQ(name, "x");
  EXPECT_EQ(sizes, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(values, (std::vector<double>{1, 0.5}));
  EXPECT_EQ(bound, 7);
  EXPECT_EQ(heat.degrees, 30.5);
}

TEST(ConfigReader, LeavesWhatIsMissingOrNull) {
  const auto config = Config::object({{"rate", Config()}, {"unused", 1}, {"ema", false}, {"scale", 1.0}});
  double rate = 0.5;
  std::optional<double> bound;
  ConfigReader reader("Thing", config);
  reader.read("rate", rate).read("bound", bound).ignore("unused").refuse("ema", 0).refuse("scale", 1).finish();
  EXPECT_EQ(rate, 0.5);
  EXPECT_FALSE(bound.has_value());
  EXPECT_TRUE(reader.has_null("rate"));
  EXPECT_FALSE(reader.has_null("bound"));
  EXPECT_FALSE(reader.has_null("ema"));
  const Config nothing;
  ConfigReader("Thing", nothing).read("rate", rate).finish();
}

TEST(ConfigReader, NamesTheMember) {
  double rate = 0;
  std::optional<int64_t> count;
  const auto read = [&](const Config& config) {
    ConfigReader("Thing", config).refuse("ema", 0).require("rate", rate).read("count", count).finish();
  };
  EXPECT_EQ(message_of<DataError>([&] { read("text"); }), "Thing: its config must be an object, got \"text\"");
  EXPECT_EQ(message_of<DataError>([&] {
              read(Config::object({{"count", 3}}));
            }),
            "Thing: its config must have 'rate', got {\"count\":3}");
  EXPECT_EQ(message_of<DataError>([&] {
              read(Config::object({{"rate", "fast"}}));
            }),
            "Thing: 'rate' of its config: must be a number, got \"fast\"");
  EXPECT_EQ(message_of<DataError>([&] {
              read(Config::object({{"rate", 1}, {"count", 0.5}}));
            }),
            "Thing: 'count' of its config: must be a whole number, got 0.5");
  EXPECT_EQ(message_of([&] {
              read(Config::object({{"ema", true}}));
            }),
            "Thing: ema is not supported and must be left out, got true");
  EXPECT_EQ(message_of([&] {
              read(Config::object({{"rate", 1}, {"counts", Config()}}));
            }),
            "Thing: setting 'counts' is not known; did you mean 'count'?");
  EXPECT_EQ(message_of([&] {
              read(Config::object({{"rate", 1}, {"momentum", 1}}));
            }),
            "Thing: setting 'momentum' is not known; known: 'ema', 'rate', 'count'");
}

}  // namespace
}  // namespace tandem
