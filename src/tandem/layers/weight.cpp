#include "tandem/layers/weight.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/compute_scope.h"

namespace tandem {
namespace {

thread_local const WeightMap* active_weights = nullptr;
thread_local AbsentWeights* active_absent = nullptr;

}  // namespace

Tensor Weight::value() const {
  if (!variable_) throw InvalidArgument("weight: must be made by add_weight in build before it is read");
  return ComputeScope::cast(*variable_, own_value());
}

const Tensor& Weight::own_value() const {
  if (active_absent) {
    if (const Tensor* brought = active_absent->bring(*variable_)) return *brought;
  }
  if (active_weights) {
    const auto found = active_weights->find(variable_.get());
    if (found != active_weights->end()) return found->second;
    const bool elsewhere = !active_weights->empty() && !active_weights->begin()->second.is_cpu();
    if (elsewhere) {
      throw InvalidArgument(c10::str("weight '", name(), "': must belong to a layer of the model to have a copy on ",
                                     active_weights->begin()->second.device()));
    }
  }
  return variable_->value;
}

void Weight::assign(const Tensor& value) const {
  const auto given = Shape::of(value.sizes().vec());
  if (given != shape()) {
    throw InvalidArgument(c10::str("weight '", name(), "': must get a value of shape ", shape(), ", got ", given));
  }
  c10::NoGradGuard no_grad;
  variable_->value.copy_(value);
}

WeightScope::WeightScope(const WeightMap& map, AbsentWeights* absent)
    : outer_(active_weights), outer_absent_(active_absent) {
  active_weights = &map;
  active_absent = absent;
}
WeightScope::~WeightScope() {
  active_weights = outer_;
  active_absent = outer_absent_;
}
const WeightMap* WeightScope::current() { return active_weights; }

Tensor make_weight_value(const Shape& shape, const std::vector<int64_t>& order, const Initializer& initializer,
                         const RandomStream& random) {
  const Tensor drawn = initializer(shape, random);
  if (order.empty()) return drawn.contiguous();
  std::vector<int64_t> back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) back[static_cast<std::size_t>(order[i])] = static_cast<int64_t>(i);
  return drawn.permute(order).contiguous().permute(back);
}

}  // namespace tandem
