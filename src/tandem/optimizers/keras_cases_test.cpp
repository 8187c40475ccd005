// Keras's SGD cases, six steps each, and its schedules.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tandem/optimizers/polynomial_decay.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

Config case_of(const std::string& name) {
  std::ifstream file(testing::fixture("keras/" + name + "/case.json"));
  return Config::from_json(std::string(std::istreambuf_iterator<char>(file), {}));
}

LearningRate polynomial_decay_of(const Config& config) {
  return schedules::PolynomialDecay(config.at("initial_learning_rate").as_double(), config.at("decay_steps").as_int(),
                                    {.end_learning_rate = config.at("end_learning_rate").as_double(),
                                     .power = config.at("power").as_double(),
                                     .cycle = config.at("cycle").as_bool()});
}

std::shared_ptr<Optimizer> sgd_of(const Config& config) {
  const Config& rate = config.at("learning_rate");
  const Config& decay = config.at("weight_decay");
  return optimizers::SGD({.learning_rate = rate.is_object() ? polynomial_decay_of(rate.at("config")) : rate.as_double(),
                          .momentum = config.at("momentum").as_double(),
                          .nesterov = config.at("nesterov").as_bool(),
                          .weight_decay = decay.is_null() ? 0 : decay.as_double()})
      .get();
}

class KerasSgd : public ::testing::TestWithParam<const char*> {};

TEST_P(KerasSgd, AgreesAfterEachStep) {
  const std::string name = std::string("optimizers/") + GetParam();
  const auto load = [&](const std::string& file) {
    return testing::load_npy(testing::fixture("keras/" + name + "/" + file + ".npy"));
  };
  const Config about = case_of(name);
  const auto optimizer = sgd_of(about.at("config"));
  EXPECT_EQ(optimizer->get_config(), about.at("config"));

  for (const std::string variable : {"0", "1"}) {
    Tensor weight = load("initial" + variable).clone();
    const Tensor gradients = load("gradients" + variable), weights = load("weights" + variable);
    std::vector<Tensor> slots;
    for (std::size_t i = 0; i < optimizer->slots().size(); ++i)
      slots.push_back(at::full_like(weight, optimizer->initial_slot(i)));
    ASSERT_EQ(gradients.size(0), 6);
    for (int64_t step = 0; step < gradients.size(0); ++step) {
      const double rate = optimizer->learning_rate(step);
      EXPECT_NEAR(rate, about.at("learning_rates").as_list()[static_cast<std::size_t>(step)].as_double(), 1e-8);
      optimizer->update(weight, gradients[step], slots, step, rate);
      EXPECT_TRUE(at::allclose(weight, weights[step], 1e-6, 1e-7)) << "variable " << variable << " step " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, KerasSgd,
                         ::testing::Values("sgd", "sgd_default", "sgd_momentum", "sgd_nesterov", "sgd_polynomial",
                                           "sgd_weight_decay"),
                         [](const auto& info) { return std::string(info.param); });

class KerasPolynomialDecay : public ::testing::TestWithParam<const char*> {};

TEST_P(KerasPolynomialDecay, AgreesAtEachStep) {
  const Config about = case_of(std::string("schedules/") + GetParam());
  const LearningRate rate = polynomial_decay_of(about.at("config"));
  ASSERT_TRUE(rate.is_schedule());
  EXPECT_EQ(rate.schedule()->get_config(), about.at("config"));
  const auto& steps = about.at("steps").as_list();
  ASSERT_EQ(steps.size(), 13u);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_NEAR(rate.at(steps[i].as_int()), about.at("values").as_list()[i].as_double(), 2e-8)
        << "step " << steps[i].as_int();
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, KerasPolynomialDecay,
                         ::testing::Values("polynomial_decay", "polynomial_decay_to_zero", "polynomial_decay_power2",
                                           "polynomial_decay_power_half", "polynomial_decay_cycle",
                                           "polynomial_decay_power2_cycle"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tandem
