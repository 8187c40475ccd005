// Model::summary against what Keras 3.15.1 prints (tests/fixtures/keras/summary_*.txt), byte for byte.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tandem/core/config.h"
#include "tandem/layers/activation.h"
#include "tandem/layers/add.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/bidirectional.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/gru.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/layers/time_distributed.h"
#include "tandem/model/model.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

using namespace layers;

std::string keras_summary(const std::string& name) {
  std::ifstream file(testing::fixture("keras/summary_" + name + ".txt"));
  return {std::istreambuf_iterator<char>(file), {}};
}

class Summary : public ::testing::Test {
 protected:
  void SetUp() override { clear_session(); }  // names begin with dense, sequential
};

Model summary_mlp() {
  return Sequential({Input({6}), Dense(8, {.activation = "relu"}), Dense(3, {.activation = "softmax"})});
}

Model summary_cnn() {
  return Sequential({Input({8, 8, 2}), Conv2D(4, 3, {.padding = "same"}), BatchNormalization(), Activation("relu"),
                     MaxPooling2D(2), Flatten(), Dense(3, {.activation = "softmax"})});
}

TEST_F(Summary, Sequential) {
  EXPECT_EQ(summary_mlp().summary_text(), keras_summary("mlp"));
  clear_session();
  EXPECT_EQ(summary_mlp().summary_text({.columns = 120}), keras_summary("mlp_wide"));
  clear_session();
  EXPECT_EQ(summary_cnn().summary_text(), keras_summary("cnn"));
}

TEST_F(Summary, Unbuilt) { EXPECT_EQ(Sequential({Dense(4), Dense(2)}).summary_text(), keras_summary("unbuilt")); }

TEST_F(Summary, Frozen) {
  const Model model = summary_cnn();
  model.layers()[0]->set_trainable(false);
  EXPECT_EQ(model.summary_text(), keras_summary("frozen"));
  EXPECT_EQ(model.summary_text({.show_trainable = true}), keras_summary("frozen_show_trainable"));
}

TEST_F(Summary, TrainedModelCountsTheOptimizersVariables) {
  Model model = summary_mlp();
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}), .loss = "mse"});
  EXPECT_EQ(model.summary_text(), keras_summary("mlp"));  // the optimizer has none before the first fit
  model.fit(at::zeros({2, 6}), at::zeros({2, 3}), {.verbose = 0});
  EXPECT_EQ(model.summary_text(), keras_summary("trained"));
}

TEST_F(Summary, FunctionalShowsConnections) {
  const auto build = [] {
    const auto a = Input({4}, {.name = "a"}), b = Input({4}, {.name = "b"});
    const Dense shared(5, {.activation = "tanh", .name = "shared"});
    const auto first = shared(a), second = shared(b);
    const auto merged = Concatenate({.name = "merged"})({first, second});
    const auto total = Add({.name = "total"})({first, second});
    return Model({a, b},
                 {Dense(3, {.activation = "softmax", .name = "kind"})(merged), Dense(2, {.name = "size"})(total)});
  };
  EXPECT_EQ(build().summary_text(), keras_summary("functional"));
  clear_session();
  EXPECT_EQ(build().summary_text({.columns = 120}), keras_summary("functional_wide"));
}

TEST_F(Summary, LayerCalledTwice) {
  const auto inputs = Input({8}, {.name = "in"});
  const Dense dense(8, {.name = "a_shared_layer_with_a_name_longer_than_its_column"});
  const auto x = dense(inputs);
  EXPECT_EQ(Model(inputs, Add()({dense(x), inputs}), "residual").summary_text(), keras_summary("shared_twice"));
}

TEST_F(Summary, NestedModel) {
  const Sequential inner({Input({6}), Dense(8, {.activation = "relu"}), Dense(4)}, "encoder");
  const auto inputs = Input({6}, {.name = "features"});
  const Model model(inputs, Dense(2, {.name = "head"})(inner(inputs)), "classifier");
  EXPECT_EQ(model.summary_text(), keras_summary("nested"));
  EXPECT_EQ(model.summary_text({.expand_nested = true}), keras_summary("nested_expanded"));
}

TEST_F(Summary, SeveralOutputsAndLayersWithinLayers) {
  const auto source = Input({5, 3}, {.name = "source"}), target = Input({4, 2}, {.name = "target"});
  const auto encoded = LSTM(6, {.return_state = true}).outputs(source);
  auto x = LSTM(6, {.return_sequences = true})({target, encoded[1], encoded[2]});
  x = Bidirectional(GRU(4, {.return_sequences = true}))(x);
  const Model model({source, target}, TimeDistributed(Dense(3))(x), "translator");
  EXPECT_EQ(model.summary_text(), keras_summary("recurrent"));
}

TEST_F(Summary, TooNarrowIsRefused) { EXPECT_THROW(summary_mlp().summary_text({.columns = 12}), InvalidArgument); }

}  // namespace
}  // namespace tandem
