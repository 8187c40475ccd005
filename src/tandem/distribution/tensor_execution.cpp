#include "tandem/distribution/tensor_execution.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/sharding/tensor_group.h"

namespace tandem::distribute {
namespace {

constexpr double kGroupLimitSeconds = 600;  // that a rank waits for the others in one call

}  // namespace

TensorExecution::TensorExecution(const Program& program, const TensorSettings& settings, const MakePart& make_part)
    : program_(program),
      settings_(settings),
      trained_(program.network->trainable_weights()),
      threads_(settings.tensor, 1) {
  for (int64_t d = 0; d < settings_.data(); ++d)
    groups_.push_back(std::make_unique<comm::LocalGroup>(settings_.tensor, kGroupLimitSeconds));
  for (int64_t t = 0; t < settings_.tensor; ++t) {
    locals_.push_back(sharding::make_local_network(*program_.network, {t, settings_.tensor}));
    own_trained_.push_back(locals_.back().graph->trainable_weights());
  }
  for (int64_t t = 0; t < settings_.tensor; ++t) parts_.push_back(make_part(part_settings(t)));
  ahead_ = true;  // than the masters' values, of which they know none yet
  load();
}

TensorExecution::Part TensorExecution::part_settings(int64_t t) {
  std::vector<Device> devices;
  for (int64_t d = 0; d < settings_.data(); ++d) devices.push_back(settings_.devices[d * settings_.tensor + t]);
  return {.program = {locals_[static_cast<std::size_t>(t)].graph, program_.losses, program_.optimizer},
          .devices = Devices::of(devices),
          .threads_per_device = settings_.threads_per_device,
          .within =
              [this, t](int64_t rank, const std::function<void()>& work) {
                const sharding::TensorGroupScope scope(groups_[static_cast<std::size_t>(rank)]->rank(t));
                try {
                  work();
                } catch (...) {
                  note_failure();
                  throw;
                }
              },
          .shards = [this, t](const Replica& replica) { return shards_of(t, replica); }};
}

// What every rank has whole is counted by the first one.
GradientShards TensorExecution::shards_of(int64_t t, const Replica& replica) const {
  GradientShards shards{.sum = sharding::sum_of};
  const auto& local = locals_[static_cast<std::size_t>(t)];
  for (std::size_t i = 0; i < replica.trainable.weights().size(); ++i) {
    const auto& own = replica.trainable.weights()[i];
    const bool divided = std::any_of(local.weights.begin(), local.weights.end(), [&](const sharding::LocalWeight& w) {
      return w.own == own && !w.division.whole();
    });
    const auto& place = replica.trainable.places()[i];
    if (divided) {
      shards.divided.push_back(place);
    } else if (t > 0) {
      shards.counted_elsewhere.push_back(place);
    }
  }
  return shards;
}

// Others may wait for this rank in any of the groups: those of its replica, or of another that waits for its part.
void TensorExecution::note_failure() {
  std::string reason = "unknown";
  try {
    throw;
  } catch (const std::exception& error) {
    reason = error.what();
  } catch (...) {
  }
  {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
  for (auto& group : groups_) group->abort("another part of the model failed first: " + reason);
}

void TensorExecution::run(const std::function<void(int64_t, Execution&)>& work) {
  try {
    threads_.run([&](int64_t t) { work(t, *parts_[static_cast<std::size_t>(t)]); });
  } catch (...) {
    for (auto& group : groups_) group->reset();
    const auto first = std::exchange(failure_, nullptr);
    if (first) std::rethrow_exception(first);
    throw;
  }
}

StepResult TensorExecution::train_step(const data::Batch& batch, const TrainStep& train, const Observer& observer) {
  ahead_ = true;
  StepResult result;
  const Observer nobody;
  run([&](int64_t t, Execution& part) {
    auto made = part.train_step(batch, train, t == 0 ? observer : nobody);
    if (t == 0) result = std::move(made);
  });
  return result;
}

void TensorExecution::finish_update(double rate) {
  run([&](int64_t, Execution& part) { part.finish_update(rate); });
}

StepResult TensorExecution::test_step(const data::Batch& batch, const Observer& observer) {
  StepResult result;
  const Observer nobody;
  run([&](int64_t t, Execution& part) {
    auto made = part.test_step(batch, t == 0 ? observer : nobody);
    if (t == 0) result = std::move(made);
  });
  return result;
}

Tensors TensorExecution::predict_step(const data::Batch& batch) {
  Tensors outputs;
  run([&](int64_t t, Execution& part) {
    auto made = part.predict_step(batch);
    if (t == 0) outputs = std::move(made);
  });
  return outputs;
}

std::vector<uint32_t> TensorExecution::master_versions() const {
  std::vector<uint32_t> versions;
  for (const auto& w : program_.network->weights()) versions.push_back(w.variable().value._version());
  return versions;
}

void TensorExecution::load() {
  if (!ahead_ && loaded_versions_ == master_versions()) return;
  ahead_ = false;
  const c10::NoGradGuard no_grad;
  for (int64_t t = 0; t < settings_.tensor; ++t) {
    for (const auto& w : local(t).weights) {
      w.own.variable().value.copy_(
          sharding::part_of(w.whole.variable().value, w.axis, w.division, {t, settings_.tensor}));
    }
    parts_[static_cast<std::size_t>(t)]->load();
  }
  loaded_versions_ = master_versions();
}

void TensorExecution::store() {
  if (!ahead_) return;
  ahead_ = false;
  const c10::NoGradGuard no_grad;
  for (int64_t t = 0; t < settings_.tensor; ++t) {
    parts_[static_cast<std::size_t>(t)]->store();
    for (const auto& w : local(t).weights) {
      if (t == 0 || !w.division.whole()) {
        sharding::put_part(w.whole.variable().value, w.axis, w.division, {t, settings_.tensor},
                           w.own.variable().value);
      }
    }
  }
  loaded_versions_ = master_versions();
}

TensorExecution::Home TensorExecution::home_of(std::size_t i, int64_t t) const {
  const auto* local = this->local(t).find(trained_[i]);
  const auto& own = own_trained_[static_cast<std::size_t>(t)];
  const auto found = std::find(own.begin(), own.end(), local ? local->own : trained_[i]);
  return {found - own.begin(), local};
}

StateDict TensorExecution::optimizer_state() {
  StateDict state = parts_.front()->optimizer_state();
  if (!program_.optimizer) return state;
  std::vector<StateDict> others;
  for (int64_t t = 1; t < settings_.tensor; ++t)
    others.push_back(parts_[static_cast<std::size_t>(t)]->optimizer_state());
  StateDict whole;
  whole.set("iterations", state.integer("iterations"));
  whole.set("steps", state.integer("steps"));
  for (std::size_t i = 0; i < program_.optimizer->initial_numbers().size(); ++i)
    whole.set(c10::str("number/", i), state.number(c10::str("number/", i)));
  for (const auto& slot : program_.optimizer->slots()) {
    for (std::size_t i = 0; i < trained_.size(); ++i) {
      const auto first = home_of(i, 0);
      Tensor values = state.tensor(c10::str(slot, "/", first.number));
      if (first.local && !first.local->division.whole()) {
        const Tensor own = values;
        values = at::empty(trained_[i].shape().sizes(), own.options());
        for (int64_t t = 0; t < settings_.tensor; ++t) {
          const auto home = home_of(i, t);
          const auto& from = t == 0 ? state : others[static_cast<std::size_t>(t) - 1];
          sharding::put_part(values, home.local->axis, home.local->division, {t, settings_.tensor},
                             from.tensor(c10::str(slot, "/", home.number)));
        }
      }
      whole.set(c10::str(slot, "/", i), values);
    }
  }
  return whole;
}

void TensorExecution::set_optimizer_state(const StateDict& state) {
  for (int64_t t = 0; t < settings_.tensor; ++t) {
    StateDict own;
    own.set("iterations", state.integer("iterations"));
    own.set("steps", state.contains("steps") ? state.integer("steps") : state.integer("iterations"));
    for (std::size_t i = 0; i < program_.optimizer->initial_numbers().size(); ++i)
      own.set(c10::str("number/", i), state.number(c10::str("number/", i)));
    for (const auto& slot : program_.optimizer->slots()) {
      for (std::size_t i = 0; i < trained_.size(); ++i) {
        const auto home = home_of(i, t);
        Tensor values = state.tensor(c10::str(slot, "/", i));
        if (home.local)
          values = sharding::part_of(values, home.local->axis, home.local->division, {t, settings_.tensor});
        own.set(c10::str(slot, "/", home.number), values);
      }
    }
    parts_[static_cast<std::size_t>(t)]->set_optimizer_state(own);
  }
}

}  // namespace tandem::distribute
