// Every network of the zoo: as in real Keras, and as its recipe says.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <map>

#include "tandem/optimizers/rmsprop.h"
#include "tandem/testing/message_of.h"
#include "tandem/zoo/autoencoder.h"
#include "tandem/zoo/catalog.h"
#include "tandem/zoo/cnn.h"
#include "tandem/zoo/densenet121.h"
#include "tandem/zoo/keras_network_test.h"
#include "tandem/zoo/minigooglenet.h"
#include "tandem/zoo/mlp.h"
#include "tandem/zoo/mobilenetv2.h"
#include "tandem/zoo/resnet20.h"
#include "tandem/zoo/resnet50.h"
#include "tandem/zoo/transformer.h"
#include "tandem/zoo/vgg16.h"

namespace tandem::zoo {
namespace {

using testing::message_of;

// The networks for ImageNet without the softmax that would round their outputs to 0 and 1.
template <auto kNetwork, class Options>
Model logits() {
  return kNetwork(Options{.input_shape = {32, 32, 3}, .classes = 10, .classifier_activation = "linear"});
}
const std::map<std::string, Model (*)()>& with_logits() {
  static const std::map<std::string, Model (*)()> networks{
      {"resnet50", logits<resnet50, ImageNetOptions>},
      {"resnet50v2", logits<resnet50v2, ImageNetOptions>},
      {"densenet121", logits<densenet121, ImageNetOptions>},
      {"mobilenetv2", logits<mobilenetv2, MobileNetV2Options>},
      {"vgg16", logits<vgg16, ImageNetOptions>},
  };
  return networks;
}

class ZooNetwork : public ::testing::TestWithParam<std::string> {};

TEST_P(ZooNetwork, HasTheLayersOfKeras) {
  clear_session();
  testing::expect_layers_as_keras(GetParam(), make(GetParam(), 10).model);
}

TEST_P(ZooNetwork, PredictsWhatKerasPredicts) {
  const auto image_net = with_logits().find(GetParam());
  testing::expect_predicts_as_keras(
      GetParam(), image_net == with_logits().end() ? make(GetParam(), 10).model : image_net->second());
}

TEST_P(ZooNetwork, TrainsByItsRecipe) {
  set_random_seed(1);
  auto [model, recipe] = make(GetParam(), 3);
  model.compile({.optimizer = recipe.make_optimizer(2), .loss = recipe.loss});
  const auto before = model.get_weights();
  const Tensor x = at::ones({2, 32, 32, 3});
  model.fit(x, recipe.reconstructs ? x : at::eye(3).slice(0, 0, 2), {.batch_size = 1, .verbose = 0});
  bool changed = false;
  const auto after = model.get_weights();
  for (std::size_t i = 0; i < after.size(); ++i) changed = changed || !at::equal(after[i], before[i]);
  EXPECT_TRUE(changed);
}

INSTANTIATE_TEST_SUITE_P(All, ZooNetwork, ::testing::ValuesIn(names()), [](const auto& info) { return info.param; });

TEST(Zoo, HasTheNumbersOfWeightsThatThePapersModelsHave) {
  EXPECT_EQ(minigooglenet().count_params(), 1656250);
  EXPECT_EQ(resnet20().count_params(), 274442);
  EXPECT_EQ(cnn().count_params(), 356810);
  EXPECT_EQ(mlp().count_params(), (32 * 32 * 3 + 1) * 256 + (256 + 1) * 128 + (128 + 1) * 10);
  EXPECT_EQ(resnet20({.classes = 100}).count_params(), 274442 + 90 * 65);
  // A block of the Transformer: two normalisations, four projections of 64 to 64, 64 to 128 and back.
  const int64_t block = 2 * 2 * 64 + 4 * 65 * 64 + 65 * 128 + 129 * 64;
  EXPECT_EQ(transformer().count_params(), (4 * 4 * 3 + 1) * 64 + (64 + 64) * 64 + 2 * block + 2 * 64 + 65 * 10);
  EXPECT_EQ(autoencoder().count_params(), 3073 * 256 + 257 * 64 + 65 * 256 + 257 * 3072);
  EXPECT_EQ(conv_autoencoder().count_params(),
            (27 + 1) * 32 + (288 + 1) * 16 + (144 + 1) * 16 + (144 + 1) * 32 + (288 + 1) * 3);
  EXPECT_EQ(resnet50().count_params(), 25636712);
  EXPECT_EQ(resnet50v2().count_params(), 25613800);
  EXPECT_EQ(densenet121().count_params(), 8062504);
  EXPECT_EQ(mobilenetv2().count_params(), 3538984);
  EXPECT_EQ(mobilenetv2({.alpha = 0.35}).count_params(), 1691208);
  EXPECT_EQ(vgg16({.include_top = false}).count_params(), 14714688);
}

TEST(Zoo, RefusesImagesThatAreTooSmall) {
  EXPECT_EQ(message_of([] {
              minigooglenet({.input_shape = {30, 32, 3}});
            }),
            "minigooglenet: images must be at least 31x31, got input_shape (30, 32, 3)");
  EXPECT_EQ(message_of([] {
              resnet20({.input_shape = {32, 28, 3}});
            }),
            "resnet20: images must be at least 29x29, got input_shape (32, 28, 3)");
  EXPECT_EQ(message_of([] {
              cnn({.input_shape = {7, 7, 1}});
            }),
            "cnn: images must be at least 8x8, got input_shape (7, 7, 1)");
  EXPECT_EQ(message_of([] {
              cnn({.input_shape = {32, 32}});
            }),
            "cnn: input_shape must be (height, width, channels), got (32, 32)");
  EXPECT_EQ(message_of([] { resnet20({.classes = 1}); }), "resnet20: classes must be at least 2, got 1");
  EXPECT_EQ(message_of([] { mlp({.classes = 1}); }), "mlp: classes must be at least 2, got 1");
  EXPECT_EQ(message_of([] {
              transformer({.input_shape = {32, 30, 3}});
            }),
            "transformer: height and width must be known and divisible by patch, got (32, 30, 3) and 4");
  EXPECT_EQ(message_of([] { transformer({.heads = 5}); }), "transformer: heads must divide width, got 5 and 64");
  EXPECT_EQ(message_of([] {
              conv_autoencoder({.input_shape = {30, 32, 3}});
            }),
            "conv_autoencoder: height and width must be divisible by 4, got input_shape (30, 32, 3)");
  EXPECT_EQ(message_of([] {
              autoencoder({.input_shape = {-1, 32, 3}});
            }),
            "autoencoder: input_shape must be known, got (None, 32, 3)");
  EXPECT_EQ(minigooglenet({.input_shape = {31, 31, 1}, .classes = 2}).layers().back()->count_params(), 336 * 2 + 2);
  EXPECT_EQ(resnet20({.input_shape = {29, 29, 1}, .classes = 2}).layers().back()->count_params(), 64 * 2 + 2);
  EXPECT_EQ(cnn({.input_shape = {8, 8, 1}, .classes = 2}).layers().back()->count_params(), 128 * 2 + 2);
  EXPECT_EQ(mlp({.input_shape = {1, 1, 1}, .classes = 2}).layers().back()->count_params(), 128 * 2 + 2);
}

TEST(Zoo, FeatureMapsOfImagesOfAnySize) {
  const ImageNetOptions options{.input_shape = {-1, -1, 3}, .include_top = false};
  EXPECT_EQ(resnet50(options).predict(at::zeros({1, 65, 40, 3})).sizes(), (std::vector<int64_t>{1, 3, 2, 2048}));
  EXPECT_EQ(mobilenetv2({.input_shape = {64, 48, 3}, .alpha = 0.5, .include_top = false})
                .predict(at::zeros({2, 64, 48, 3}))
                .sizes(),
            (std::vector<int64_t>{2, 2, 2, 1280}));
}

TEST(Zoo, ProposesTheNearestName) {
  EXPECT_EQ(message_of([] { make("minigoglenet", 10); }),
            "model 'minigoglenet' is not known; did you mean 'minigooglenet'?");
}

TEST(Recipe, MakesTheOptimizerThatItNames) {
  const auto optimizer = cnn_recipe().make_optimizer(100).get();
  EXPECT_EQ(optimizer->class_name(), "RMSprop");
  EXPECT_EQ(optimizer->get_config(), optimizers::RMSprop({.learning_rate = 1e-4, .momentum = 0.9}).get()->get_config());
  const auto scheduled = resnet20_recipe().make_optimizer(64000).get();
  EXPECT_EQ(scheduled->class_name(), "SGD");
  EXPECT_DOUBLE_EQ(scheduled->get_config().at("momentum").as_double(), 0.9);
  // He et al.: divided by ten at 32,000 and 48,000 of 64,000 updates, counted from 1 here.
  EXPECT_FLOAT_EQ(static_cast<float>(scheduled->learning_rate(31999)), 0.1f);
  EXPECT_FLOAT_EQ(static_cast<float>(scheduled->learning_rate(32000)), 0.01f);
  EXPECT_FLOAT_EQ(static_cast<float>(scheduled->learning_rate(47999)), 0.01f);
  EXPECT_FLOAT_EQ(static_cast<float>(scheduled->learning_rate(48000)), 0.001f);
}

TEST(Recipe, RefusesASettingThatTheOptimizerDoesNotHave) {
  Recipe recipe = cnn_recipe();
  recipe.optimizer = "adam";
  EXPECT_NE(message_of([&] { recipe.make_optimizer(1); }).find("momentum"), std::string::npos);
}

}  // namespace
}  // namespace tandem::zoo
