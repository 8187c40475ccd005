#include "tandem/model/loss_weights.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem {

std::vector<double> LossWeights::resolve(const std::vector<std::string>& outputs) const {
  if (empty()) return std::vector<double>(outputs.size(), 1.0);
  if (named_.empty()) {
    if (weights_.size() == outputs.size()) return weights_;
    throw InvalidArgument(c10::str("compile: loss_weights must have one number for each of ", outputs.size(),
                                   " outputs, got ", weights_.size()));
  }
  for (const auto& [name, weight] : named_) {
    if (std::find(outputs.begin(), outputs.end(), name) == outputs.end())
      throw_unknown_name("compile: output", name, outputs);
  }
  std::vector<double> resolved;
  for (const auto& output : outputs) {
    const auto found = named_.find(output);
    if (found == named_.end())
      throw InvalidArgument(c10::str("compile: output '", output, "' must have a loss weight, got none"));
    resolved.push_back(found->second);
  }
  return resolved;
}

}  // namespace tandem
