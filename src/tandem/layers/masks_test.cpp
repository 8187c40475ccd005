// What layers make of masks, by Keras's rules: which hand them on, which end them, and what becomes of masked steps.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/mask.h"
#include "tandem/layers/add.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/embedding.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/global_average_pooling1d.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/masking.h"
#include "tandem/layers/maximum.h"
#include "tandem/layers/multiply.h"
#include "tandem/layers/softmax.h"
#include "tandem/testing/closeness.h"

namespace tandem::layers {
namespace {

using testing::difference;
using testing::expect_refused;

// (1, 3, 2) with its second step masked, unless `mask` says otherwise.
Tensor masked(std::vector<float> values, std::vector<int> mask = {1, 0, 1}) {
  const Tensor x = at::tensor(values).view({1, 3, 2});
  set_mask(x, at::tensor(mask).to(at::kBool).view({1, 3}));
  return x;
}

TEST(Masking, LeavesOutStepsThatEqualTheValue) {
  const Tensor x = at::tensor({1.0F, 2.0F, 7.0F, 7.0F, 7.0F, 1.0F}).view({1, 3, 2});
  const Tensor y = Masking(7)(x);
  EXPECT_EQ(difference(y, at::tensor({1.0F, 2.0F, 0.0F, 0.0F, 7.0F, 1.0F}).view({1, 3, 2}), 0), "");
  EXPECT_TRUE(at::equal(mask_of(y), at::tensor({1, 0, 1}).to(at::kBool).view({1, 3})));
  expect_refused([] { Masking()(at::ones({3})); }, {"Masking", "features", "(3,)"});
}

TEST(Masking, EmbeddingOfIdZero) {
  const Tensor ids = at::tensor({3, 0, 1}).view({1, 3});
  EXPECT_FALSE(mask_of(Embedding(5, 2)(ids)).defined());
  EXPECT_TRUE(at::equal(mask_of(Embedding(5, 2, {.mask_zero = true})(ids)), ids.ne(0)));
}

TEST(Masks, AreHandedOnOrEnd) {
  const Tensor x = masked({1, 2, 3, 4, 5, 6});
  EXPECT_TRUE(mask_of(Dropout(0.5)(Dense(4)(x))).is_same(mask_of(x)));
  EXPECT_FALSE(mask_of(Flatten()(x)).defined());
}

TEST(Masks, OfMergedInputs) {
  const Tensor a = masked({1, 2, 3, 4, 5, 6}, {1, 0, 0}), b = masked({6, 5, 4, 3, 2, 1}, {0, 0, 1});
  const Tensor plain = at::ones({1, 3, 2});
  EXPECT_TRUE(at::equal(mask_of(Add()({a, b})), at::tensor({1, 0, 1}).to(at::kBool).view({1, 3})));
  EXPECT_FALSE(mask_of(Add()({a, plain})).defined());
  EXPECT_TRUE(at::equal(mask_of(Concatenate({.axis = 1})({a, plain})),
                        at::tensor({1, 0, 0, 1, 1, 1}).to(at::kBool).view({1, 6})));
  // Along the features a step counts where any part does.
  EXPECT_TRUE(at::equal(mask_of(Concatenate()({a, b})), at::tensor({1, 0, 1}).to(at::kBool).view({1, 3})));
  EXPECT_FALSE(mask_of(Concatenate()({plain, plain})).defined());
}

TEST(Masks, MaskedStepsTakeNoPartInMaximumAndProduct) {
  const Tensor a = masked({1, 9, 3, 9, 5, 6}, {1, 0, 0}), b = masked({6, 5, 4, 3, 2, 1}, {1, 1, 0});
  // The first step has both, the second b alone, the last neither: Maximum keeps the first's there, Multiply gives 0.
  EXPECT_EQ(difference(Maximum()({a, b}), at::tensor({6.0F, 9.0F, 4.0F, 3.0F, 5.0F, 6.0F}).view({1, 3, 2}), 0), "");
  EXPECT_EQ(difference(Multiply()({a, b}), at::tensor({6.0F, 45.0F, 4.0F, 3.0F, 0.0F, 0.0F}).view({1, 3, 2}), 0), "");
}

TEST(Masks, TheAverageIsOfTheStepsThatCount) {
  EXPECT_EQ(
      difference(GlobalAveragePooling1D()(masked({1, 2, 30, 40, 5, 6})), at::tensor({3.0F, 4.0F}).view({1, 2}), 0), "");
}

TEST(Masks, BatchNormalizationCountsWhatTheMaskLets) {
  BatchNormalization norm({.momentum = 0, .epsilon = 1e-5});
  const Tensor x = masked({1, 2, 30, 40, 5, 6});
  const Tensor y = norm(x, {.training = true});
  // Mean 3 and variance 4 of the steps 1 and 5; the masked step is normalised by them too.
  EXPECT_EQ(difference(norm.weights()[2].value(), at::tensor({3.0F, 4.0F}), 1e-5), "");
  EXPECT_EQ(difference(norm.weights()[3].value(), at::tensor({4.0F, 4.0F}), 1e-5), "");
  EXPECT_EQ(difference(y, at::tensor({-1.0F, -1.0F, 13.5F, 18.0F, 1.0F, 1.0F}).view({1, 3, 2}), 1e-4), "");
  EXPECT_TRUE(mask_of(y).defined());
  // A mask of the whole batch leaves statistics of 0 and no NaN.
  EXPECT_TRUE(norm(masked({1, 2, 3, 4, 5, 6}, {0, 0, 0}), {.training = true}).isfinite().all().item<bool>());
  EXPECT_EQ(norm.weights()[3].value().abs().sum().item<float>(), 0);
}

TEST(Masks, SoftmaxGivesMaskedPlacesNoShare) {
  const Tensor x = at::zeros({1, 3});
  set_mask(x, at::tensor({1, 0, 1}).to(at::kBool).view({1, 3}));
  EXPECT_EQ(difference(Softmax()(x), at::tensor({0.5F, 0.0F, 0.5F}).view({1, 3}), 1e-6), "");
  expect_refused([] { Softmax()(masked({1, 2, 3, 4, 5, 6})); }, {"Softmax", "mask", "(1, 3)"});
}

}  // namespace
}  // namespace tandem::layers
