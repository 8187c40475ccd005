#pragma once
#include "case_folder.h"
#include "tandem/callbacks/history.h"
#include "tandem/core/logs.h"
#include "tandem/model/fit_options.h"

namespace tandem::conformance {

/// The arguments of fit that case.json and sample_weight.npy give. Throws DataError on one that is not known here.
FitOptions read_fit_settings(const CaseFolder& folder);

/// `want`: Keras's history.history, lists by name; both must have the same names.
void compare_history(Differences& differences, const History& got, const Config& want, const Tolerance& tolerance);
/// `want`: numbers by name; both must have the same names.
void compare_logs(Differences& differences, const std::string& what, const Logs& got, const Config& want,
                  const Tolerance& tolerance);

}  // namespace tandem::conformance
