#include "model_argument.h"

#include <c10/util/StringUtil.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/zoo/catalog.h"

namespace tandem::cli {
namespace {

std::string known_models() {
  std::string out;
  for (const auto& name : zoo::names()) out += (out.empty() ? "" : ", ") + name;
  return out;
}

bool is_file_name(const std::string& name) {
  for (const char* ending : {".keras", ".h5", ".hdf5", ".safetensors", ".onnx"}) {
    if (name.ends_with(ending)) return true;
  }
  return name.find('/') != std::string::npos;
}

}  // namespace

void add_model(CLI::App& command, std::string& name) {
  command.add_option("MODEL", name, "A model of the zoo: " + known_models())->required();
}

void check_model(const std::string& name) {
  if (is_file_name(name)) {
    throw InvalidArgument(c10::str("MODEL must be a model of the zoo (", known_models(),
                                   "), model files cannot be read yet; got '", name, "'"));
  }
  const auto names = zoo::names();
  if (std::find(names.begin(), names.end(), name) == names.end()) throw_unknown_name("model", name, names);
}

}  // namespace tandem::cli
