#include "tandem/zoo/text_classifier.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/testing/closeness.h"

namespace tandem::zoo {
namespace {

TEST(TextClassifier, HasTheWeightsOfItsFormula) {
  const int64_t words = 20000 * 128, lstm = 4 * 128 * (128 + 128 + 1), head = 128 * 2 + 2;
  EXPECT_EQ(text_classifier().count_params(), words + lstm + head);
  EXPECT_EQ(words + lstm + head, 2691842);
}

TEST(TextClassifier, PaddingChangesNothing) {
  set_random_seed(1);
  Model model = text_classifier({.vocabulary = 50, .features = 8, .units = 6, .classes = 3});
  const Tensor ids = at::tensor({4, 9, 17, 2, 31, 8, 8, 40}).to(at::kLong).view({2, 4});
  const Tensor padding = at::zeros({2, 3}, at::kLong), want = model.predict(ids);
  EXPECT_EQ(testing::difference(model.predict(at::cat({ids, padding}, 1)), want, 1e-6), "");
  EXPECT_EQ(testing::difference(model.predict(at::cat({padding, ids}, 1)), want, 1e-6), "");
}

// A row's class is whether its first word, behind some padding, is above 25: many steps before the end.
TEST(TextClassifier, LearnsWhatStandsManyStepsBack) {
  set_random_seed(2);
  Model model = text_classifier({.vocabulary = 50, .features = 16, .units = 16, .dropout = 0});
  const Tensor ids = (RandomStream(1).uniform({256, 12}) * 49 + 1).to(at::kLong);
  ids.slice(1, 0, 2).zero_();
  const Tensor y = at::one_hot((ids.select(1, 2) > 25).to(at::kLong), 2).to(at::kFloat);
  Recipe recipe = text_classifier_recipe();
  recipe.learning_rate = 0.02;
  model.compile({.optimizer = recipe.make_optimizer(1), .loss = recipe.loss, .metrics = {"accuracy"}});
  const auto history = model.fit(ids, y, {.batch_size = 32, .epochs = 80, .verbose = 0});
  EXPECT_GT(history["accuracy"].back(), 0.95);
}

TEST(TextClassifier, RefusesOneClass) { EXPECT_THROW(text_classifier({.classes = 1}), InvalidArgument); }

}  // namespace
}  // namespace tandem::zoo
