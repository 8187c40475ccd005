#pragma once
#include "case_folder.h"

namespace tandem::conformance {

/// Each runs a case of its kinds and says what differs. What cannot be built throws InvalidArgument or DataError.
/// `devices`: how many to train on.
Differences check_model_case(const CaseFolder& folder, int64_t devices);
Differences check_metric_case(const CaseFolder& folder);
Differences check_semantics_case(const CaseFolder& folder);
/// By the case's kind.
Differences check_case(const CaseFolder& folder);

}  // namespace tandem::conformance
