#pragma once
#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "optimizer_arguments.h"
#include "tandem/model/model.h"
#include "tandem/zoo/recipe.h"

namespace tandem::cli {

/// The flags that say what a training makes smaller and how: the zoo's recipe, or what a model's file was compiled
/// with, holds where one is not given.
struct CompileArguments {
  OptimizerArguments optimizer;
  std::optional<std::string> loss;
  std::optional<std::vector<std::string>> metrics;
  std::optional<std::string> precision;

  void add_to(CLI::App& command);
  /// Before files are read. Throws InvalidArgument on names that are not known, proposing the nearest.
  void check(const zoo::Recipe& recipe) const;
  /// For a training of `updates` updates, over which a schedule runs.
  void compile_zoo_model(Model& model, const zoo::Recipe& recipe, int64_t updates) const;
  /// As above for a model from the file `path`; `class_ids` where the targets are such. The state of its optimizer
  /// stays unless another optimizer, schedule or momentum is asked for. Throws InvalidArgument where the file is not
  /// compiled and no loss was named.
  void compile_file_model(Model& model, const std::string& path, bool class_ids, int64_t updates) const;

 private:
  MetricsArgument metrics_of(const std::vector<std::string>& names, std::size_t outputs) const;
};

}  // namespace tandem::cli
