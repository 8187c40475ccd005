// Every loss case that Keras wrote: values by sample, the mean with and without weights, gradients, and the config;
// and what Keras makes of the output of an activation.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "tandem/losses/loss.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

Config about_case(const std::string& folder) {
  std::ifstream file(folder + "/case.json");
  return Config::from_json(std::string(std::istreambuf_iterator<char>(file), {}));
}

/// Made from Keras's config, or from the settings where the config does not have all of them.
std::shared_ptr<Loss> loss_of(const Config& about) {
  return Loss::make(about.at("class").as_string(), about.get("settings", about.at("config")));
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
    const Config about = about_case(folder);
    const std::string class_name = about.at("class").as_string();
    const auto loss = loss_of(about);
    const Tensor y_true = load("y_true"), y_pred = load("y_pred"), weight = load("sample_weight");
    SCOPED_TRACE(folder);

    EXPECT_EQ(loss->class_name(), class_name);
    EXPECT_EQ(loss->get_config(), about.get("settings", about.at("config")));
    EXPECT_EQ(Loss::make(class_name, loss->get_config())->get_config(), loss->get_config());
    expect_close(loss->call(y_true, y_pred), load("per_sample"), "values");
    expect_mean_and_gradient(*loss, y_true, y_pred, {}, about.at("value").as_double(), load("grad"), "plain");
    expect_mean_and_gradient(*loss, y_true, y_pred, weight, about.at("value_weighted").as_double(),
                             load("grad_weighted"), "weighted");
    ++cases[class_name];
  }
  EXPECT_GE(cases["CategoricalCrossentropy"], 13);
  EXPECT_GE(cases["SparseCategoricalCrossentropy"], 7);
  EXPECT_GE(cases["MeanSquaredError"], 3);
  for (const char* class_name :
       {"BinaryCrossentropy", "BinaryFocalCrossentropy", "CategoricalFocalCrossentropy", "KLDivergence", "Poisson",
        "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError", "CosineSimilarity", "Huber",
        "LogCosh", "Hinge", "SquaredHinge", "CategoricalHinge"}) {
    EXPECT_GE(cases[class_name], 1) << class_name;
  }
}

TEST(KerasLosses, GoBackToTheLogitsWhereKerasDoes) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::fixture("keras/losses_behind"))) {
    const std::string folder = entry.path();
    SCOPED_TRACE(folder);
    const Config about = about_case(folder);
    const auto loss = Loss::make(about.at("class").as_string(), about.at("settings"));
    const Tensor y_true = testing::load_npy(folder + "/y_true.npy");
    const Tensor logits = testing::load_npy(folder + "/logits.npy").requires_grad_();
    const Tensor output = about.at("activation").as_string() == "softmax" ? logits.softmax(-1) : logits.sigmoid();
    const Tensor values = loss->prefers_logits() ? loss->call_with_logits(y_true, logits) : loss->call(y_true, output);
    const double want = about.at("value").as_double();
    EXPECT_NEAR(values.mean().item<double>(), want, 1e-6 + 2e-5 * std::abs(want));
    values.mean().backward();
    expect_close(logits.grad(), testing::load_npy(folder + "/grad.npy"), "gradient");
    ++cases;
  }
  EXPECT_GE(cases, 11);
}

}  // namespace
}  // namespace tandem
