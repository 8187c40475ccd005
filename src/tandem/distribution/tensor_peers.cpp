// TensorExecution: what is agreed with the other processes, where there are some.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/distribution/named_options.h"
#include "tandem/distribution/tensor_execution.h"

namespace tandem::distribute {
namespace {

// A constant rate is the first process's, whatever the others have.
void add_settings(NamedOptions& options, const Optimizer& optimizer) {
  options.add("optimizer", optimizer.class_name());
  try {
    Config config = optimizer.get_config();
    if (!optimizer.rate().is_schedule()) config.set("learning_rate", 0.0);
    options.add_all("optimizer", config);
  } catch (const Error&) {  // one of the program's own
  }
}

}  // namespace

void TensorExecution::check_same_program() {
  NamedOptions options;
  const auto weights = program_.network->weights();
  options.add("model name", program_.network->name());
  options.add("tensor", settings_.tensor);
  options.add("number of weights", weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    options.add(c10::str("weight ", i), "'", weights[i].name(), "' ", weights[i].shape(),
                weights[i].trainable() ? "" : ", not trained");
  }
  options.add("losses", program_.losses ? program_.losses->describe() : "none");
  if (program_.optimizer) add_settings(options, *program_.optimizer);
  PeerMessage own;
  options.put(own);
  Peers::Topic topic;
  auto all = peers_->gather(own, topic);
  const auto first = NamedOptions::take(all[0]);
  for (std::size_t p = 1; p < all.size(); ++p) {
    if (const auto apart = first.difference(NamedOptions::take(all[p]), p)) {
      throw InvalidArgument(c10::str("tensor parallel: model '", program_.network->name(),
                                     "': all ranks must have the same, but ", *apart));
    }
  }
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
