#include "tandem/model/compile_options.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem {

std::vector<std::shared_ptr<const Loss>> LossArgument::resolve(const std::vector<std::string>& outputs) const {
  std::vector<std::shared_ptr<const Loss>> resolved;
  if (!named_.empty()) {
    for (const auto& [name, loss] : named_) {
      if (std::find(outputs.begin(), outputs.end(), name) == outputs.end()) throw_unknown_name("compile: output", name, outputs);
    }
    for (const auto& output : outputs) {
      const auto found = std::find_if(named_.begin(), named_.end(), [&](const auto& item) { return item.first == output; });
      if (found == named_.end()) throw InvalidArgument(c10::str("compile: output '", output, "' must have a loss, got none"));
      resolved.push_back(found->second.get());
    }
    return resolved;
  }
  if (losses_.size() == 1) {
    const std::shared_ptr<const Loss> loss = losses_.front().get();
    resolved.assign(outputs.size(), loss);
    return resolved;
  }
  if (losses_.size() != outputs.size()) {
    throw InvalidArgument(c10::str("compile: a model with ", outputs.size(), " outputs must get one loss or as many, got ", losses_.size()));
  }
  for (const auto& loss : losses_) resolved.push_back(loss.get());
  return resolved;
}

}  // namespace tandem
