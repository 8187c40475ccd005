// Keras's optimizers on given gradients, several steps each, and its schedules.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tandem/optimizers/optimizer.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

Config case_of(const std::string& name) {
  std::ifstream file(testing::fixture("keras/" + name + "/case.json"));
  return Config::from_json(std::string(std::istreambuf_iterator<char>(file), {}));
}

const std::vector<std::string> kOptimizerCases = {
    "sgd",
    "sgd_default",
    "sgd_momentum",
    "sgd_nesterov",
    "sgd_polynomial",
    "sgd_weight_decay",
    "sgd_clipnorm",
    "sgd_clipvalue",
    "sgd_global_clipnorm",
    "sgd_all_clipped",
    "sgd_exponential",
    "sgd_piecewise",
    "sgd_cosine_warmup",
    "sgd_cosine_restarts",
    "rmsprop_default",
    "rmsprop_rho",
    "rmsprop_momentum",
    "rmsprop_centered",
    "rmsprop_centered_momentum",
    "adam_default",
    "adam_betas",
    "adam_amsgrad",
    "adam_weight_decay_clipnorm",
    "adam_inverse_time",
    "adamw_default",
    "adamw_weight_decay",
    "adamw_no_decay",
    "adagrad_default",
    "adagrad_accumulator",
    "adadelta_default",
    "adadelta_rho",
    "adamax_default",
    "adamax_betas",
    "lion_default",
    "lion_betas",
    "nadam_default",
    "nadam_betas",
    "ftrl_default",
    "ftrl_strengths",
    "ftrl_weight_decay",
    "lamb_default",
    "lamb_betas",
    "adafactor_default",
    "adafactor_fixed",
    "sgd_ema",
    "adam_ema_overwrite",
    "lamb_ema_overwrite",
    "sgd_accumulation",
    "sgd_accumulation_schedule",
    "adam_accumulation",
    "nadam_accumulation",
    "lamb_accumulation_ema",
    "rmsprop_loss_scale",
};

/// Two weights side by side, as a replica holds them: (3, 2) at 0 and (4,) at 16, zeros between.
constexpr FlatPlace kPlaces[] = {{0, 6}, {16, 4}};
constexpr int64_t kFlatSize = 32;

Tensor flat_of(const std::array<Tensor, 2>& weights) {
  Tensor flat = at::zeros({kFlatSize});
  for (std::size_t i = 0; i < 2; ++i) flat.narrow(0, kPlaces[i].offset, kPlaces[i].count).copy_(weights[i].flatten());
  return flat;
}

/// One weight after the other, in its shape.
void update_each(const Optimizer& optimizer, const Tensor& parameters, const Tensor& gradient,
                 const std::vector<Tensor>& slots, int64_t step, double rate) {
  const std::vector<int64_t> shapes[] = {{3, 2}, {4}};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto part = [&](const Tensor& t) { return t.narrow(0, kPlaces[i].offset, kPlaces[i].count).view(shapes[i]); };
    std::vector<Tensor> own;
    for (const auto& slot : slots) own.push_back(part(slot));
    Tensor weight = part(parameters);
    optimizer.update(weight, part(gradient), own, step, rate);
  }
}

class KerasOptimizer : public ::testing::TestWithParam<std::string> {};

TEST_P(KerasOptimizer, AgreesAfterEachStep) {
  const std::string name = "optimizers/" + GetParam();
  const auto load = [&](const std::string& file) {
    return std::array<Tensor, 2>{testing::load_npy(testing::fixture("keras/" + name + "/" + file + "0.npy")),
                                 testing::load_npy(testing::fixture("keras/" + name + "/" + file + "1.npy"))};
  };
  const Config about = case_of(name);
  const auto optimizer = Optimizer::make(about.at("class").as_string(), about.at("config"));
  EXPECT_EQ(optimizer->get_config(), about.at("config"));

  Tensor parameters = flat_of(load("initial"));
  const auto gradients = load("gradients"), weights = load("weights");
  std::vector<Tensor> slots;
  for (std::size_t i = 0; i < optimizer->slots().size(); ++i)
    slots.push_back(at::full_like(parameters, optimizer->initial_slot(i)));
  const auto& rates = about.at("learning_rates").as_list();
  ASSERT_EQ(gradients[0].size(0), static_cast<int64_t>(rates.size()));
  for (int64_t step = 0; step < gradients[0].size(0); ++step) {
    const double rate = optimizer->learning_rate(step);
    EXPECT_NEAR(rate, rates[static_cast<std::size_t>(step)].as_double(), 1e-8);
    Tensor gradient = flat_of({gradients[0][step], gradients[1][step]}) / optimizer->loss_scale({});
    if (optimizer->prepares()) {
      ASSERT_TRUE(optimizer->prepare({gradient, slots, kPlaces, step, {}}));
    }
    if (optimizer->elementwise()) {
      optimizer->update(parameters, gradient, slots, step, rate);
    } else {
      update_each(*optimizer, parameters, gradient, slots, step, rate);
    }
    const Tensor want = flat_of({weights[0][step], weights[1][step]});
    EXPECT_TRUE(at::allclose(parameters, want, 1e-6, 1e-6)) << "step " << step << "\n" << parameters - want;
  }
  const auto is_set = [&](const char* bound) { return !about.at("config").at(bound).is_null(); };
  EXPECT_EQ(optimizer->clips(), is_set("clipnorm") || is_set("clipvalue") || is_set("global_clipnorm"));
}

