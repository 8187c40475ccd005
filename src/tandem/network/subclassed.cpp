#include "tandem/network/subclassed.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {

std::vector<std::string> SubclassedModel::output_names() const {
  std::vector<std::string> names;
  for (int64_t i = 0; i < outputs_; ++i) names.push_back(c10::str("output_", i + 1));
  return names;
}

void SubclassedModel::build_many(const Shapes& inputs) {
  // A dry run on two rows builds every layer that call uses.
  Tensors zeros;
  for (const auto& shape : inputs) {
    auto sizes = shape.sizes();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == Shape::kUnknown) sizes[i] = i == 0 ? 2 : 1;
    }
    zeros.push_back(at::zeros(sizes));
  }
  c10::NoGradGuard no_grad;
  const CallContext inference;
  const CallScope scope(inference);
  outputs_ = call_many(zeros, inference).size();
  input_shapes_ = inputs;
}

void SubclassedModel::add_tracked(const std::string& name, const LayerHandle& layer) {
  for (const auto& other : tracked_) {
    if (other == layer || other->name() == name) {
      throw InvalidArgument(c10::str("track: '", name, "' must be registered once"));
    }
  }
  layer->set_name(name);
  tracked_.push_back(layer);
}

}  // namespace tandem
