#include "fit_settings.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::conformance {
namespace {

std::map<int64_t, double> class_weights(const Config& value) {
  std::map<int64_t, double> weights;
  for (const auto& [label, weight] : value.as_object()) weights[std::stoll(label)] = weight.as_double();
  return weights;
}

}  // namespace

FitOptions read_fit_settings(const CaseFolder& folder) {
  FitOptions options;
  const Config given = folder.about().get("fit", Config::object());
  for (const auto& [key, value] : given.as_object()) {
    if (key == "batch_size") {
      options.batch_size = value.as_int();
    } else if (key == "epochs") {
      options.epochs = value.as_int();
    } else if (key == "initial_epoch") {
      options.initial_epoch = value.as_int();
    } else if (key == "steps_per_epoch") {
      options.steps_per_epoch = value.as_int();
    } else if (key == "validation_split") {
      options.validation_split = value.as_double();
    } else if (key == "validation_freq") {
      options.validation_freq = value.as_int();
    } else if (key == "validation_batch_size") {
      options.validation_batch_size = value.as_int();
    } else if (key == "class_weight") {
      options.class_weight = class_weights(value);
    } else {
      throw DataError(c10::str(folder.name(), ": argument '", key, "' of fit is not known here"));
    }
  }
  const Config weights = folder.about().get("class_weight", {});
  if (!weights.is_null()) options.class_weight = class_weights(weights);
  if (folder.has("sample_weight.npy")) options.sample_weight = folder.array("sample_weight.npy");
  if (folder.has("x_val.npy")) options.validation_data = {folder.array("x_val.npy"), folder.array("y_val.npy")};
  options.shuffle = false;
  options.verbose = 0;
  return options;
}

void compare_history(Differences& differences, const History& got, const Config& want, const Tolerance& tolerance) {
  for (const auto& [name, values] : want.as_object()) {
    if (!got.count(name)) {
      differences.push_back(c10::str("history: must have '", name, "'"));
      continue;
    }
    compare(differences, "history " + name, at::tensor(got[name]), to_tensor(values), tolerance);
  }
  for (const auto& [name, values] : got.series()) {
    if (!want.contains(name)) differences.push_back(c10::str("history: must not have '", name, "'"));
  }
}

void compare_logs(Differences& differences, const std::string& what, const Logs& got, const Config& want,
                  const Tolerance& tolerance) {
  for (const auto& [name, value] : want.as_object()) {
    if (!got.contains(name)) {
      differences.push_back(c10::str(what, ": must have '", name, "'"));
    } else {
      compare(differences, what + " " + name, got[name], to_number(value), tolerance);
    }
  }
  for (const auto& [name, value] : got) {
    if (!want.contains(name)) differences.push_back(c10::str(what, ": must not have '", name, "'"));
  }
}

}  // namespace tandem::conformance
