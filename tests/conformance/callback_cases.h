#pragma once
#include "case_folder.h"

namespace tandem::conformance {

/// Runs a case of kind callback and says what differs, scenario by scenario. Throws InvalidArgument for a case that is
/// not known, and where the only scenarios that do not agree need what is not built.
Differences check_callback_case(const CaseFolder& folder);

}  // namespace tandem::conformance
