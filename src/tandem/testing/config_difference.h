#pragma once
#include <string>

#include "tandem/core/config.h"

namespace tandem::testing {

/// Where two configs differ, whatever the order of members; empty when they do not.
std::string config_difference(const Config& got, const Config& want, const std::string& path = "");

}  // namespace tandem::testing