TEST(KerasLossScaleOptimizer, AgreesAfterEachStep) {
  const std::string name = "keras/optimizers/loss_scale_dynamic/";
  const Config about = case_of("optimizers/loss_scale_dynamic");
  const auto load = [&](const std::string& file) {
    return std::array<Tensor, 2>{testing::load_npy(testing::fixture(name + file + "0.npy")),
                                 testing::load_npy(testing::fixture(name + file + "1.npy"))};
  };
  const auto optimizer = Optimizer::make("LossScaleOptimizer", about.at("config"));
  EXPECT_EQ(optimizer->get_config(), about.at("config"));
  Tensor parameters = flat_of(load("initial"));
  const auto gradients = load("gradients"), weights = load("weights");
  std::vector<Tensor> slots{at::zeros_like(parameters)};
  std::vector<double> numbers = optimizer->initial_numbers();
  int64_t iterations = 0;
  for (int64_t step = 0; step < 7; ++step) {
    EXPECT_EQ(optimizer->loss_scale(numbers), about.at("scales").as_list()[static_cast<std::size_t>(step)].as_double());
    Tensor gradient = flat_of({gradients[0][step], gradients[1][step]});
    if (optimizer->prepare({gradient, slots, kPlaces, iterations, numbers}))
      optimizer->update(parameters, gradient, slots, iterations++, optimizer->learning_rate(0));
    EXPECT_TRUE(at::allclose(parameters, flat_of({weights[0][step], weights[1][step]}), 1e-6, 1e-6)) << "step " << step;
  }
  EXPECT_EQ(iterations, about.at("iterations").as_int());
}

INSTANTIATE_TEST_SUITE_P(Cases, KerasOptimizer, ::testing::ValuesIn(kOptimizerCases),
                         [](const auto& info) { return info.param; });

std::shared_ptr<const LearningRateSchedule> schedule_of(const std::string& class_name, const Config& config) {
  const auto schedule = LearningRateSchedule::make(class_name, config);
  EXPECT_EQ(schedule->get_config(), config);
  EXPECT_EQ(schedule->class_name(), class_name);
  return schedule;
}

class KerasSchedule : public ::testing::TestWithParam<std::string> {};

TEST_P(KerasSchedule, AgreesAtEachStep) {
  const Config about = case_of("schedules/" + GetParam());
  const auto schedule = schedule_of(about.at("class").as_string(), about.at("config"));
  const auto& steps = about.at("steps").as_list();
  ASSERT_GE(steps.size(), 13u);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double want = about.at("values").as_list()[i].as_double();
    EXPECT_NEAR((*schedule)(steps[i].as_int()), want, 1e-8 + 1e-6 * want) << "step " << steps[i].as_int();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, KerasSchedule,
    ::testing::Values("polynomial_decay", "polynomial_decay_to_zero", "polynomial_decay_power",
                      "polynomial_decay_power2", "polynomial_decay_power_half", "polynomial_decay_cycle",
                      "polynomial_decay_cycle_uneven", "polynomial_decay_power2_cycle", "exponential_decay",
                      "exponential_decay_staircase", "inverse_time_decay", "inverse_time_decay_staircase",
                      "piecewise_constant_decay", "piecewise_constant_decay_once", "cosine_decay",
                      "cosine_decay_to_zero", "cosine_decay_warmup", "cosine_decay_warmup_target_only",
                      "cosine_decay_warmup_steps_only", "cosine_decay_restarts", "cosine_decay_restarts_t_mul_1"),
    [](const auto& info) { return info.param; });

TEST(KerasCosineDecayRestarts, BeginsEachPeriodWhereKerasDoes) {
  const Config about = case_of("schedules/restarts");
  for (const Config& row : about.at("schedules").as_list()) {
    const auto schedule = schedule_of("CosineDecayRestarts", row.at("config"));
    const auto& values = row.at("values").as_list();
    ASSERT_EQ(values.size(), 25u);
    for (std::size_t step = 0; step < values.size(); ++step) {
      EXPECT_NEAR((*schedule)(static_cast<int64_t>(step)), values[step].as_double(), 2e-8)
          << row.at("config").to_json() << " step " << step;
    }
  }
}

}  // namespace
}  // namespace tandem
