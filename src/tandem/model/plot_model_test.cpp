// Networks of the zoo are compared with real Keras in zoo/networks_test.cpp.
#include "tandem/model/plot_model.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/add.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/model.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;

constexpr PlotModelOptions kAll{.show_shapes = true, .show_layer_names = true};

// "0>2 1>2"
std::string arrows_of(const report::Diagram& diagram) {
  std::string text;
  for (const auto& edge : diagram.edges)
    text += (text.empty() ? "" : " ") + std::to_string(edge.from) + ">" + std::to_string(edge.to);
  return text;
}

std::vector<std::string> boxes_of(const report::Diagram& diagram) {
  std::vector<std::string> boxes;
  for (const auto& node : diagram.nodes) {
    boxes.push_back(node.heading);
    for (const auto& line : node.lines) boxes.back() += " | " + line;
  }
  return boxes;
}

TEST(PlotModel, ASequentialIsAColumnOfItsLayers) {
  clear_session();
  const Sequential model({Input({4}), Dense(3), Dense(2)});
  EXPECT_EQ(boxes_of(model_diagram(model)), (std::vector<std::string>{"Dense", "Dense"}));
  EXPECT_EQ(boxes_of(model_diagram(model, kAll)),
            (std::vector<std::string>{"dense (Dense) | (None, 3)", "dense_1 (Dense) | (None, 2)"}));
  EXPECT_EQ(arrows_of(model_diagram(model)), "0>1");
}

TEST(PlotModel, ASharedLayerIsOneBoxAndAModelWithinToo) {
  const Sequential inner({Input({4}), Dense(5), Dense(4)}, "inner");
  const auto a = Input({4}, {.name = "a"}), b = Input({4}, {.name = "b"});
  const Model model({a, b}, {Add({.name = "sum"})({inner(a), inner(b)}), a});
  const auto diagram = model_diagram(model, kAll);
  EXPECT_EQ(boxes_of(diagram), (std::vector<std::string>{"a (InputLayer) | (None, 4)", "b (InputLayer) | (None, 4)",
                                                         "inner (Sequential) | (None, 4)", "sum (Add) | (None, 4)"}));
  EXPECT_EQ(arrows_of(diagram), "0>2 1>2 2>3");
}

TEST(PlotModel, ALayerThatReadsItsOwnOutput) {
  const auto x = Input({4});
  const Dense twice(4);
  EXPECT_EQ(arrows_of(model_diagram(Model(x, twice(twice(x))))), "0>1 1>1");
}

TEST(PlotModel, AModelOfAClassIsOneBox) {
  struct Halves : SubclassedModel {
    Dense inner = track("inner", Dense(2));
    Tensor call(const Tensor& x, const CallContext& context) override { return inner(x, context) / 2; }
  };
  Model model = make_model<Halves>();
  EXPECT_NE(testing::message_of([&] { model_diagram(model); }).find("must be built"), std::string::npos);
  model.predict(at::zeros({1, 3}), {.verbose = 0});
  EXPECT_EQ(boxes_of(model_diagram(model, {.show_shapes = true})), (std::vector<std::string>{"Halves | (None, 2)"}));
}

TEST(PlotModel, AModelWithoutShapesIsRefused) {
  EXPECT_NE(testing::message_of([] { plot_model(Sequential({Dense(4)}), "m.svg"); }).find("must be built"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
