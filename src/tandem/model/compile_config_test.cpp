// Compile settings against those that real Keras wrote, and what it evaluated with them.
#include "tandem/model/compile_config.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tandem/core/error.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/model.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

using layers::Dense;
using layers::Input;
using testing::fixture;
using testing::load_npy;
using testing::message_of;

const std::string kCompiled = "keras/networks/compiled/";

Config compiled_case() {
  std::ifstream in(fixture(kCompiled + "case.json"));
  return Config::from_json(std::string(std::istreambuf_iterator<char>(in), {})).at("settings");
}

/// two_outputs of tests/fixtures/network_cases.py with the case's weights.
Model two_outputs() {
  const auto x = Input({4}, {.name = "x"});
  const auto h = Dense(3, {.activation = "tanh", .name = "h"})(x);
  Model model(x, {Dense(3, {.activation = "softmax", .name = "kind"})(h), Dense(1, {.name = "size"})(h)}, "two");
  std::vector<Tensor> weights;
  for (int i = 0; i < 6; ++i) weights.push_back(load_npy(fixture(kCompiled + "weight" + std::to_string(i) + ".npy")));
  model.set_weights(weights);
  return model;
}

void expect_evaluates_as(Model model, const Config& want, const std::string& name) {
  const Tensor x = load_npy(fixture(kCompiled + "x.npy"));
  const Tensors y = {load_npy(fixture(kCompiled + "y0.npy")), load_npy(fixture(kCompiled + "y1.npy"))};
  const Logs got = model.evaluate(x, y, {.batch_size = 5, .verbose = 0});
  EXPECT_EQ(got.size(), want.as_object().size()) << name;
  for (const auto& [key, value] : want.as_object()) {
    ASSERT_TRUE(got.contains(key)) << name << ": " << key;
    EXPECT_NEAR(got.at(key), value.as_double(), 2e-6 * (1 + std::abs(value.as_double()))) << name << ": " << key;
  }
}

TEST(CompileConfig, KerassSettingsEvaluateAsInKeras) {
  const Config cases = compiled_case();
  for (const auto& [name, entry] : cases.as_object()) {
    auto model = two_outputs();
    const auto options = compile_options_from_config(entry.at("compile_config"), model.network()->output_names());
    model.compile(options);
    expect_evaluates_as(model, entry.at("evaluate"), name);

    // And once more through what is written of them.
    auto again = two_outputs();
    again.compile(compile_options_from_config(compile_options_to_config(options), {"kind", "size"}));
    expect_evaluates_as(again, entry.at("evaluate"), name);
    EXPECT_EQ(again.to_json(), model.to_json()) << name;
  }
}

TEST(CompileConfig, NamesListsAndWeightsAreWrittenAsTheyWere) {
  for (const std::string name : {"by_name", "lists", "one_for_all"}) {
    const Config want = compiled_case().at(name).at("compile_config");
    const Config got = compile_options_to_config(compile_options_from_config(want, {"kind", "size"}));
    EXPECT_EQ(got.at("loss_weights").to_json(), want.at("loss_weights").to_json()) << name;
    if (name != "lists") {  // where losses and metrics are objects, whose configs say more
      EXPECT_EQ(got.at("loss").to_json(), want.at("loss").to_json()) << name;
      EXPECT_EQ(got.at("metrics").to_json(), want.at("metrics").to_json()) << name;
    }
    EXPECT_EQ(got.at("optimizer").at("class_name").to_json(), want.at("optimizer").at("class_name").to_json()) << name;
  }
}

TEST(CompileConfig, OptimizerKeepsItsSettingsAndSchedule) {
  const auto options = compile_options_from_config(compiled_case().at("one_for_all").at("compile_config"), {"a", "b"});
  const auto adam = options.optimizer.get();
  EXPECT_EQ(adam->class_name(), "Adam");
  EXPECT_DOUBLE_EQ(adam->learning_rate(0), 0.5);
  EXPECT_DOUBLE_EQ(adam->learning_rate(10), 0.25);
  const auto sgd = compile_options_from_config(compiled_case().at("lists").at("compile_config"), {"a", "b"}).optimizer;
  EXPECT_EQ(sgd.get()->slots().size(), 1U);
}

