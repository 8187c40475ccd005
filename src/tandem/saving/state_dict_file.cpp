#include "tandem/saving/state_dict_file.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/saving/named_weights.h"
#include "tandem/saving/safetensors.h"

namespace tandem {
namespace {

void check_module(const LayerHandle& module, const char* act) {
  if (module->class_name() != "TorchModule") {
    throw InvalidArgument(c10::str(act, ": layer '", module.name(), "' must be a TorchModule, is a ",
                                   module->class_name(), "; save_weights and load_weights serve models"));
  }
  if (!module->built()) {
    throw InvalidArgument(c10::str(act, ": layer '", module.name(),
                                   "' must be built first: make it part of a model with an input shape, or call it"));
  }
}

}  // namespace

void save_state_dict(const LayerHandle& module, const std::string& path) {
  check_module(module, "save_state_dict");
  NamedTensors tensors;
  for (const auto& weight : module->own_weights()) tensors.emplace_back(weight.name(), weight.variable().value);
  save_safetensors(tensors, path, {{"format", "pt"}});  // other readers ask for whose tensors they are
}

saving::LoadReport load_state_dict(const LayerHandle& module, const std::string& path,
                                   const saving::LoadWeightsOptions& options) {
  check_module(module, "load_state_dict");
  std::vector<saving::NamedWeight> weights;
  for (const auto& weight : module->own_weights()) weights.push_back({weight.name(), weight});
  saving::SafetensorsFile file(path);
  auto report = saving::load_named_weights(weights, file, options, c10::str("layer '", module.name(), "'"));
  if (!report.complete()) log_warning(c10::str("load_state_dict: ", path, ": ", report.to_string()));
  return report;
}

}  // namespace tandem
