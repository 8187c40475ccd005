#include "tandem/layers/rescaling.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "tandem/core/error.h"
#include "tandem/layers/catalog.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/testing/message_of.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<RescalingOptions>);

TEST(Rescaling, MatchesKeras) { EXPECT_EQ(check_cases("rescaling_"), 5); }

TEST(Rescaling, MadeByHandMatchesKeras) {
  expect_matches(Rescaling(1.0 / 255), KerasCase("rescaling_scale"));
  expect_matches(Rescaling(0.7, {.offset = -0.4}), KerasCase("rescaling_offset"));
  expect_matches(Rescaling(0.5, {.offset = {0.1, -0.2, 0.3}}), KerasCase("rescaling_offsets"));
  expect_matches(Rescaling({0.5, 2}, {.offset = {-1, 1}}), KerasCase("rescaling_both"));
  EXPECT_TRUE(at::equal(Rescaling(2, {.offset = -1})(at::ones({1, 3})), at::ones({1, 3})));
  EXPECT_TRUE(at::equal(Rescaling({2})(at::ones({3, 1})), at::full({3, 1}, 2.F)));
}

TEST(Rescaling, WholeNumbersBecomeFloats) {
  const Tensor x = at::arange(6, at::kByte).view({2, 3});
  for (const auto& layer : {Rescaling(0.5, {.offset = 1}), Rescaling({0.5, 0.5, 0.5}, {.offset = 1})}) {
    const Tensor out = layer(x);
    EXPECT_EQ(out.scalar_type(), at::kFloat);
    EXPECT_TRUE(at::equal(out, x.to(at::kFloat) * 0.5 + 1));
    EXPECT_EQ(layer(x.slice(0, 0, 0)).sizes(), (std::vector<int64_t>{0, 3}));
  }
}

TEST(Rescaling, ReadsArraysAsKerasStoresThem) {
  const auto config = Config::from_json(
      R"({"scale": {"class_name": "__numpy__", "config": {"value": [0.5, 2.0], "dtype": "float32"}}, "offset": 1})");
  EXPECT_TRUE(
      at::equal(layer_from_config("Rescaling", config)(at::ones({1, 2})), at::tensor({1.5F, 3.F}).view({1, 2})));
  EXPECT_NE(message_of<DataError>([] { layer_from_config("Rescaling", Config::object()); }).find("scale"),
            std::string::npos);
  const auto nested = Config::from_json(R"({"scale": [[1.0], [2.0]]})");
  EXPECT_NE(message_of<DataError>([&] { layer_from_config("Rescaling", nested); }), "nothing was thrown");
}

TEST(Rescaling, RefusesWhatCannotWork) {
  expect_refused([] { Rescaling(std::numeric_limits<double>::infinity()); }, {"Rescaling", "scale", "inf"});
  expect_refused(
      [] {
        Rescaling(1, {.offset = {0, std::numeric_limits<double>::quiet_NaN()}});
      },
      {"Rescaling", "offset", "nan"});
  expect_refused([] { Rescaling(std::vector<double>{}); }, {"Rescaling", "scale", "empty"});
  expect_refused([] { Rescaling({1, 2}, {.name = "r"})(Input({4, 3})); }, {"'r'", "scales (2)", "(None, 4, 3)"});
  expect_refused(
      [] {
        Rescaling(1, {.offset = {1, 2}, .name = "r"})(Input({1}));
      },
      {"'r'", "offsets (2)", "(None, 1)"});
  Rescaling built({1, 2}, {.name = "r"});
  built(Input({-1}));
  expect_refused([&] { built(at::ones({2, 3})); }, {"'r'", "scales (2)", "(2, 3)"});
  expect_refused([&] { built(at::ones({2})); }, {"'r'", "scales (2)", "(2)"});
}

}  // namespace
}  // namespace tandem::layers
