#include "tandem/layers/random_image_layer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/random_brightness.h"
#include "tandem/layers/random_contrast.h"
#include "tandem/layers/random_crop.h"
#include "tandem/layers/random_flip.h"
#include "tandem/layers/random_rotation.h"
#include "tandem/layers/random_translation.h"
#include "tandem/layers/random_zoom.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

CallContext changing(uint64_t key, int64_t first_row = 0) {
  return {.training = true, .random = RandomStream(key), .first_row = first_row};
}

TEST(RandomImageLayer, InferenceAndConfigsMatchKeras) { EXPECT_EQ(check_cases("random_"), 10); }

TEST(RandomImageLayer, DoesNotDependOnHowTheBatchIsDivided) {
  const Tensor x = at::rand({6, 7, 8, 2});
  for (const LayerHandle& layer :
       std::vector<LayerHandle>{RandomFlip(), RandomRotation(0.2), RandomZoom(0.4, {.width_factor = 0.2}),
                                RandomTranslation(0.3, 0.2, {.seed = 3}), RandomContrast(0.9, {.value_range = {0, 1}}),
                                RandomBrightness(0.5, {.value_range = {0, 1}}), RandomCrop(3, 4)}) {
    SCOPED_TRACE(layer->class_name());
    const Tensor whole = layer(x, changing(3));
    for (int64_t cut : {1, 4}) {
      const Tensor first = layer(x.slice(0, 0, cut), changing(3)), second = layer(x.slice(0, cut), changing(3, cut));
      EXPECT_TRUE(at::allclose(at::cat({first, second}), whole, 1e-6, 1e-6));
    }
    int others = 0;  // of 20 draws: a crop has but 25 places
    for (uint64_t key = 4; key < 24; ++key) others += !at::allclose(layer(x, changing(key)), whole);
    EXPECT_GE(others, 10);
    EXPECT_TRUE(whole.is_contiguous());
    EXPECT_TRUE(layer->output_shape({-1, 7, 8, 2}).matches(Shape::of(whole.sizes().vec())));
    EXPECT_EQ(layer(x.slice(0, 0, 0), changing(3)).size(0), 0);
    const Tensor bytes = layer(at::full({2, 7, 8, 2}, 200, at::kByte));
    EXPECT_EQ(bytes.scalar_type(), at::kFloat);
    EXPECT_TRUE(at::equal(bytes, at::full_like(bytes, 200)));
  }
}

TEST(RandomFlip, TurnsHalfOfTheImages) {
  const Tensor x = at::arange(6, at::kFloat).view({1, 2, 3, 1}).expand({1000, 2, 3, 1});
  for (const auto& [mode, axes] :
       {std::pair("horizontal", std::vector<int64_t>{2}), std::pair("vertical", std::vector<int64_t>{1}),
        std::pair("horizontal_and_vertical", std::vector<int64_t>{1, 2})}) {
    const Tensor out = RandomFlip({.mode = mode})(x, changing(1));
    const Tensor stays = (out == x).flatten(1).all(1), turned = (out == x.flip(axes)).flatten(1).all(1);
    EXPECT_TRUE(stays.logical_xor(turned).all().item<bool>()) << mode;
    // 1000 draws: the deviation of the share is sqrt(0.25 / 1000) = 0.016.
    EXPECT_NEAR(turned.to(at::kFloat).mean().item<double>(), 0.5, 5 * 0.016) << mode;
  }
}

// A draw that can be but one: a quarter turn, and half a turn.
TEST(RandomRotation, TurnsByWholeTurns) {
  const Tensor x = at::rand({2, 5, 5, 3});
  const Tensor quarter = RandomRotation({0.25, 0.25})(x, changing(1));
  EXPECT_TRUE(at::allclose(quarter, x.rot90(1, {1, 2}), 1e-4, 1e-4) ||
              at::allclose(quarter, x.rot90(-1, {1, 2}), 1e-4, 1e-4));
  EXPECT_TRUE(at::allclose(RandomRotation({0.5, 0.5})(x, changing(1)), x.rot90(2, {1, 2}), 1e-4, 1e-4));
}

TEST(RandomTranslation, MovesByAShareOfTheImage) {
  const Tensor x = at::rand({2, 4, 6, 1});
  const Tensor down = RandomTranslation({0.25, 0.25}, 0, {.fill_mode = "constant", .fill_value = 7})(x, changing(1));
  EXPECT_TRUE(at::allclose(down.slice(1, 1), x.slice(1, 0, 3)));
  EXPECT_TRUE(at::equal(down.slice(1, 0, 1), at::full({2, 1, 6, 1}, 7.F)));
  const Tensor left = RandomTranslation(0, {-0.5, -0.5}, {.fill_mode = "wrap"})(x, changing(1));
  EXPECT_TRUE(at::allclose(left, at::cat({x.slice(2, 3), x.slice(2, 0, 3)}, 2)));
}

