#include "optimizer_arguments.h"

#include <c10/util/StringUtil.h>

#include <CLI/CLI.hpp>

#include "numbers.h"
#include "tandem/core/error.h"
#include "tandem/zoo/scheduled_rate.h"

namespace tandem::cli {

void OptimizerArguments::add_to(CLI::App& command) {
  command.add_option("--optimizer", name,
                     "An optimizer by Keras's name: sgd, adam, ... (default: the recipe's or the file's)");
  command
      .add_option("--learning-rate", learning_rate,
                  "Rate at the beginning (default: the recipe's or the file's, or Keras's with --optimizer)")
      ->transform(real_number(0));
  command.add_option("--momentum", momentum, "Momentum, where the optimizer has one (default: as for --learning-rate)")
      ->transform(real_number(0, 1));
  std::string shapes;
  for (const auto& shape : zoo::schedule_names()) shapes += c10::str(shape, " (", zoo::schedule_meaning(shape), "), ");
  command.add_option("--schedule", schedule,
                     "How the rate falls over the training: " + shapes + "by default as the recipe or the file says");
}

zoo::Recipe OptimizerArguments::changed(zoo::Recipe recipe) const {
  if (name && Optimizer::make(*name)->class_name() != Optimizer::make(recipe.optimizer)->class_name()) {
    recipe.optimizer = *name;
    recipe.settings = Config::object();
    recipe.learning_rate = Optimizer::make(*name)->learning_rate(0);
  }
  if (learning_rate) recipe.learning_rate = *learning_rate;
  if (schedule) recipe.schedule = *schedule;
  if (momentum) {
    const auto optimizer = Optimizer::make(recipe.optimizer);
    if (!optimizer->get_config().contains("momentum"))
      throw InvalidArgument(c10::str("--momentum: ", optimizer->class_name(), " has no momentum"));
    recipe.settings.set("momentum", *momentum);
  }
  return recipe;
}

void OptimizerArguments::check(const zoo::Recipe& recipe) const { make(recipe, 1); }

Handle<Optimizer> OptimizerArguments::make(const zoo::Recipe& recipe, int64_t updates) const {
  return changed(recipe).make_optimizer(updates);
}

}  // namespace tandem::cli
