#include "tandem/model/sample_weight_argument.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem {

SampleWeightArgument SampleWeightArgument::by_name(std::vector<std::pair<std::string, Tensor>> weights) {
  SampleWeightArgument argument;
  argument.named_ = std::move(weights);
  return argument;
}

Tensors SampleWeightArgument::resolve(const char* who, const std::vector<std::string>& outputs) const {
  if (empty()) return {};
  if (one_.defined()) return one_;
  if (is_list_) {
    if (list_.size() == outputs.size()) return list_;
    throw InvalidArgument(c10::str(who, ": sample_weight must be one tensor, or a list with one for each of ",
                                   outputs.size(), " outputs, got a list of ", list_.size()));
  }
  for (const auto& [name, weights] : named_) {
    if (std::find(outputs.begin(), outputs.end(), name) == outputs.end())
      throw_unknown_name(c10::str(who, ": sample_weight: output"), name, outputs);
  }
  Tensors resolved;
  for (const auto& output : outputs) {
    const auto found =
        std::find_if(named_.begin(), named_.end(), [&](const auto& weights) { return weights.first == output; });
    if (found == named_.end()) {
      throw InvalidArgument(
          c10::str(who, ": sample_weight must name every output, got none for '", output, "'; Tensor() weighs 1"));
    }
    resolved.push_back(found->second);
  }
  return resolved;
}

}  // namespace tandem