TEST(RandomZoom, SeesAShareOfTheImage) {
  const Tensor x = at::arange(5, at::kFloat).view({1, 1, 5, 1}).expand({2, 5, 5, 1});
  // Half of the width is seen: pixels 1 to 3 in steps of 1/2.
  const Tensor out = RandomZoom(0, {.width_factor = {-0.5, -0.5}})(x, changing(1));
  EXPECT_TRUE(at::allclose(out[0][2].flatten(), at::tensor({1.F, 1.5F, 2.F, 2.5F, 3.F})));
  const Tensor both = RandomZoom({-0.5, -0.5})(x.transpose(1, 2), changing(1));
  EXPECT_TRUE(at::allclose(both[0].select(1, 2).flatten(), at::tensor({1.F, 1.5F, 2.F, 2.5F, 3.F})));
}

TEST(RandomContrast, SpreadsAroundTheMean) {
  const Tensor x = at::rand({3, 4, 5, 2}), mean = x.mean({1, 2}, true);
  const Tensor out = RandomContrast({0.5, 1}, {.value_range = {-9, 9}})(x, changing(1));
  const Tensor contrast = ((out - mean) / (x - mean)).flatten(1);
  EXPECT_TRUE(at::allclose(contrast, contrast.slice(1, 0, 1).expand_as(contrast), 1e-3, 1e-3));
  EXPECT_TRUE((contrast >= 0.5 - 1e-3).logical_and(contrast <= 2 + 1e-3).all().item<bool>());
  const Tensor cut = RandomContrast(1, {.value_range = {0.2, 0.8}})(x, changing(1));
  EXPECT_GE(cut.min().item<float>(), 0.2F);
  EXPECT_LE(cut.max().item<float>(), 0.8F);
}

TEST(RandomBrightness, AddsAShareOfTheRange) {
  const Tensor x = at::rand({500, 2, 2, 1}) * 10 + 100;
  const Tensor added = (RandomBrightness(0.2)(x, changing(1)) - x).flatten(1);
  EXPECT_TRUE(at::allclose(added, added.slice(1, 0, 1).expand_as(added), 1e-3, 1e-3));
  EXPECT_LE(added.abs().max().item<float>(), 0.2F * 255 + 0.01F);
  // 500 uniform draws: the deviation of the mean is 0.4 * 255 / sqrt(12 * 500).
  EXPECT_NEAR(added.mean().item<double>(), 0, 5 * 0.4 * 255 / std::sqrt(6000.0));
}

TEST(RandomCrop, TakesOneWindowForABatch) {
  const Tensor x = at::arange(30, at::kFloat).view({1, 5, 6, 1}).expand({2, 5, 6, 1});
  std::set<float> corners;
  for (uint64_t key = 0; key < 200; ++key) {
    const Tensor out = RandomCrop(3, 4)(x, changing(key));
    const auto corner = out[0][0][0].item<int64_t>();
    corners.insert(static_cast<float>(corner));
    EXPECT_TRUE(at::equal(out, x.narrow(1, corner / 6, 3).narrow(2, corner % 6, 4)));
  }
  EXPECT_EQ(corners, (std::set<float>{0, 1, 2, 6, 7, 8, 12, 13, 14}));
  // Elsewhere the largest window of that shape, resized.
  EXPECT_EQ(RandomCrop(10, 12)(x, changing(1)).sizes(), (std::vector<int64_t>{2, 10, 12, 1}));
  EXPECT_TRUE(at::equal(RandomCrop(5, 6)(x), x));
}

TEST(RandomImageLayer, RefusesWhatCannotWork) {
  expect_refused([] { RandomFlip({.mode = "horizontl"}); }, {"RandomFlip", "mode", "horizontl", "horizontal"});
  expect_refused([] { RandomRotation(1.5); }, {"RandomRotation", "factor", "[-1, 1]", "1.5"});
  expect_refused([] { RandomRotation(0.5, {.fill_mode = "mirror"}); }, {"RandomRotation", "fill_mode", "mirror"});
  expect_refused([] { RandomZoom({-1, 0}); }, {"RandomZoom", "height_factor", "(-1, 1]"});
  expect_refused([] { RandomTranslation(0.1, 2); }, {"RandomTranslation", "width_factor", "2"});
  expect_refused([] { RandomContrast(-0.5); }, {"RandomContrast", "factor"});
  expect_refused([] { RandomBrightness(0.5, {.value_range = {1, 0}}); }, {"RandomBrightness", "value_range"});
  expect_refused([] { RandomCrop(0, 2); }, {"RandomCrop", "positive", "0"});
  expect_refused([] { RandomFlip({.name = "f"})(Input({4, 5})); }, {"'f'", "rank 4", "(None, 4, 5)"});
}

}  // namespace
}  // namespace tandem::layers
