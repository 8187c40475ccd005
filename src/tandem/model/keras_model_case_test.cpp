#include "tandem/model/keras_model_case_test.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/npy.h"

namespace tandem::testing {
namespace {

// Takes the total loss of each step out of Keras's running mean, which weighs batches by their rows.
class StepLosses : public Callback {
 public:
  StepLosses(int64_t rows, int64_t batch_size) : rows_(rows), batch_size_(batch_size) {}

  void on_epoch_begin(int64_t, Logs&) override { sum_ = seen_ = 0; }
  void on_train_batch_end(int64_t, Logs& logs) override {
    const int64_t batches = (rows_ + batch_size_ - 1) / batch_size_;
    const int64_t place = static_cast<int64_t>(losses.size()) % batches;
    const auto rows = static_cast<double>(std::min(batch_size_, rows_ - place * batch_size_));
    seen_ += rows;
    const double sum = logs["loss"] * seen_;
    losses.push_back((sum - sum_) / rows);
    sum_ = sum;
  }

  std::vector<double> losses;

 private:
  const int64_t rows_, batch_size_;
  double sum_ = 0, seen_ = 0;
};

void expect_history(const History& history, const Config& want, double tolerance) {
  EXPECT_EQ(history.series().size(), want.as_object().size());
  for (const auto& [key, values] : want.as_object()) {
    ASSERT_EQ(history.count(key), 1) << key;
    const auto& got = history[key];
    ASSERT_EQ(got.size(), values.as_list().size()) << key;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double expected = values.as_list()[i].as_double();
      EXPECT_NEAR(got[i], expected, tolerance * (1 + std::abs(expected))) << key << " of epoch " << i;
    }
  }
}

void expect_all_close(const std::vector<Tensor>& got, const std::vector<Tensor>& want, double tolerance,
                      const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(difference(got[i], want[i], tolerance), "") << what << " " << i;
}

void expect_same_layers(const Model& model, const Config& layers) {
  const auto got = model.layers();
  ASSERT_EQ(got.size(), layers.as_list().size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto& want = layers.as_list()[i];
    const auto& layer = got[i];
    const auto class_name = want.at("class").as_string();
    EXPECT_EQ(layer->class_name(), class_name == "Reshape" ? "Reshaped" : class_name) << i;
    const auto own = layer.weights();
    ASSERT_EQ(own.size(), want.at("weights").as_list().size()) << layer.name();
    for (std::size_t j = 0; j < own.size(); ++j) {
      const auto& about = want.at("weights").as_list()[j];
      EXPECT_EQ(own[j].name(), about.at("name").as_string()) << layer.name();
      EXPECT_EQ(own[j].shape(), Shape::of(about.at("shape").as_ints())) << layer.name();
      EXPECT_EQ(own[j].trainable(), about.at("trainable").as_bool()) << layer.name();
    }
  }
}

}  // namespace

KerasModelCase::KerasModelCase(const std::string& name) : folder("keras/models/" + name) {
  std::ifstream file(fixture(folder + "/case.json"));
  about = Config::from_json(std::string{std::istreambuf_iterator<char>(file), {}});
}

Tensor KerasModelCase::load(const std::string& file) const { return load_npy(fixture(folder + "/" + file + ".npy")); }

std::vector<Tensor> KerasModelCase::load_all(const std::string& prefix) const {
  std::vector<Tensor> all;
  if (std::filesystem::exists(fixture(folder + "/" + prefix + ".npy"))) all.push_back(load(prefix));
  while (std::filesystem::exists(fixture(folder + "/" + prefix + std::to_string(all.size()) + ".npy"))) {
    all.push_back(load(prefix + std::to_string(all.size())));
  }
  return all;
}

FitOptions KerasModelCase::fit_options() const {
  const Config& fit = about.at("fit");
  FitOptions options;
  options.batch_size = fit.at("batch_size").as_int();
  options.epochs = fit.at("epochs").as_int();
  options.verbose = fit.at("verbose").as_int();
  options.validation_split = fit.get("validation_split", 0.0).as_double();
  if (fit.contains("validation_data")) {
    const bool weighted = fit.at("validation_data").as_list().size() == 3;
    options.validation_data =
        ValidationData(load("val_x"), load("val_y"), weighted ? load("val_sample_weight") : Tensor());
  }
  options.shuffle = fit.at("shuffle").as_bool();
  const Config classes = fit.get("class_weight", Config::object());
  for (const auto& [id, weight] : classes.as_object()) options.class_weight[std::stoll(id)] = weight.as_double();
  if (fit.contains("sample_weight")) options.sample_weight = load("sample_weight");
  options.initial_epoch = fit.get("initial_epoch", 0).as_int();
  options.steps_per_epoch = fit.get("steps_per_epoch", -1).as_int();
  options.validation_freq = fit.get("validation_freq", 1).as_int();
  return options;
}

void expect_trains_as_keras(const std::string& name, Model model, const CompileOptions& compile,
                            const KerasExpectations& expectations) {
  SCOPED_TRACE(name);
  const CapturedLog quiet;
  const KerasModelCase keras(name);
  const double tolerance = expectations.tolerance;
  const Tensors x = keras.load_all("x"), y = keras.load_all("y");
  expect_same_layers(model, keras.about.at("layers"));
  model.set_weights(keras.load_all("before"));
  model.compile(compile);
  auto options = keras.fit_options();
  const PredictOptions predict{.batch_size = options.batch_size};
  expect_all_close(model.predict_all(data::TensorDataset(x), predict).vector(), keras.load_all("predict_before"),
                   tolerance, "prediction before");

  const auto train_rows =
      static_cast<int64_t>(std::floor(static_cast<double>(x[0].size(0)) * (1 - options.validation_split)));
  const auto steps = std::make_shared<StepLosses>(train_rows, options.batch_size);
  if (!expectations.callback.empty()) options.callbacks.push_back(expectations.callback);
  options.callbacks.push_back(steps);
  const int64_t fits = keras.about.at("fits").as_int();
  for (int64_t i = 0; i < fits; ++i) {
    const auto& want = keras.about.at("history");
    expect_history(model.fit(x, y, options), fits == 1 ? want : want.as_list()[static_cast<std::size_t>(i)], tolerance);
  }

  EXPECT_EQ(difference(at::tensor(steps->losses, at::kDouble), keras.load("losses"), tolerance), "") << "losses";
  expect_all_close(model.get_weights(), keras.load_all("after"), tolerance, "weight");
  expect_all_close(model.predict_all(data::TensorDataset(x), predict).vector(), keras.load_all("predict_after"),
                   tolerance, "prediction after");
  const auto figures =
      model.evaluate(x, y, {.batch_size = options.batch_size, .verbose = 0, .sample_weight = options.sample_weight});
  EXPECT_EQ(figures.size(), keras.about.at("evaluate").as_object().size());
  for (const auto& [key, value] : keras.about.at("evaluate").as_object()) {
    EXPECT_NEAR(figures[key], value.as_double(), tolerance * (1 + std::abs(value.as_double()))) << key;
  }
}

}  // namespace tandem::testing
