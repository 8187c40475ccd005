#include "tandem/layers/compute_scope.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

namespace tandem {
namespace {

thread_local ComputeScope* in_force = nullptr;

}  // namespace

ComputeScope::ComputeScope(c10::ScalarType type)
    : type_(type), outer_(in_force), casts_(outer_ && outer_->type_ == type ? outer_->casts_ : own_casts_) {
  in_force = this;
}

ComputeScope::~ComputeScope() { in_force = outer_; }

bool ComputeScope::lowers() { return in_force && in_force->type_ != c10::ScalarType::Float; }

Tensor ComputeScope::cast(const Variable& variable, const Tensor& value) {
  if (!lowers() || !variable.trainable || value.scalar_type() != c10::ScalarType::Float) return value;
  // What was cast without a graph has no gradient to give.
  const bool differentiable = c10::GradMode::is_enabled() && value.requires_grad();
  for (auto& [known, kept] : in_force->casts_) {
    if (known != &variable) continue;
    if (differentiable && !kept.requires_grad()) kept = value.to(in_force->type_);
    return kept;
  }
  return in_force->casts_.emplace_back(&variable, value.to(in_force->type_)).second;
}

}  // namespace tandem
