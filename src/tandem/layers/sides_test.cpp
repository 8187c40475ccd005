#include "tandem/layers/sides.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/layers/catalog.h"
#include "tandem/layers/cropping1d.h"
#include "tandem/layers/cropping2d.h"
#include "tandem/layers/cropping3d.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/zero_padding1d.h"
#include "tandem/layers/zero_padding2d.h"
#include "tandem/layers/zero_padding3d.h"
#include "tandem/testing/message_of.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(ZeroPadding2D, MatchesKeras) { EXPECT_EQ(check_cases("zero_padding2d_"), 5); }
TEST(Cropping2D, MatchesKeras) { EXPECT_EQ(check_cases("cropping2d_"), 4); }

TEST(Sides, OfStepsAndVolumesMatchKeras) {
  EXPECT_EQ(check_cases("zero_padding1d_"), 4);
  EXPECT_EQ(check_cases("zero_padding3d_"), 4);
  EXPECT_EQ(check_cases("cropping1d_"), 3);
  EXPECT_EQ(check_cases("cropping3d_"), 3);
  expect_matches(ZeroPadding1D(), KerasCase("zero_padding1d_default"));
  expect_matches(ZeroPadding1D({0, 3}), KerasCase("zero_padding1d_03"));
  expect_matches(ZeroPadding3D({1, 2, 0}), KerasCase("zero_padding3d_120"));
  expect_matches(ZeroPadding3D({{1, 0}, {2, 1}, {0, 1}}), KerasCase("zero_padding3d_six"));
  expect_matches(Cropping1D(2), KerasCase("cropping1d_2"));
  expect_matches(Cropping3D(), KerasCase("cropping3d_default"));
  expect_matches(Cropping3D({{1, 0}, {0, 2}, {1, 1}}), KerasCase("cropping3d_six"));
}

TEST(ZeroPadding2D, MadeByHandMatchesKeras) {
  expect_matches(ZeroPadding2D(), KerasCase("zero_padding2d_default"));
  expect_matches(ZeroPadding2D(2), KerasCase("zero_padding2d_2"));
  expect_matches(ZeroPadding2D({1, 2}), KerasCase("zero_padding2d_12"));
  expect_matches(ZeroPadding2D({{1, 0}, {2, 3}}), KerasCase("zero_padding2d_four"));
}

TEST(Cropping2D, MadeByHandMatchesKeras) {
  expect_matches(Cropping2D(), KerasCase("cropping2d_default"));
  expect_matches(Cropping2D(1), KerasCase("cropping2d_1"));
  expect_matches(Cropping2D({1, 0}), KerasCase("cropping2d_10"));
  expect_matches(Cropping2D({{1, 0}, {2, 1}}), KerasCase("cropping2d_four"));
}

TEST(Sides, ShapesOfAGraph) {
  EXPECT_EQ(ZeroPadding2D({{1, 0}, {2, 3}})(Input({4, -1, 2})).shape(), (Shape{-1, 5, -1, 2}));
  EXPECT_EQ(Cropping2D({{1, 0}, {2, 3}})(Input({4, -1, -1})).shape(), (Shape{-1, 3, -1, -1}));
}

TEST(Sides, NoPixelMeansTheSameTensor) {
  const Tensor x = at::randn({2, 3, 4, 5});
  EXPECT_EQ(ZeroPadding2D(0)(x).data_ptr(), x.data_ptr());
  EXPECT_EQ(Cropping2D()(x).data_ptr(), x.data_ptr());
}

TEST(Sides, OneRowAndNone) {
  for (int64_t rows : {0, 1}) {
    const Tensor x = at::ones({rows, 3, 4, 1}).requires_grad_(true);
    const Tensor padded = ZeroPadding2D(1)(x), cropped = Cropping2D(1)(x);
    EXPECT_EQ(padded.sizes(), (std::vector<int64_t>{rows, 5, 6, 1}));
    EXPECT_EQ(cropped.sizes(), (std::vector<int64_t>{rows, 1, 2, 1}));
    (padded.sum() + cropped.sum()).backward();
    EXPECT_EQ(x.grad().sizes(), x.sizes());
  }
}

TEST(Sides, ReadsConfigs) {
  const auto config_of = [](const char* sides) {
    const auto config = Config::from_json(std::string("{\"padding\": ") + sides + ", \"data_format\": null}");
    return layer_from_config("ZeroPadding2D", config)->get_config().at("padding").to_json();
  };
  EXPECT_EQ(config_of("3"), "[[3,3],[3,3]]");
  EXPECT_EQ(config_of("[1, 2]"), "[[1,1],[2,2]]");
  EXPECT_EQ(config_of("[[1, 0], 2]"), "[[1,0],[2,2]]");
  const auto of_volume = [](const char* sides) {
    const auto config = Config::from_json(std::string("{\"cropping\": ") + sides + "}");
    return layer_from_config("Cropping3D", config)->get_config().at("cropping").to_json();
  };
  EXPECT_EQ(of_volume("[1, 2, [0, 3]]"), "[[1,1],[2,2],[0,3]]");
  EXPECT_NE(message_of<DataError>([&] { of_volume("[1, 2]"); }).find("three of them"), std::string::npos);
  for (const char* wrong : {"[1]", "[1, 2, 3]", "[[1, 2, 3], 1]"}) {
    EXPECT_NE(message_of<DataError>([&] { config_of(wrong); }).find("two of them or two pairs"), std::string::npos);
  }
}

TEST(Sides, RefusesWhatCannotWork) {
  expect_refused([] { ZeroPadding2D(-1); }, {"ZeroPadding2D", "padding", "-1"});
  expect_refused([] { Cropping2D({{0, 1}, {-2, 0}}); }, {"Cropping2D", "cropping", "-2"});
  expect_refused([] { ZeroPadding2D(1, {.name = "z"})(Input({4, 5})); }, {"'z'", "rank 4", "(None, 4, 5)"});
  expect_refused([] { Cropping2D(1, {.name = "c"})(Input({4, 5})); }, {"'c'", "rank 4", "(None, 4, 5)"});
  expect_refused([] { Cropping2D({1, 2}, {.name = "c"})(Input({8, 4, 1})); }, {"'c'", "(2, 4)", "(None, 8, 4, 1)"});
  expect_refused([] { ZeroPadding3D({1, 2, -3}); }, {"ZeroPadding3D", "padding", "-3"});
  expect_refused([] { Cropping1D({2, 2}, {.name = "c"})(Input({4, 1})); }, {"'c'", "(4,)", "(None, 4, 1)"});
  expect_refused([] { ZeroPadding1D(1, {.name = "z"})(Input({4})); }, {"'z'", "rank 3", "steps", "(None, 4)"});
  Cropping2D built(1, {.name = "c"});
  built(Input({-1, -1, 3}));
  expect_refused([&] { built(at::ones({1, 2, 8, 3})); }, {"'c'", "(2, 2)", "(1, 2, 8, 3)"});
  const auto channels_first = Config::from_json(R"({"data_format": "channels_first"})");
  for (const char* name : {"ZeroPadding2D", "Cropping2D", "UpSampling2D", "GlobalMaxPooling2D"}) {
    expect_refused([&] { layer_from_config(name, channels_first); }, {name, "channels_last", "channels_first"});
  }
}

}  // namespace
}  // namespace tandem::layers
