#include <gtest/gtest.h>

#include "run_tandem.h"
#include "tandem/core/config.h"
#include "tandem/core/device.h"

namespace tandem::testing {
namespace {

TEST(Info, PrintsFiguresAsJson) {
  const auto ended = run_tandem({"info", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(lines_of(ended.out).size(), 1u) << ended.out;
  const auto figures = Config::from_json(ended.out);
  EXPECT_EQ(figures.at("cores").as_int(), available_cores());
  EXPECT_EQ(figures.at("threads_per_device").as_int(), available_cores());
  EXPECT_EQ(figures.at("gpus").as_int(), 0);
  EXPECT_EQ(figures.at("default_devices").as_string(), "cpu:0");
  EXPECT_FALSE(figures.at("libtorch").as_string().empty());
  const auto version = run_tandem({"--version"});
  EXPECT_EQ(version.out, figures.at("version").as_string() + "\n");
}

TEST(Info, PrintsTheSameAsText) {
  const auto ended = run_tandem({"info"});
  const auto figures = Config::from_json(run_tandem({"info", "--json"}).out);
  EXPECT_EQ(ended.status, 0);
  for (const char* key : {"version", "libtorch", "cpu_capability", "default_devices"}) {
    EXPECT_NE(ended.out.find(figures.at(key).as_string()), std::string::npos) << key;
  }
}

}  // namespace
}  // namespace tandem::testing
