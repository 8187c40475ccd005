#include "tandem/data/image_normalization.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/message_of_test.h"
#include "tandem/data/preprocessing.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/npy.h"

namespace tandem::data {
namespace {

struct KerasCase {
  const char* name;
  ImageNormalizationOptions options;
};

const std::vector<KerasCase> kKerasCases = {
    {"featurewise_center", {.featurewise_center = true, .rescale = 1.0 / 255}},
    {"featurewise_std", {.featurewise_std_normalization = true}},
    {"samplewise_center", {.samplewise_center = true}},
    {"samplewise_std", {.samplewise_std_normalization = true, .rescale = 0.5}},
    {"all", {.featurewise_std_normalization = true, .samplewise_std_normalization = true, .rescale = 0.1}}};

Tensor keras_array(const std::string& name, const char* what) {
  return testing::load_npy(testing::fixture("keras/augmentation/standardize_" + name + "/" + what + ".npy"));
}

TEST(ImageNormalization, AsKeras) {
  for (const auto& [name, options] : kKerasCases) {
    const Tensor x = keras_array(name, "x"), wanted = keras_array(name, "output");
    const auto fitted = Preprocessing::fit(TensorDataset(x).batch(3), options);
    EXPECT_EQ(testing::difference(fitted.apply(x), wanted, 1e-5), "") << name;
    EXPECT_EQ(testing::difference(fitted.apply(x.to(at::kFloat)), wanted, 1e-5), "") << name;
    const auto read = Preprocessing::from_state(fitted.state());
    EXPECT_TRUE(at::equal(read.apply(x), fitted.apply(x))) << name;
    EXPECT_EQ(read.describe(), fitted.describe()) << name;
  }
}

TEST(ImageNormalization, StatisticsAreOfTheImagesAsTheModelSeesThem) {
  const Tensor x = keras_array("all", "x");
  const auto to_input = Preprocessing::adapt({4, 5, 3}, {6, 6, 3});
  const auto fitted = Preprocessing::fit(TensorDataset(x), {.featurewise_std_normalization = true}, {6, 6, 3});
  const Tensor large = to_input.apply(x).to(at::kDouble);
  const Tensor mean = large.mean(at::IntArrayRef{0, 1, 2}), std = large.std(at::IntArrayRef{0, 1, 2}, 0, false);
  EXPECT_TRUE(at::allclose(fitted.apply(x).to(at::kDouble), (large - mean) / (std + 1e-6), 0, 1e-5));
  EXPECT_EQ(fitted.describe(),
            std::vector<std::string>({"images 4x5x3 resized to 6x6x3 (bilinear)",
                                      "channels normalised by their means and standard deviations"}));
}

TEST(ImageNormalization, LeavesItsArgumentAloneAndRescaleComesLast) {
  const Tensor x = keras_array("all", "x").to(at::kFloat), before = x.clone();
  const auto fitted = Preprocessing::fit(TensorDataset(x), {.samplewise_center = true});
  EXPECT_TRUE(at::allclose(fitted.rescale(2, 1).apply(x), fitted.apply(x) * 2 + 1));
  EXPECT_TRUE(at::equal(x, before));
}

// A mean of 1000 and a deviation of 0.01: sums of squares in float32 would lose it.
TEST(ImageNormalization, SmallDeviationsAboutALargeMean) {
  const Tensor x = RandomStream(4).normal({600, 2, 2, 1}) * 0.01 + 1000;
  const auto fitted = Preprocessing::fit(TensorDataset(x), {.featurewise_std_normalization = true});
  const Tensor exact = x.to(at::kDouble), mean = exact.mean(), std = (exact - mean).square().mean().sqrt();
  EXPECT_TRUE(at::allclose(fitted.apply(x).to(at::kDouble), (exact - mean) / (std + 1e-6), 0, 5e-3));
}

TEST(ImageNormalization, NothingAskedForIsNothing) {
  EXPECT_TRUE(ImageNormalization().empty());
  EXPECT_TRUE(ImageNormalization::fit(TensorDataset(at::ones({2, 3, 3, 1})), {}).empty());
  EXPECT_EQ(ImageNormalization().state().size(), 0U);
}

TEST(ImageNormalization, RefusesWhatDoesNotFit) {
  EXPECT_EQ(message_of<InvalidArgument>([] {
              ImageNormalization::fit(TensorDataset(at::ones({2, 3})), {.featurewise_center = true});
            }),
            "ImageNormalization: images must be (rows, height, width, channels), got (2, 3)");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              ImageNormalization::fit(TensorDataset(at::ones({2, 2, 2, 3})), {.featurewise_center = true})
                  .apply(at::ones({1, 2, 2, 1}));
            }),
            "preprocessing: images must have the 3 channels that the means are of, got (1, 2, 2, 1)");
  EXPECT_THROW(ImageNormalization::fit(TensorDataset(at::ones({2, 2, 2, 3})), {.rescale = 0}), InvalidArgument);
  StateDict damaged =
      ImageNormalization::fit(TensorDataset(at::ones({2, 2, 2, 3})), {.featurewise_std_normalization = true}).state();
  damaged.set("channel_std", at::ones({2}));
  EXPECT_THROW(ImageNormalization::from_state(damaged), DataError);
}

}  // namespace
}  // namespace tandem::data
