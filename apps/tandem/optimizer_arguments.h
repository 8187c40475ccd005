#pragma once
#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/core/handle.h"
#include "tandem/optimizers/optimizer.h"
#include "tandem/zoo/recipe.h"

namespace tandem::cli {

/// The flags that say how weights are updated; the recipe holds where one is not given. An optimizer other than the
/// recipe's begins with Keras's settings and rate, not with the recipe's.
struct OptimizerArguments {
  std::optional<std::string> name, schedule;
  std::optional<double> learning_rate, momentum;

  void add_to(CLI::App& command);
  /// What was given: anything, the rate and nothing else, or what says which rate there is.
  bool any() const { return name || schedule || learning_rate || momentum; }
  bool only_rate() const { return learning_rate && !name && !schedule && !momentum; }
  bool sets_rate() const { return name || schedule || learning_rate; }
  /// Throws InvalidArgument on an unknown optimizer or schedule, proposing the nearest, and on a momentum for an
  /// optimizer that has none.
  void check(const zoo::Recipe& recipe) const;
  /// For a training of `updates` updates, over which a schedule runs.
  Handle<Optimizer> make(const zoo::Recipe& recipe, int64_t updates) const;

 private:
  zoo::Recipe changed(zoo::Recipe recipe) const;
};

}  // namespace tandem::cli
