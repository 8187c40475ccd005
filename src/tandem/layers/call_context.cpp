#include "tandem/layers/call_context.h"

#include "tandem/layers/kept_states.h"

namespace tandem {
namespace {

thread_local const CallContext* active_context = nullptr;
thread_local uint64_t calls_in_scope = 0;

}  // namespace

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
