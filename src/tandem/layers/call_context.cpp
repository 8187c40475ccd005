#include "tandem/layers/call_context.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"
#include "tandem/layers/kept_states.h"
#include "tandem/layers/weight.h"

namespace tandem {
namespace {

thread_local const CallContext* active_context = nullptr;
thread_local uint64_t calls_in_scope = 0;

}  // namespace

void AddedMetrics::add(const Tensor& value, const std::string& name) {
  if (name.empty() || name == "loss")
    throw InvalidArgument(c10::str("add_metric: must get a name other than that of the loss, got '", name, "'"));
  if (!value.defined() || value.numel() == 0 || value.is_complex()) {
    throw InvalidArgument(c10::str("add_metric: '", name, "' must get real numbers, got ",
                                   value.defined()
                                       ? c10::str(value.scalar_type(), " of shape ", Shape::of(value.sizes().vec()))
                                       : std::string("no tensor")));
  }
  const c10::NoGradGuard no_grad;
  const Tensor mean = value.detach().mean(at::kDouble);
  const std::lock_guard lock(mutex_);
  auto& sum = sums_[name];
  sum.of_means = sum.of_means.defined() ? sum.of_means + mean.to(sum.of_means.device()) : mean;
  ++sum.calls;
}

std::vector<std::pair<std::string, Tensor>> AddedMetrics::means() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, Tensor>> means;
  for (const auto& [name, sum] : sums_) means.emplace_back(name, sum.of_means / sum.calls);
  return means;
}

Tensor CallContext::rows_of(const Weight& table, const Tensor& ids) const {
  return rows ? rows->rows_of(table, ids) : at::embedding(table.value(), ids);
}

const CallContext& current_context() {
  static thread_local KeptStates of_this_thread;
  static thread_local const CallContext inference{.states = &of_this_thread};
  return active_context ? *active_context : inference;
}

CallContext next_call(const CallContext& context) {
  if (!active_context || !context.training) return context;
  CallContext inner = context;
  inner.random = context.random.fold("call").fold(calls_in_scope++);
  return inner;
}

CallScope::CallScope(const CallContext& context) : outer_(active_context), outer_calls_(calls_in_scope) {
  active_context = &context;
  calls_in_scope = 0;
}

CallScope::~CallScope() {
  active_context = outer_;
  calls_in_scope = outer_calls_;
}

}  // namespace tandem
