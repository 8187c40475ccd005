#include "check_case.h"

#include <c10/util/StringUtil.h>

#include "callback_cases.h"
#include "tandem/core/error.h"

namespace tandem::conformance {

Differences check_case(const CaseFolder& folder) {
  const auto kind = folder.kind();
  if (kind == "metric") return check_metric_case(folder);
  if (kind == "semantics") return check_semantics_case(folder);
  if (kind == "callback") return check_callback_case(folder);
  if (kind != "layer" && kind != "model" && kind != "loss" && kind != "optimizer")
    throw DataError(c10::str(folder.name(), ": kind '", kind, "' is not known here"));
  auto differences = check_model_case(folder, 1);
  for (auto& difference : check_model_case(folder, 2)) differences.push_back("on 2 devices: " + difference);
  return differences;
}

}  // namespace tandem::conformance
