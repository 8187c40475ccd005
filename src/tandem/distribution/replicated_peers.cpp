// Replicated: what is agreed with the other processes, where there are some.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "tandem/distribution/replicated.h"

namespace tandem::distribute {

data::OwnRows Replicated::own_rows() const {
  if (!peers_ || shares_.automatic()) return {};  // who gets what is only known when a step begins
  return [this](int64_t rows) {
    const auto counts = division_by_rank(rows);
    int64_t begin = 0, end = 0;
    for (int64_t r = 0; r < first_ + ranks(); ++r) {
      if (r < first_) begin += counts[static_cast<std::size_t>(r)];
      end += counts[static_cast<std::size_t>(r)];
    }
    return std::pair(begin, end);
  };
}

std::vector<RankFigures> Replicated::all_figures() {
  std::vector<RankFigures> all;
  for (const auto& replica : replicas_) all.push_back(RankFigures::of(replica->figures, replica->updates));
  if (!peers_) return all;
  PeerMessage own;
  for (const auto& figures : all) figures.put(own);
  all.clear();
  for (auto& message : peers_->gather(own, figures_topic_)) {
    for (int64_t r = 0; r < ranks(); ++r) all.push_back(RankFigures::take(message));
  }
  return all;
}

void Replicated::align() {
  if (!peers_) return;
  load();
  PeerMessage own;
  for (const bool given : {given_weights_, given_state_}) own.put(given ? 1.0 : 0.0);
  own.put(static_cast<double>(iterations_));
  own.put(static_cast<double>(steps_));
  auto all = peers_->gather(own, align_topic_);
  bool weights = false, state = false, first_state = false;
  for (std::size_t p = all.size(); p-- > 0;) {
    weights = all[p].number() > 0 || weights;
    first_state = all[p].number() > 0;
    state = first_state || state;
    iterations_ = all[p].integer();
    steps_ = all[p].integer();
  }
  const c10::NoGradGuard no_grad;
  if (weights) {
    take_first_weights();
    loaded_versions_.clear();  // copies from elsewhere are not counted
    load();
  }
  given_weights_ = given_state_ = false;  // load() gave them
  if (!state) return;
  if (divided()) return align_shards(first_state);
  auto& front = *replicas_.front();
  for (auto& slot : front.slots) peers_->take_from(slot, 0);  // none with servers, which have the state
  if (!front.numbers.empty()) {
    Tensor numbers = at::tensor(front.numbers, at::kDouble);
    peers_->take_from(numbers, 0);
    const auto* values = numbers.const_data_ptr<double>();
    front.numbers.assign(values, values + numbers.numel());
  }
  for (auto& replica : replicas_) {
    replica->numbers = front.numbers;
    for (std::size_t s = 0; s < replica->slots.size(); ++s) {
      if (replica != replicas_.front()) replica->slots[s].copy_(front.slots[s]);
    }
  }
}

std::vector<int64_t> Replicated::receipt(int64_t rows) {
  if (!peers_) return {rows};
  PeerMessage own;
  receipt_.put(own);
  receipt_.clear();
  return RowReceipt::check(peers_->gather(own, receipt_topic_), rows);
}

void Replicated::part(const std::string& reason) {
  if (!peers_) return;
  parted_ = true;
  group_->abort(reason);
  peers_->abort(reason);
  abort_served(reason);
}

}  // namespace tandem::distribute
