// Every loss case that Keras wrote: values by sample, the mean with and without weights, gradients, and the config.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "tandem/losses/categorical_crossentropy.h"
#include "tandem/losses/mean_squared_error.h"
#include "tandem/losses/sparse_categorical_crossentropy.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

std::shared_ptr<Loss> loss_of(const std::string& class_name, const Config& config) {
  if (class_name == "CategoricalCrossentropy") {
    return losses::CategoricalCrossentropy({.from_logits = config.at("from_logits").as_bool(),
                                            .label_smoothing = config.at("label_smoothing").as_double(),
                                            .axis = config.at("axis").as_int()})
        .get();
  }
  if (class_name == "SparseCategoricalCrossentropy") {
    return losses::SparseCategoricalCrossentropy({.from_logits = config.at("from_logits").as_bool()}).get();
  }
  if (class_name == "MeanSquaredError") return losses::MeanSquaredError().get();
  throw DataError("no test builds a loss " + class_name);
}

void expect_close(const Tensor& got, const Tensor& want, const std::string& what) {
  ASSERT_EQ(got.sizes(), want.sizes()) << what;
  EXPECT_TRUE(at::allclose(got, want, /*rtol=*/2e-5, /*atol=*/2e-6)) << what << "\ngot " << got << "\nwant " << want;
}

/// keras.losses with reduction sum_over_batch_size: the sum of weight x loss over the number of samples.
void expect_mean_and_gradient(const Loss& loss, const Tensor& y_true, const Tensor& y_pred, const Tensor& weight,
                              double value, const Tensor& gradient, const std::string& what) {
  const Tensor prediction = y_pred.clone().requires_grad_();
  const Tensor values = loss.call(y_true, prediction);
  const Tensor mean = (weight.defined() ? values * weight : values).mean();
  EXPECT_NEAR(mean.item<double>(), value, 1e-6 + 2e-5 * std::abs(value)) << what;
  mean.backward();
  expect_close(prediction.grad(), gradient, what + " gradient");
}

TEST(KerasLosses, AgreeOnEveryCase) {
  std::map<std::string, int> cases;
  for (const auto& entry : std::filesystem::directory_iterator(testing::fixture("keras/losses"))) {
    const std::string folder = entry.path();
    const auto load = [&](const std::string& name) { return testing::load_npy(folder + "/" + name + ".npy"); };
    std::ifstream file(folder + "/case.json");
    const Config about = Config::from_json(std::string(std::istreambuf_iterator<char>(file), {}));
    const std::string class_name = about.at("class").as_string();
    const auto loss = loss_of(class_name, about.at("config"));
    const Tensor y_true = load("y_true"), y_pred = load("y_pred"), weight = load("sample_weight");
    SCOPED_TRACE(folder);

    EXPECT_EQ(loss->class_name(), class_name);
    EXPECT_EQ(loss->get_config(), about.at("config"));
    expect_close(loss->call(y_true, y_pred), load("per_sample"), "values");
    expect_mean_and_gradient(*loss, y_true, y_pred, {}, about.at("value").as_double(), load("grad"), "plain");
    expect_mean_and_gradient(*loss, y_true, y_pred, weight, about.at("value_weighted").as_double(),
                             load("grad_weighted"), "weighted");
    ++cases[class_name];
  }
  EXPECT_GE(cases["CategoricalCrossentropy"], 13);
  EXPECT_GE(cases["SparseCategoricalCrossentropy"], 7);
  EXPECT_GE(cases["MeanSquaredError"], 3);
}

}  // namespace
}  // namespace tandem
