// The text of programs; tests/convert compiles and runs them.
#include "tandem/saving/cpp_program.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/layers/catalog.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/layers/normalization.h"
#include "tandem/layers/permute.h"
#include "tandem/layers/regularizers.h"
#include "tandem/layers/variance_scaling.h"
#include "tandem/layers/zero_padding2d.h"
#include "tandem/network/chain.h"
#include "tandem/network/graph.h"
#include "tandem/saving/cpp_classes.h"
#include "tandem/saving/cpp_names.h"
#include "tandem/saving/cpp_network.h"
#include "tandem/saving/cpp_text.h"
#include "tandem/saving/keras_networks_test.h"
#include "tandem/testing/message_of.h"

namespace tandem::saving {
namespace {

using layers::Dense;
using testing::message_of;

std::string functions_of(const Network& network) {
  CppNetworkWriter writer;
  writer.write(network);
  return writer.text();
}

TEST(CppLayer, LeavesOutWhatIsTheDefault) {
  EXPECT_EQ(cpp_layer(*Dense(4, {.name = "a"})), R"(Dense(4, {.name = "a"}))");
  EXPECT_EQ(cpp_layer(*Dense(4, {.activation = "relu", .use_bias = false, .name = "a"})),
            R"(Dense(4, {.activation = "relu", .use_bias = false, .name = "a"}))");
  EXPECT_EQ(cpp_layer(*layers::Conv2D(8, {3, 2}, {.strides = 2, .padding = "same", .name = "c"})),
            R"(Conv2D(8, Size2D{3, 2}, {.strides = {2, 2}, .padding = "same", .name = "c"}))");
  EXPECT_EQ(cpp_layer(*layers::MaxPooling2D(2, {.name = "p"})), R"(MaxPooling2D(Size2D{2, 2}, {.name = "p"}))");
  EXPECT_EQ(cpp_layer(*layers::Dropout(0.25, {.noise_shape = {-1, 1}, .seed = 3, .name = "d"})),
            R"(Dropout(0.25, {.noise_shape = {-1, 1}, .seed = 3, .name = "d"}))");
  EXPECT_EQ(cpp_layer(*layers::Permute({2, 1}, {.name = "t"})),
            R"(Permute(std::vector<int64_t>{2, 1}, {.name = "t"}))");
  EXPECT_EQ(cpp_layer(*layers::ZeroPadding2D({{1, 2}, {0, 3}}, {.name = "z"})),
            R"(ZeroPadding2D(Sides2D{{1, 2}, {0, 3}}, {.name = "z"}))");
}

TEST(CppLayer, SettingsThatAreObjects) {
  const Dense dense(3, {.kernel_initializer = initializers::HeNormal({.seed = 5}),
                        .bias_initializer = "ones",
                        .kernel_regularizer = regularizers::L2(0.5),
                        .name = "a"});
  EXPECT_EQ(cpp_layer(*dense),
            "Dense(3, {.kernel_initializer = initializers::HeNormal({.seed = 5}), .bias_initializer = "
            "initializers::Ones(), .kernel_regularizer = regularizers::L2(0.5), .name = \"a\"})");
}

TEST(CppLayer, WithoutARowOfItsOwnItIsMadeFromItsConfig) {
  const layers::Normalization layer({.mean = at::ones({2}), .variance = at::ones({2}), .name = "n"});
  const std::string text = cpp_layer(*layer);
  EXPECT_EQ(text.find("layer_from_config(\"Normalization\", Config::from_json(\"{"), 0U) << text;
}

// A row is of a layer that is there, and names settings that the layer has.
TEST(CppClasses, RowsAreOfTheCatalog) {
  std::size_t rows = 0;
  for (const auto& name : layer_class_names()) rows += cpp_layer_class(name) ? 1 : 0;
  EXPECT_GT(rows, 70U);
}

TEST(CppText, LiteralsHoldAnyBytes) {
  EXPECT_EQ(cpp_literal("a\"b\\c\n1"), R"("a\"b\\c\0121")");
  EXPECT_EQ(cpp_literal(std::string("\0é", 3)), "\"\\000é\"");
  EXPECT_EQ(cpp_value(Config::List{1, {}, 2.5, true, "x"}), R"({1, -1, 2.5, true, "x"})");
}

TEST(CppNames, AreNamesOfVariables) {
  CppNames names;
  EXPECT_EQ(names.unique("dense_1"), "dense_1");
  EXPECT_EQ(names.unique("dense_1"), "dense_1_1");
  EXPECT_EQ(names.unique("class"), "class_1");
  EXPECT_EQ(names.unique("Dense"), "dense");
  EXPECT_EQ(names.unique("block/1__conv"), "block_1_conv");
  EXPECT_EQ(names.unique("1x1"), "n_1x1");
  EXPECT_EQ(names.unique("größe"), "gr_e");
  EXPECT_EQ(names.unique("__"), "n_");
}

TEST(CppNetwork, SharedNestedAndFrozen) {
  const auto network = functional_network();
  std::string text = functions_of(*network);
  const std::string input = ".add(Input({4}, {.name = \"";  // whose name counts layers
  text.erase(text.find(input) + input.size(), text.find("\"}));") - text.find(input) - input.size());
  EXPECT_EQ(text, R"(Model make_inner() {
  Sequential model({}, "inner");
  model.add(Input({4}, {.name = ""}));
  model.add(BatchNormalization({.name = "in_bn"}));
  model.add(Dense(3, {.name = "in_dense"}));
  return model;
}

Model make_whole() {
  const auto image = Input({4, 4, 2}, {.name = "image"});
  const auto conv = Conv2D(3, Size2D{2, 2}, {.name = "conv"})(image);
  const auto bn = BatchNormalization({.name = "bn"})(conv);
  const auto drop = Dropout(0.5, {.name = "drop"})(bn);
  const auto flat = Flatten({.name = "flat"})(drop);
  const auto first = Dense(4, {.name = "first"})(flat);
  const auto shared = Dense(4, {.name = "shared"});
  const auto shared_1 = shared(first);
  const auto shared_2 = shared(shared_1);
  const auto inner = make_inner()(shared_2);
  const auto frozen = BatchNormalization({.name = "frozen"});
  frozen->set_trainable(false);
  const auto frozen_1 = frozen(inner);
  const auto out = Dense(2, {.name = "out"})(frozen_1);
  Model model(image, out, "whole");
  return model;
}

)");
}

TEST(CppNetwork, AFrozenModelThawsWhatIsTrained) {
  const auto chain = std::make_shared<Chain>();
  chain->set_name("half");
  const Dense first(2, {.name = "first"}), second(2, {.name = "second"});
  chain->add(layers::Input({2}, {.name = "x"}));
  chain->add(first);
  chain->add(second);
  chain->set_trainable(false);
  second->set_trainable(true);
  EXPECT_EQ(functions_of(*chain), R"(Model make_half() {
  Sequential model({}, "half");
  model.add(Input({2}, {.name = "x"}));
  model.add(Dense(2, {.name = "first"}));
  const auto second = Dense(2, {.name = "second"});
  model.add(second);
  model->set_trainable(false);
  second->set_trainable(true);
  return model;
}

)");
}

