#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run_tandem.h"
#include "tandem/core/device.h"

namespace tandem::testing {
namespace {

TEST(Info, PrintsFiguresAsJson) {
  const auto ended = run_tandem({"info", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(lines_of(ended.out).size(), 1u) << ended.out;
  const auto figures = nlohmann::json::parse(ended.out);
  EXPECT_EQ(figures.at("cores"), available_cores());
  EXPECT_EQ(figures.at("threads_per_device"), available_cores());
  EXPECT_EQ(figures.at("gpus"), 0);
  EXPECT_EQ(figures.at("default_devices"), "cpu:0");
  EXPECT_FALSE(figures.at("libtorch").get<std::string>().empty());
  const auto version = run_tandem({"--version"});
  EXPECT_EQ(version.out, figures.at("version").get<std::string>() + "\n");
}

TEST(Info, PrintsTheSameAsText) {
  const auto ended = run_tandem({"info"});
  const auto figures = nlohmann::json::parse(run_tandem({"info", "--json"}).out);
  EXPECT_EQ(ended.status, 0);
  for (const char* key : {"version", "libtorch", "cpu_capability", "default_devices"}) {
    EXPECT_NE(ended.out.find(figures.at(key).get<std::string>()), std::string::npos) << key;
  }
}

}  // namespace
}  // namespace tandem::testing
