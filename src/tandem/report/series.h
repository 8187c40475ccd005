#pragma once
#include <string>
#include <utility>
#include <vector>

namespace tandem::report {

/// Name -> one value per epoch, in the order of the columns: a training history.
using Series = std::vector<std::pair<std::string, std::vector<double>>>;

}  // namespace tandem::report
