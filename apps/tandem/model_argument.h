#pragma once
#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tandem/model/load_model.h"
#include "tandem/model/model.h"
#include "tandem/zoo/recipe.h"

namespace tandem::cli {

/// The positional MODEL of a command that takes a model of the zoo or a file.
void add_model(CLI::App& command, std::string& name);
/// That of a command that takes a model of the zoo only.
void add_zoo_model(CLI::App& command, std::string& name);

/// True when `name` is that of a model of the zoo.
bool is_zoo_model(const std::string& name);
/// Quick checks before anything is built. Throws InvalidArgument on a name that the zoo does not have, proposing the
/// nearest, and on a kind of file that cannot be read; DataError on a file that is not there.
void check_model(const std::string& name);
/// Throws InvalidArgument unless the zoo has a model of this name.
void check_zoo_model(const std::string& name);

struct LoadedModel {
  Model model;
  zoo::Recipe recipe = {};  // the zoo's; of a file, the one that says nothing
  bool from_file = false;
};

/// The model that `name` stands for: of the zoo with a softmax over `classes` classes (10 unless given), or from a
/// .keras or .h5 file, whose outputs are its own: `classes` must not be given then. Throws as check_model and
/// load_model.
LoadedModel open_model(const std::string& name, std::optional<int64_t> classes = {},
                       const LoadModelOptions& options = {.compile = false});

/// Shape of a row of the model's first input. Throws InvalidArgument where its file does not say it.
Shape input_shape(const Model& model);

/// Rows of a batch where the command line does not say it: a stateful model's own, else `usual`.
int64_t batch_size_of(const Model& model, int64_t usual);

/// Has pictures brought to the model's input where rows have another size than it: as its file says, else by resizing,
/// after which values are multiplied by the recipe's factor. `x` is the first input of some rows. A line for the log on
/// each step.
std::vector<std::string> prepare_images(LoadedModel& loaded, const Tensor& x);

/// `rows` with class ids as one-hot rows, where the loss of the compiled model's only output compares whole rows; with
/// the inputs for targets where the recipe says so.
Dataset with_targets_of(const LoadedModel& loaded, const Dataset& rows, int64_t classes);

}  // namespace tandem::cli
