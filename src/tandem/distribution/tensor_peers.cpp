// TensorExecution: what is agreed with the other processes, where there are some.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/distribution/program_options.h"
#include "tandem/distribution/tensor_execution.h"

namespace tandem::distribute {

void TensorExecution::check_same_program() {
  auto options = program_options(program_);
  options.add("tensor", settings_.tensor);
  check_alike(*peers_, "tensor parallel", program_, settings_.devices.size(), options);
}

void TensorExecution::align() {
  if (!over_processes()) return;
  load();
  PeerMessage own;
  own.put(given_weights_ ? 1.0 : 0.0);
  own.put(given_state_ ? 1.0 : 0.0);
  bool weights = false, state = false;
  for (auto& its : peers_->gather(own, align_topic_)) {
    weights = its.number() > 0 || weights;
    state = its.number() > 0 || state;
  }
  const c10::NoGradGuard no_grad;
  if (weights) {
    for (const auto& w : program_.network->weights()) peers_->take_from(w.variable().value, 0);
    loaded_versions_.clear();  // copies from elsewhere are not counted
    load();
  }
  given_weights_ = given_state_ = false;
  if (!state || !program_.optimizer) return;
  // The first process's, which may not have been given any.
  StateDict whole = state_;
  Tensor counts = at::tensor({whole.integer("iterations"), whole.integer("steps")}, at::kLong);
  peers_->take_from(counts, 0);
  whole.set("iterations", counts[0].item<int64_t>());
  whole.set("steps", counts[1].item<int64_t>());
  for (std::size_t i = 0; i < program_.optimizer->initial_numbers().size(); ++i) {
    Tensor number = at::full({1}, whole.number(c10::str("number/", i)), at::kDouble);
    peers_->take_from(number, 0);
    whole.set(c10::str("number/", i), number.item<double>());
  }
  for (const auto& slot : program_.optimizer->slots()) {
    for (std::size_t i = 0; i < trained_.size(); ++i) {
      Tensor values = whole.tensor(c10::str(slot, "/", i)).contiguous();
      peers_->take_from(values, 0);
      whole.set(c10::str(slot, "/", i), values);
    }
  }
  set_optimizer_state(whole);
  given_state_ = false;
}

std::vector<int64_t> TensorExecution::receipt(int64_t rows) {
  if (!over_processes()) return {rows};
  // Each process of a tensor group has its replica's rows.
  const auto by_replica = parts_.front()->receipt(rows);
  std::vector<int64_t> all;
  for (const int64_t its : by_replica) all.insert(all.end(), static_cast<std::size_t>(settings_.tensor), its);
  return all;
}

void TensorExecution::part(const std::string& reason) {
  if (!over_processes()) return;
  parted_ = true;
  ranks_->abort(reason);
  for (auto& one : parts_) one->part(reason);
}

}  // namespace tandem::distribute
