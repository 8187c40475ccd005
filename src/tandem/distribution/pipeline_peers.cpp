// Pipelines: what is agreed with the other processes, where there are some.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <numeric>
#include <utility>

#include "tandem/data/divide_rows.h"
#include "tandem/distribution/pipeline_execution.h"

namespace tandem::distribute {

data::OwnRows PipelineExecution::own_rows() const {
  if (!peers_) return {};
  return [data = settings_.data, here = replicas_here()](int64_t rows) {
    const auto counts = data::divide_rows(rows, data);
    const auto behind = [&](int64_t replica) {
      return std::accumulate(counts.begin(), counts.begin() + replica, int64_t{0});
    };
    return std::pair(behind(here.first), behind(here.second));
  };
}

void PipelineExecution::align() {
  if (!peers_) return;
  load();
  PeerMessage own;
  for (const bool given : {given_weights_, given_state_}) own.put(given ? 1.0 : 0.0);
  own.put(static_cast<double>(iterations_));
  own.put(static_cast<double>(steps_));
  auto all = peers_->gather(own, align_topic_);
  bool weights = false, state = false;
  for (std::size_t p = all.size(); p-- > 0;) {
    weights = all[p].number() > 0 || weights;
    state = all[p].number() > 0 || state;
    iterations_ = all[p].integer();
    steps_ = all[p].integer();
  }
  const c10::NoGradGuard no_grad;
  if (weights) {
    for (const auto& w : masters_) peers_->take_from(w.variable().value, 0);
    loaded_versions_.clear();  // copies from elsewhere are not counted
    load();
  }
  if (state) take_first_state();
  given_weights_ = given_state_ = false;
}

void PipelineExecution::take_first_state() {
  auto& numbers = stages_.front()->replica().numbers;
  StateDict state = all_slots_.value_or(StateDict());
  if (!numbers.empty()) {
    Tensor told = at::tensor(numbers, at::kDouble);
    peers_->take_from(told, 0);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      state.set(c10::str("number/", i), told.const_data_ptr<double>()[i]);
  }
  const auto names = program_.optimizer->slots();
  for (std::size_t s = 0; s < names.size(); ++s) {
    for (std::size_t i = 0; i < trained_.size(); ++i) {
      const auto name = c10::str(names[s], "/", i);
      const auto sizes = program_.optimizer->slot_shape(s, trained_[i].shape()).sizes();
      // The first process may have trained nothing, and been given nothing: as slots are at first.
      Tensor slot = state.contains(name) ? state.tensor(name).contiguous()
                                         : at::full(sizes, program_.optimizer->initial_slot(s), at::kFloat);
      peers_->take_from(slot, 0);
      state.set(name, slot);
    }
  }
  take_slots(state);
}

// A replica's rows are counted where it ends; those that a process was given, which shows who was idle, come before.
std::vector<int64_t> PipelineExecution::receipt(int64_t rows) {
  if (!peers_) return {rows};
  PeerMessage own;
  int64_t trained = 0;
  for (const auto& stage : stages_) trained += std::exchange(stage->replica().rows_since_store, 0);
  own.put(static_cast<double>(trained));
  receipt_.put(own);
  receipt_.clear();
  auto all = peers_->gather(own, receipt_topic_);
  std::vector<int64_t> had;
  for (auto& message : all) had.push_back(message.integer());
  RowReceipt::check(std::move(all), rows);
  return had;
}

void PipelineExecution::part(const std::string& reason) {
  if (!peers_) return;
  parted_ = true;
  group_->abort(reason);
  peers_->abort(reason);
}

void PipelineExecution::share_weights() {
  for (const auto& w : masters_) peers_->take_from(w.variable().value, process_of(plan_.stages_of(w).front()));
}

void PipelineExecution::share_slots() {
  StateDict state;
  put_slots(state);
  const auto names = program_.optimizer->slots();
  for (std::size_t i = 0; i < trained_.size(); ++i) {
    const int64_t home = process_of(plan_.stages_of(trained_[i]).front());
    for (std::size_t s = 0; s < names.size(); ++s) {
      const auto name = c10::str(names[s], "/", i);
      const auto sizes = program_.optimizer->slot_shape(s, trained_[i].shape()).sizes();
      Tensor slot = state.contains(name) ? state.tensor(name) : at::empty(sizes, at::kFloat);
      peers_->take_from(slot, home);
      state.set(name, slot);
    }
  }
  all_slots_ = std::move(state);
}

}  // namespace tandem::distribute