TEST(CompileConfig, SaysWhatCannotBe) {
  const auto error = [](const char* json) {
    return message_of<Error>([&] {
      auto model = two_outputs();
      model.compile(compile_options_from_config(Config::from_json(json), model.network()->output_names()));
    });
  };
  EXPECT_EQ(error(R"({"loss": ["mse"]})"), "compile: loss must be a list of 2, one an output, got 1");
  EXPECT_EQ(error(R"({"loss": ["mse", null]})"),
            "compile: output 'size' has no loss (null); a model must have one for each of its outputs");
  EXPECT_EQ(error(R"({"loss": {"kind": "mse"}})"), "compile: output 'size' must have a loss, got none");
  EXPECT_EQ(error(R"({"loss": "mse", "metrics": [["mae"]]})"),
            "compile: metrics must be a list of 2, one an output, got 1");
  EXPECT_EQ(error(R"({"loss": "mse", "loss_weights": {"kind": 1}})"),
            "compile: output 'size' must have a loss weight, got none");
  EXPECT_EQ(error(R"({"loss": "mse", "loss_weights": {"kind": 1, "sizes": 1}})"),
            "compile: output 'sizes' is not known; did you mean 'size'?");
  EXPECT_EQ(error(R"({"loss": "mse", "metrics": {"kinds": "mae"}})"),
            "compile: output 'kinds' is not known; did you mean 'kind'?");
  EXPECT_EQ(error(R"({"loss": "msee"})").find("loss 'msee' is not known; did you mean"), 0U);
  EXPECT_EQ(error(R"({"optimizer": {"class_name": "Adamm", "config": {}}})").find("optimizer 'Adamm' is not known"),
            0U);
  EXPECT_EQ(error(R"({"loss": 5})").find("config: must be an object"), 0U);
}

TEST(LossWeights, ByListAndByName) {
  const std::vector<std::string> outputs = {"a", "b"};
  const LossWeights list = {1, 0.5}, named = {{"b", 2.0}, {"a", 3.0}};
  EXPECT_EQ(list.resolve(outputs), (std::vector<double>{1, 0.5}));
  EXPECT_EQ(named.resolve(outputs), (std::vector<double>{3, 2}));
  EXPECT_EQ(LossWeights().resolve(outputs), (std::vector<double>{1, 1}));
  const CompileOptions options = {.loss = "mse", .loss_weights = {{"a", 1.0}, {"b", 2.0}}};
  EXPECT_EQ(options.loss_weights.resolve(outputs), (std::vector<double>{1, 2}));
  EXPECT_EQ(message_of([&] { LossWeights({1.0}).resolve(outputs); }),
            "compile: loss_weights must have one number for each of 2 outputs, got 1");
}

TEST(MetricsArgument, ListsByOutput) {
  const std::vector<std::string> outputs = {"a", "b"};
  const auto metrics = MetricsArgument::by_output({{"mae", "mse"}, {}}).resolve(outputs, "metrics");
  EXPECT_EQ(metrics[0].size(), 2U);
  EXPECT_TRUE(metrics[1].empty());
  EXPECT_EQ(message_of([&] { MetricsArgument::by_output({{"mae"}}).resolve(outputs, "metrics"); }),
            "compile: metrics of a model with 2 outputs must have as many lists, got 1");
}

TEST(ModelJson, OfACompiledModelIsCompiledAgain) {
  auto model = two_outputs();
  model.compile({.optimizer = "adam", .loss = {"mse", "mae"}, .metrics = {"mae", "mse"}});
  auto again = model_from_json(model.to_json());
  EXPECT_EQ(again.name(), "two");
  EXPECT_EQ(again.to_json(), model.to_json());
  again.set_weights(model.get_weights());
  const Tensor x = at::ones({3, 4});
  const Tensors y = {at::ones({3, 3}), at::ones({3, 1})};
  const Logs a = model.evaluate(x, y, {.verbose = 0}), b = again.evaluate(x, y, {.verbose = 0});
  EXPECT_EQ(a.at("size_mse"), b.at("size_mse"));
  EXPECT_EQ(a.at("loss"), b.at("loss"));

  const auto plain = model_from_json(two_outputs().to_json());
  EXPECT_EQ(message_of([&] { plain.learning_rate(); }).find("model 'two': must be compiled"), 0U);
}

TEST(ModelJson, ModelsWithinModels) {
  const Sequential inner({Input({4}), Dense(3, {.name = "d"})}, "inner");
  inner->set_trainable(false);
  const auto a = Input({4}, {.name = "a"}), b = Input({4}, {.name = "b"});
  const Model model({a, b}, {inner(b), Dense(2, {.name = "top"})(inner(a))}, "outer");
  auto again = model_from_json(model.to_json());
  EXPECT_EQ(again.to_json(), model.to_json());
  EXPECT_EQ(again.summary_text({.expand_nested = true}), model.summary_text({.expand_nested = true}));
  EXPECT_EQ(again.trainable_weights().size(), 2U);
  again.set_weights(model.get_weights());
  const auto copy = clone_model(again);
  EXPECT_EQ(copy.to_json(), model.to_json());
  const Tensor x = at::ones({2, 4});
  EXPECT_TRUE(at::equal(again.predict_on_batch({x, x * 2})[1], Model(model).predict_on_batch({x, x * 2})[1]));
}

}  // namespace
}  // namespace tandem
