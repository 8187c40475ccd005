#include "optimizer_arguments.h"

#include <CLI/CLI.hpp>

#include "numbers.h"
#include "tandem/core/error.h"
#include "tandem/optimizers/polynomial_decay.h"
#include "tandem/optimizers/sgd.h"

namespace tandem::cli {

void OptimizerArguments::add_to(CLI::App& command) {
  command.add_option("--optimizer", name, "sgd")->capture_default_str();
  command.add_option("--learning-rate", learning_rate, "Rate at the beginning (default: the recipe's)")
      ->transform(real_number(0));
  command.add_option("--momentum", momentum, "Momentum of sgd (default: the recipe's)")->transform(real_number(0, 1));
  command.add_option("--schedule", schedule, "polynomial (to 0 over the training) | none (default: the recipe's)");
}

void OptimizerArguments::check() const {
  if (name != "sgd") throw_unknown_name("optimizer", name, {"sgd"});
  if (schedule && *schedule != "polynomial" && *schedule != "none")
    throw_unknown_name("schedule", *schedule, {"polynomial", "none"});
}

Handle<Optimizer> OptimizerArguments::make(const zoo::Recipe& recipe, int64_t updates) const {
  LearningRate rate = learning_rate.value_or(recipe.learning_rate);
  if (schedule.value_or(recipe.schedule) == "polynomial") {
    rate = schedules::PolynomialDecay(rate.at(0), updates, {.end_learning_rate = 0});
  }
  return optimizers::SGD({.learning_rate = rate, .momentum = momentum.value_or(recipe.momentum)});
}

}  // namespace tandem::cli
