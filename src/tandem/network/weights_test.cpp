// Weights of a network: their order, reading and setting them, what is trained.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/layers/regularizers.h"
#include "tandem/network/chain.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

std::shared_ptr<Chain> normalized() {
  auto chain = std::make_shared<Chain>();
  chain->set_name("normalized");
  chain->add(layers::Input({4}));
  chain->add(layers::BatchNormalization({.name = "bn"}));
  chain->add(layers::Dense(3, {.use_bias = false, .name = "d"}));
  chain->add(layers::BatchNormalization({.name = "bn2"}));
  return chain;
}

std::string names_of(const std::vector<Weight>& weights) {
  std::string names;
  for (const auto& w : weights) names += (names.empty() ? "" : " ") + w.name();
  return names;
}

TEST(NetworkWeights, OrderAndFreezingAreThoseOfKeras) {  // read from keras 3.15.1
  const auto chain = normalized();
  EXPECT_EQ(names_of(chain->weights()),
            "gamma beta moving_mean moving_variance kernel gamma beta moving_mean moving_variance");
  EXPECT_EQ(names_of(chain->trainable_weights()), "gamma beta kernel gamma beta");
  EXPECT_EQ(names_of(chain->non_trainable_weights()), "moving_mean moving_variance moving_mean moving_variance");
  chain->layers()[0]->set_trainable(false);
  EXPECT_EQ(names_of(chain->trainable_weights()), "kernel gamma beta");
  EXPECT_EQ(names_of(chain->non_trainable_weights()),
            "gamma beta moving_mean moving_variance moving_mean moving_variance");
  chain->set_trainable(false);
  EXPECT_EQ(names_of(chain->trainable_weights()), "");
  EXPECT_EQ(chain->non_trainable_weights().size(), 9U);
  chain->set_trainable(true);
  EXPECT_EQ(names_of(chain->trainable_weights()), "gamma beta kernel gamma beta");
}

TEST(NetworkWeights, GetCopiesRowMajorAndSetBringsBack) {
  Chain chain;
  chain.add(layers::Input({8, 8, 3}));
  chain.add(layers::Conv2D(5, {3, 2}));
  auto values = chain.get_weights();
  EXPECT_EQ(values[0].sizes(), (std::vector<int64_t>{3, 2, 3, 5}));
  EXPECT_TRUE(values[0].is_contiguous());
  EXPECT_FALSE(values[0].requires_grad());
  const Tensor before = values[0].clone();
  values[0].zero_();
  EXPECT_TRUE(at::equal(chain.get_weights()[0], before)) << "get_weights must give copies";
  const Tensor counted = at::arange(90, at::kFloat).view({3, 2, 3, 5});
  chain.set_weights({counted, at::ones({5}, at::kDouble)});
  EXPECT_TRUE(at::equal(chain.get_weights()[0], counted));
  EXPECT_TRUE(at::equal(chain.get_weights()[1], at::ones({5})));
}

TEST(NetworkWeights, SetRefusesWhatDoesNotFitAndChangesNothing) {
  const auto chain = normalized();
  auto values = chain->get_weights();
  for (auto& v : values) v.add_(1);
  auto short_one = values;
  short_one.pop_back();
  EXPECT_EQ(message_of([&] { chain->set_weights(short_one); }), "set_weights: model 'normalized' has 9 weights, got 8");
  auto wrong = values;
  wrong[4] = at::ones({3, 4});
  const auto before = chain->get_weights();
  EXPECT_EQ(message_of([&] { chain->set_weights(wrong); }),
            "set_weights: weight 4 ('kernel') of model 'normalized' must have shape (4, 3), got (3, 4)");
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(at::equal(chain->get_weights()[i], before[i])) << i;
}

TEST(NetworkWeights, RegularizationIsTheSumOverTrainedWeights) {
  Chain chain;
  chain.add(layers::Input({2}));
  chain.add(layers::Dense(
      1, {.kernel_regularizer = regularizers::L2(0.1), .bias_regularizer = regularizers::L1(2), .name = "first"}));
  chain.add(layers::Dense(1, {.use_bias = false, .kernel_regularizer = regularizers::L2(1), .name = "second"}));
  chain.set_weights({at::tensor({1.0F, 2.0F}).view({2, 1}), at::tensor({-3.0F}), at::tensor({5.0F}).view({1, 1})});
  EXPECT_FLOAT_EQ(chain.regularization().item<float>(), 0.5F + 6 + 25);
  chain.layers()[1]->set_trainable(false);  // as Keras: a frozen weight has no penalty
  EXPECT_FLOAT_EQ(chain.regularization().item<float>(), 0.5F + 6);
  EXPECT_FALSE(normalized()->regularization().defined());
}

}  // namespace
}  // namespace tandem
