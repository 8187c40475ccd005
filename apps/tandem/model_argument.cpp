#include "model_argument.h"

#include <c10/util/StringUtil.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "tandem/core/error.h"
#include "tandem/data/inputs_as_targets.h"
#include "tandem/data/one_hot.h"
#include "tandem/data/preprocessing.h"
#include "tandem/model/body.h"
#include "tandem/network/stateful.h"
#include "tandem/zoo/catalog.h"

namespace tandem::cli {
namespace {

std::string known_models() { return c10::Join(", ", zoo::names()); }

bool ends_with_any(const std::string& name, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return name.ends_with(ending); });
}

bool is_file_name(const std::string& name) {
  return name.find('/') != std::string::npos ||
         ends_with_any(name, {".keras", ".h5", ".hdf5", ".safetensors", ".onnx"});
}

}  // namespace

void add_model(CLI::App& command, std::string& name) {
  command.add_option("MODEL", name, "A model of the zoo (" + known_models() + "), or a .keras or .h5 file")->required();
}

void add_zoo_model(CLI::App& command, std::string& name) {
  command.add_option("MODEL", name, "A model of the zoo: " + known_models())->required();
}

void check_model(const std::string& name) {
  if (!is_file_name(name)) return check_zoo_model(name);
  if (ends_with_any(name, {".safetensors", ".onnx"}))
    throw InvalidArgument(c10::str("MODEL: only .keras and .h5 files can be read yet; got '", name, "'"));
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored)) throw DataError(c10::str(name, ": no such file"));
}

void check_zoo_model(const std::string& name) {
  if (is_file_name(name)) {
    throw InvalidArgument(c10::str("MODEL must be a model of the zoo (", known_models(),
                                   "), this command takes no model file yet; got '", name, "'"));
  }
  if (!is_zoo_model(name)) throw_unknown_name("model", name, zoo::names());
}

bool is_zoo_model(const std::string& name) {
  const auto names = zoo::names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

LoadedModel open_model(const std::string& name, std::optional<int64_t> classes, const LoadModelOptions& options) {
  check_model(name);
  if (!is_file_name(name)) {
    auto [model, recipe] = zoo::make(name, classes.value_or(10));
    model.body().set_default_strategy(options.strategy);
    return {.model = model, .recipe = recipe, .from_file = false};
  }
  if (classes) throw InvalidArgument(c10::str("--classes: the outputs of ", name, " are its own"));
  return {.model = load_model(name, options), .recipe = {}, .from_file = true};
}

Shape input_shape(const Model& model) {
  const auto inputs = model.network()->input_shapes();
  if (inputs.empty())
    throw InvalidArgument(c10::str("MODEL: '", model.name(), "' must say its input shape in its file"));
  return inputs.front().without_batch();
}

int64_t batch_size_of(const Model& model, int64_t usual) {
  const int64_t fixed = fixed_batch(*model.network());
  return fixed > 0 ? fixed : usual;
}

std::vector<std::string> prepare_images(LoadedModel& loaded, const Tensor& x) {
  auto& own = loaded.model.body().preprocessing();
  if (own && !own->empty()) return own->describe();
  if (x.dim() != 4) return {};
  const auto images = data::Preprocessing::adapt(Shape::of(x.sizes().vec()).without_batch(), input_shape(loaded.model))
                          .rescale(loaded.recipe.rescale);
  if (!images.empty()) loaded.model.set_preprocessing(images);
  return images.describe();
}

Dataset with_targets_of(const LoadedModel& loaded, const Dataset& rows, int64_t classes) {
  const Model& model = loaded.model;
  if (loaded.recipe.reconstructs)
    return rows.map(data::InputsAsTargets(model.body().preprocessing().value_or(data::Preprocessing())));
  const auto& losses = model.body().trainer().parts().losses;
  if (classes == 0 || losses.size() != 1 || losses.front()->class_name() == "SparseCategoricalCrossentropy")
    return rows;
  input_shape(model);  // must be known
  const auto output = model.network()->output_shapes(model.network()->input_shapes()).front();
  return output.back() == 1 ? rows : rows.map(data::OneHot(output.back()));
}

}  // namespace tandem::cli
