#include "model_argument.h"

#include <c10/util/StringUtil.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "tandem/core/error.h"
#include "tandem/model/body.h"
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
  const auto names = zoo::names();
  if (std::find(names.begin(), names.end(), name) == names.end()) throw_unknown_name("model", name, names);
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

}  // namespace tandem::cli