// A file must not be able to write code of its own into the program.
TEST(CppProgram, NamesStayWithinTextsAndComments) {
  const auto chain = std::make_shared<Chain>();
  chain->set_name("a\"; int main() {} //\n");
  chain->add(layers::Input({2}, {.name = "x\"\n"}));
  chain->add(Dense(2, {.name = "};\nint y;"}));
  const std::string text = cpp_program(*chain, {"first\nint z; \\"});
  EXPECT_NE(text.find("// first int z;  \n"), std::string::npos) << text;
  EXPECT_NE(text.find("Model make_a_int_main_() {\n  Sequential model({}, \"a\\\"; int main() {} //\\012\");\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("{.name = \"};\\012int y;\"}"), std::string::npos) << text;
}

TEST(CppNetwork, WhatCannotBeWrittenIsRefusedByName) {
  struct Twice : Layer {
    Tensor call(const Tensor& x, const CallContext&) override { return x * 2; }
  };
  const auto with = [](const LayerHandle& layer) {
    const auto chain = std::make_shared<Chain>();
    chain->set_name("m");
    chain->add(layers::Input({2}));
    chain->add(layer);
    return message_of([&] { cpp_program(*chain); });
  };
  const auto own = make_layer<Twice>();
  own->set_name("twice");
  EXPECT_EQ(with(own), "layer 'twice' (Twice) cannot be written as C++: its class is a program's own");
  EXPECT_EQ(with(Dense(2, {.activation = [](const Tensor& x) { return x; }, .name = "d"})),
            "layer 'd' (Dense) cannot be written as C++: Dense: an activation that is a callable has no config; give "
            "its name to save the layer");
  EXPECT_EQ(message_of([] { cpp_program(*subclassed_network()); }),
            "model 'net' (Net) cannot be written as C++: its class is a program's own");
  Chain unbuilt;
  unbuilt.set_name("u");
  unbuilt.add(Dense(2));
  EXPECT_EQ(message_of([&] { cpp_program(unbuilt); }),
            "model 'u' cannot be written as C++: it must be built first; give it an input shape");

  const Dense shared(2, {.name = "shared"});
  const auto inner = std::make_shared<Chain>();
  inner->set_name("inner");
  inner->add(layers::Input({2}));
  inner->add(shared);
  const auto x = layers::Input({2});
  Graph both(x, LayerHandle(inner)(shared(x)));
  both.set_name("both");
  EXPECT_EQ(message_of([&] { cpp_program(both); }),
            "layer 'shared' cannot be written as C++: it is a part of two models, 'both' and 'inner'");
  {
    const DeviceScope scope(Device("cpu:0"));
    const auto y = layers::Input({2});
    Graph placed(y, Dense(2, {.name = "d"})(y));
    EXPECT_NE(message_of([&] { cpp_program(placed); }).find("it is placed on cpu:0"), std::string::npos);
  }
}

}  // namespace
}  // namespace tandem::saving
