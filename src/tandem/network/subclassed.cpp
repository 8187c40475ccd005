#include "tandem/network/subclassed.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/layers/dry_run.h"

namespace tandem {

std::vector<std::string> SubclassedModel::output_names() const {
  std::vector<std::string> names;
  for (int64_t i = 0; i < outputs_; ++i) names.push_back(c10::str("output_", i + 1));
  return names;
}

std::vector<std::pair<std::string, std::shared_ptr<Layer>>> SubclassedModel::named_children() const {
  // Keras walks the attributes by name, private ones last. Its models have one named `layers`, with all layers: those
  // that come after it are stored as its parts.
  const auto key = [](const std::string& name) { return name.starts_with("_") ? "~" + name : name; };
  std::vector<std::pair<std::string, std::shared_ptr<Layer>>> named;
  for (const auto& layer : tracked()) named.emplace_back(layer->name(), layer);
  std::sort(named.begin(), named.end(), [&](const auto& a, const auto& b) { return key(a.first) < key(b.first); });
  const auto listed = Network::named_children();
  const auto place = std::find_if(named.begin(), named.end(), [&](const auto& n) { return key(n.first) > "layers"; });
  named.insert(place, listed.begin(), listed.end());
  return named;
}

void SubclassedModel::build_many(const Shapes& inputs) {
  // A dry run builds every layer that call uses.
  c10::NoGradGuard no_grad;
  const CallContext inference;
  const CallScope scope(inference);
  outputs_ = call_many(dry_inputs(inputs), inference).size();
  input_shapes_ = inputs;
}

}  // namespace tandem
