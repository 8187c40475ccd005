#pragma once
#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/core/handle.h"
#include "tandem/optimizers/optimizer.h"
#include "tandem/zoo/recipe.h"

namespace tandem::cli {

/// The flags that say how weights are updated; the recipe holds where one is not given.
struct OptimizerArguments {
  std::string name = "sgd";
  std::optional<double> learning_rate, momentum;
  std::optional<std::string> schedule;

  void add_to(CLI::App& command);
  /// Throws InvalidArgument on an unknown optimizer or schedule, proposing the nearest.
  void check() const;
  /// For a training of `updates` updates, over which a schedule runs.
  Handle<Optimizer> make(const zoo::Recipe& recipe, int64_t updates) const;
};

}  // namespace tandem::cli
