#include "tandem/zoo/keras_network_test.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "tandem/core/config.h"
#include "tandem/model/plot_model.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/npy.h"

namespace tandem::testing {
namespace {

std::string network_file(const std::string& name, const std::string& file) {
  return fixture("keras/zoo/" + name + "/" + file);
}

Config network_case(const std::string& name) {
  std::ifstream file(network_file(name, "case.json"));
  return Config::from_json(std::string{std::istreambuf_iterator<char>(file), {}});
}

// The case's formula for values that look random: 2 frac(43758.5453 sin(12.9898 j + phase)) - 1.
Tensor noise(const Shape& shape, double phase) {
  Tensor values = at::empty(shape.sizes(), at::kDouble);
  auto* v = values.mutable_data_ptr<double>();
  for (int64_t j = 0; j < values.numel(); ++j) {
    const double t = 43758.5453 * std::sin(12.9898 * static_cast<double>(j) + phase);
    v[j] = 2 * (t - std::floor(t)) - 1;
  }
  return values;
}

Tensor weight_by_formula(const Weight& weight, int64_t number) {
  const Tensor n = noise(weight.shape(), static_cast<double>(number));
  if (weight.name() == "kernel") {
    const double fan_in = static_cast<double>(weight.shape().count()) / static_cast<double>(weight.shape().back());
    return (n * std::sqrt(6 / fan_in)).to(at::kFloat);
  }
  const bool is_near_one = weight.name() == "gamma" || weight.name() == "moving_variance";
  return (is_near_one ? 1 + 0.3 * n : 0.1 * n).to(at::kFloat);
}

}  // namespace

void expect_layers_as_keras(const std::string& name, const Model& model) {
  const auto about = network_case(name);
  const auto& keras = about.at("layers").as_list();
  const auto layers = model.layers();
  const auto diagram = model_diagram(model, {.show_shapes = true, .show_layer_names = true});
  ASSERT_EQ(layers.size(), keras.size());
  std::vector<std::string> boxes, expected_boxes;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto& layer_name = keras[i].at("name").as_string();
    EXPECT_EQ(layers[i]->name(), layer_name);
    EXPECT_EQ(layers[i]->count_params(), keras[i].at("params").as_int()) << layer_name;
    expected_boxes.push_back(layer_name + " (" + keras[i].at("class").as_string() + ") " +
                             keras[i].at("output_shape").as_string());
  }
  EXPECT_EQ(model.count_params(), about.at("params").as_int());

  for (const auto& node : diagram.nodes) boxes.push_back(node.heading + " " + node.lines.at(0));
  std::vector<std::string> arrows, expected_arrows;
  const auto heading_name = [&](std::size_t node) {
    const auto& heading = diagram.nodes[node].heading;
    return heading.substr(0, heading.find(' '));
  };
  for (const auto& edge : diagram.edges) arrows.push_back(heading_name(edge.from) + " > " + heading_name(edge.to));
  for (const auto& edge : about.at("edges").as_list())
    expected_arrows.push_back(edge.as_list().at(0).as_string() + " > " + edge.as_list().at(1).as_string());
  for (auto* list : {&boxes, &expected_boxes, &arrows, &expected_arrows}) std::sort(list->begin(), list->end());
  EXPECT_EQ(boxes, expected_boxes);
  EXPECT_EQ(arrows, expected_arrows);
}

void expect_predicts_as_keras(const std::string& name, Model model) {
  std::vector<Tensor> weights;
  for (const auto& layer : model.layers()) {
    for (const auto& weight : layer->weights())
      weights.push_back(weight_by_formula(weight, static_cast<int64_t>(weights.size())));
  }
  model.set_weights(weights);
  const auto x = noise({2, 32, 32, 3}, 0.5).to(at::kFloat);
  // Logits of deep networks with such weights are large, and so is what rounding does to them.
  const Tensor want = load_npy(network_file(name, "predict.npy"));
  const double scale = std::max(1.0, want.abs().max().item<double>());
  EXPECT_EQ(difference(model.predict(x) / scale, want / scale, 2e-4), "");
  const auto penalty = model.network()->regularization();
  EXPECT_NEAR(penalty.defined() ? penalty.item<double>() : 0, network_case(name).at("regularization").as_double(),
              1e-5);
}

}  // namespace tandem::testing
