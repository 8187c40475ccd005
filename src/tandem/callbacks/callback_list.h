#pragma once
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tandem/callbacks/callback.h"

namespace tandem {

/// Calls one hook of all callbacks in their order: `list.each(&Callback::on_epoch_end, epoch, logs)`.
class CallbackList {
 public:
  CallbackList() = default;
  explicit CallbackList(std::vector<std::shared_ptr<Callback>> callbacks) : callbacks_(std::move(callbacks)) {}

  template <class... Parameters, class... Arguments>
  void each(void (Callback::*hook)(Parameters...), Arguments&&... arguments) const {
    for (const auto& callback : callbacks_) ((*callback).*hook)(arguments...);
  }
  bool empty() const { return callbacks_.empty(); }
  bool draws_progress() const {
    return std::any_of(callbacks_.begin(), callbacks_.end(), [](const auto& c) { return c->draws_progress(); });
  }

 private:
  std::vector<std::shared_ptr<Callback>> callbacks_;
};

/// While alive, the callbacks of a list have `model` as theirs; afterwards none, also when the loop ends by an
/// exception.
class AttachedModel {
 public:
  AttachedModel(const CallbackList& callbacks, TrainedModel& model) : callbacks_(callbacks) {
    callbacks_.each(&Callback::set_model, &model);
  }
  ~AttachedModel() { callbacks_.each(&Callback::set_model, nullptr); }
  AttachedModel(const AttachedModel&) = delete;
  AttachedModel& operator=(const AttachedModel&) = delete;

 private:
  const CallbackList& callbacks_;
};

}  // namespace tandem
