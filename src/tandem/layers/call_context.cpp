#include "tandem/layers/call_context.h"

namespace tandem {
namespace {

thread_local const CallContext* active_context = nullptr;

}  // namespace

const CallContext& current_context() {
  static const CallContext inference;
  return active_context ? *active_context : inference;
}

CallScope::CallScope(const CallContext& context) : outer_(active_context) { active_context = &context; }
CallScope::~CallScope() { active_context = outer_; }

}  // namespace tandem
