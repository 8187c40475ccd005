#include "tandem/distribution/tensor_execution.h"

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/sharding/tensor_group.h"

namespace tandem::distribute {
namespace {

std::unique_ptr<TensorRanks> ranks_of(const TensorSettings& settings) {
  return settings.processes ? tensor_ranks_of_processes(settings.processes, settings.tensor)
                            : tensor_ranks_of_threads(settings.devices.size() / settings.tensor, settings.tensor);
}

}  // namespace

TensorExecution::TensorExecution(const Program& program, const TensorSettings& settings, const MakePart& make_part)
    : program_(program),
      settings_(settings),
      peers_(settings.processes ? std::make_unique<Peers>(settings.processes) : nullptr),
      ranks_(ranks_of(settings)),
      trained_(program.network->trainable_weights()),
      exchanged_(static_cast<std::size_t>(settings.devices.size())),
      threads_(ranks_->parts(), 1) {
  if (over_processes()) check_same_program();
  for (int64_t p = 0; p < here(); ++p) {
    locals_.push_back(sharding::make_local_network(*program_.network, place(p)));
    own_trained_.push_back(locals_.back().graph->trainable_weights());
  }
  for (int64_t p = 0; p < here(); ++p) parts_.push_back(make_part(part_settings(p)));
  ahead_ = true;  // than the masters' values, of which they know none yet
  load();
  if (over_processes()) {
    state_ = joined_state();
    state_steps_ = steps();
  }
}

TensorExecution::Part TensorExecution::part_settings(int64_t p) {
  std::vector<Device> devices;
  for (int64_t d = 0; d < ranks_->replicas(); ++d) devices.push_back(settings_.devices[d * here() + p]);
  return {.program = {locals_[static_cast<std::size_t>(p)].graph, program_.losses, program_.optimizer},
          .devices = Devices::of(devices),
          .threads_per_device = settings_.threads_per_device,
          .memory = {.limit = settings_.memory_limit, .parts = settings_.tensor, .part = place(p).rank},
          .within =
              [this, p](int64_t rank, const std::function<void()>& work) {
                const sharding::TensorGroupScope scope(ranks_->rank(rank, p));
                try {
                  work();
                } catch (...) {
                  note_failure();
                  throw;
                }
              },
          .shards = [this, p](const Replica& replica) { return shards_of(p, replica); },
          .processes = ranks_->with_same_part()};
}

// What every rank has whole is counted by the first one.
GradientShards TensorExecution::shards_of(int64_t p, const Replica& replica) const {
  GradientShards shards{.sum = sharding::sum_of};
  shards.leads = place(p).rank == 0;
  std::vector<std::size_t> divided_weights;
  const auto& local = locals_[static_cast<std::size_t>(p)];
  for (std::size_t i = 0; i < replica.trainable.weights().size(); ++i) {
    const auto& own = replica.trainable.weights()[i];
    const bool divided = std::any_of(local.weights.begin(), local.weights.end(), [&](const sharding::LocalWeight& w) {
      return w.own == own && !w.division.whole();
    });
    const auto& place_of_weight = replica.trainable.places()[i];
    if (divided) {
      divided_weights.push_back(i);
    } else if (place(p).rank > 0) {
      shards.counted_elsewhere.push_back(place_of_weight);
    }
  }
  shards.sum_by_weight = [divided_weights](std::vector<double>& values) {
    std::vector<double> sums;
    for (const auto i : divided_weights) sums.push_back(values[i]);
    sharding::add_up(sums);
    for (std::size_t k = 0; k < sums.size(); ++k) values[divided_weights[k]] = sums[k];
  };
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
  ranks_->abort("another part of the model failed first: " + reason);
}

void TensorExecution::run(const std::function<void(int64_t, Execution&)>& work) {
  try {
    threads_.run([&](int64_t p) { work(p, *parts_[static_cast<std::size_t>(p)]); });
  } catch (...) {
    ranks_->reset();
    const auto first = std::exchange(failure_, nullptr);
    if (first) std::rethrow_exception(first);
    throw;
  }
}

StepResult TensorExecution::train_step(const data::Batch& batch, const TrainStep& train, const Observer& observer) {
  ahead_ = true;
  StepResult result;
  const auto before = spent_in_groups();
  const Observer nobody;
  run([&](int64_t p, Execution& part) {
    auto made = part.train_step(batch, train, observes(p) ? observer : nobody);
    if (p == 0) result = std::move(made);
  });
  const auto after = spent_in_groups();
  for (std::size_t i = 0; i < after.size(); ++i) {
    exchanged_[i].exchange += after[i].exchange - before[i].exchange;
    exchanged_[i].waiting += after[i].waiting - before[i].waiting;
  }
  return result;
}

void TensorExecution::finish_update(double rate) {
  run([&](int64_t, Execution& part) { part.finish_update(rate); });
}

StepResult TensorExecution::test_step(const data::Batch& batch, const Observer& observer) {
  StepResult result;
  const Observer nobody;
  run([&](int64_t p, Execution& part) {
    auto made = part.test_step(batch, observes(p) ? observer : nobody);
    if (p == 0) result = std::move(made);
  });
  return result;
}

Tensors TensorExecution::predict_step(const data::Batch& batch) {
  Tensors outputs;
  run([&](int64_t p, Execution& part) {
    auto made = part.predict_step(batch);
    if (p == 0) outputs = std::move(made);
  });
  return outputs;
}

}  // namespace tandem::distribute
