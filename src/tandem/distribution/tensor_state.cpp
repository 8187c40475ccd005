// TensorExecution: what goes between the parts and the model whole.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/distribution/tensor_execution.h"
#include "tandem/sharding/tensor_group.h"

namespace tandem::distribute {

std::vector<uint32_t> TensorExecution::master_versions() const {
  std::vector<uint32_t> versions;
  for (const auto& w : program_.network->weights()) versions.push_back(w.variable().value._version());
  return versions;
}

void TensorExecution::load() {
  if (!ahead_ && loaded_versions_ == master_versions()) return;
  ahead_ = false;
  given_weights_ = true;
  const c10::NoGradGuard no_grad;
  for (int64_t p = 0; p < here(); ++p) {
    for (const auto& w : locals_[static_cast<std::size_t>(p)].weights)
      w.own.variable().value.copy_(sharding::part_of(w.whole.variable().value, w.axis, w.division, place(p)));
    parts_[static_cast<std::size_t>(p)]->load();
  }
  loaded_versions_ = master_versions();
}

void TensorExecution::join(const Tensor& whole, const sharding::LocalWeight& how, const std::vector<Tensor>& own) {
  if (how.division.whole()) {
    whole.copy_(own.front());
  } else if (over_processes() && !parted_) {
    const sharding::TensorGroupScope scope(ranks_->rank(0, 0));
    whole.copy_(sharding::gathered(own.front().movedim(how.axis, -1), how.division, place(0)).movedim(-1, how.axis));
  } else {
    for (int64_t p = 0; p < here(); ++p)
      sharding::put_part(whole, how.axis, how.division, place(p), own[static_cast<std::size_t>(p)]);
  }
}

void TensorExecution::store() {
  if (!ahead_) return;
  ahead_ = false;
  const c10::NoGradGuard no_grad;
  for (auto& part : parts_) part->store();
  for (std::size_t i = 0; i < locals_.front().weights.size(); ++i) {
    std::vector<Tensor> own;
    for (const auto& local : locals_) own.push_back(local.weights[i].own.variable().value);
    join(locals_.front().weights[i].whole.variable().value, locals_.front().weights[i], own);
  }
  loaded_versions_ = master_versions();
  if (!over_processes() || parted_) return;
  state_ = joined_state();
  state_steps_ = steps();
}

TensorExecution::Home TensorExecution::home_of(std::size_t i, int64_t p) const {
  const auto* local = locals_[static_cast<std::size_t>(p)].find(trained_[i]);
  const auto& own = own_trained_[static_cast<std::size_t>(p)];
  const auto found = std::find(own.begin(), own.end(), local ? local->own : trained_[i]);
  return {found - own.begin(), local};
}

StateDict TensorExecution::optimizer_state() {
  return over_processes() && (state_steps_ == steps() || parted_) ? state_ : joined_state();
}

StateDict TensorExecution::joined_state() {
  std::vector<StateDict> states;
  for (auto& part : parts_) states.push_back(part->optimizer_state());
  const auto& first = states.front();
  if (!program_.optimizer) return first;
  const c10::NoGradGuard no_grad;
  StateDict whole;
  whole.set("iterations", first.integer("iterations"));
  whole.set("steps", first.integer("steps"));
  for (std::size_t i = 0; i < program_.optimizer->initial_numbers().size(); ++i)
    whole.set(c10::str("number/", i), first.number(c10::str("number/", i)));
  for (const auto& slot : program_.optimizer->slots()) {
    for (std::size_t i = 0; i < trained_.size(); ++i) {
      const auto home = home_of(i, 0);
      std::vector<Tensor> own;
      for (int64_t p = 0; p < here(); ++p)
        own.push_back(states[static_cast<std::size_t>(p)].tensor(c10::str(slot, "/", home_of(i, p).number)));
      if (!home.local || home.local->division.whole()) {
        whole.set(c10::str(slot, "/", i), own.front());
        continue;
      }
      const Tensor values = at::empty(trained_[i].shape().sizes(), own.front().options());
      join(values, *home.local, own);
      whole.set(c10::str(slot, "/", i), values);
    }
  }
  return whole;
}

void TensorExecution::set_optimizer_state(const StateDict& state) {
  const int64_t steps_made = state.contains("steps") ? state.integer("steps") : state.integer("iterations");
  for (int64_t p = 0; p < here(); ++p) {
    StateDict own;
    own.set("iterations", state.integer("iterations"));
    own.set("steps", steps_made);
    for (std::size_t i = 0; i < program_.optimizer->initial_numbers().size(); ++i)
      own.set(c10::str("number/", i), state.number(c10::str("number/", i)));
    for (const auto& slot : program_.optimizer->slots()) {
      for (std::size_t i = 0; i < trained_.size(); ++i) {
        const auto home = home_of(i, p);
        const Tensor values = state.tensor(c10::str(slot, "/", i));
        own.set(c10::str(slot, "/", home.number),
                home.local ? sharding::part_of(values, home.local->axis, home.local->division, place(p)) : values);
      }
    }
    parts_[static_cast<std::size_t>(p)]->set_optimizer_state(own);
  }
  if (!over_processes()) return;
  given_state_ = true;
  state_ = state;
  state_.set("steps", steps_made);
  state_steps_ = steps_made;
}

}  // namespace tandem::distribute
