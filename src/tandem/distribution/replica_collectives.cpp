// What replicas tell one another within a step.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/distribution/replica_step.h"
#include "tandem/distribution/table_rows.h"

namespace tandem::distribute {

void ReplicaStep::announce(int64_t next) {
  Tensor kinds = at::full({}, static_cast<double>(next), at::kDouble);
  communicator_.all_reduce(kinds, {.what = "order of a step's collectives"});
  const double agreed = static_cast<double>(next) * static_cast<double>(shared_.active_ranks);
  if (kinds.item<double>() != agreed) {
    throw InvalidArgument(c10::str("model '", program_.network->name(),
                                   "': every replica must call minimize and compute_loss in the same order in its own "
                                   "train_step, but they went apart"));
  }
}

void ReplicaStep::follow() {
  const auto& trainable = replica_.trainable.weights();
  Tensor chosen;
  while (true) {
    Tensor kinds = at::zeros({}, at::kDouble);
    communicator_.all_reduce(kinds, {.what = "order of a step's collectives"});
    const auto kind = static_cast<int64_t>(kinds.item<double>() / static_cast<double>(shared_.active_ranks));
    if (kind < 0) {
      replica_.gathered()->take_part(static_cast<std::size_t>(-1 - kind));
      continue;
    }
    switch (kind) {
      case Collective::end:
        if (shared_.training && !shared_.ends_group && exchanges()) replica_.exchange->finish([](std::size_t) {});
        return;
      case Collective::counts: {
        Tensor none = at::zeros({static_cast<int64_t>(program_.losses->size())}, at::kDouble);
        communicator_.all_reduce(none, {.algorithm = shared_.sums, .what = "values that count in the loss"});
        break;
      }
      case Collective::gradients:
        if (shared_.begins_group) replica_.zero_gradients();
        chosen = begin_exchange(at::zeros({static_cast<int64_t>(trainable.size())}, at::kDouble));
        replica_.exchange->start_rest();
        break;
      case Collective::update:
        make_update(chosen);
        break;
      default: {
        Tensor none = at::zeros({kind - Collective::sum}, at::kDouble);
        communicator_.all_reduce(none, {.algorithm = shared_.sums, .what = "a layer's sum over the replicas"});
      }
    }
  }
}

void ReplicaStep::exchange_counts(std::vector<double>& counts) {
  if (announced()) announce(Collective::counts);
  Tensor all = at::tensor(counts, at::kDouble);
  communicator_.all_reduce(all, {.algorithm = shared_.sums, .what = "values that count in the loss"});
  counts.assign(all.const_data_ptr<double>(), all.const_data_ptr<double>() + counts.size());
}

void ReplicaStep::add_up(Tensor& values) {
  if (announced()) announce(Collective::sum + values.numel());
  Tensor all = values.to(at::kDouble).reshape({-1});
  communicator_.all_reduce(all, {.algorithm = shared_.sums, .what = "a layer's sum over the replicas"});
  values.copy_(all.view(values.sizes()));
}

void ReplicaStep::refuse_some_weights() const {
  throw InvalidArgument(c10::str("minimize: must be for all weights of model '", program_.network->name(),
                                 "' where parameter servers update them"));
}

Tensor ReplicaStep::selection(const std::vector<Weight>& weights) const {
  if (weights.empty() && !announced()) return {};
  const auto& all = replica_.trainable.weights();
  Tensor chosen = at::zeros({static_cast<int64_t>(all.size())}, at::kDouble);
  auto* flags = chosen.mutable_data_ptr<double>();
  const auto* rows = replica_.tables();
  const auto tables = rows ? rows->tables() : std::vector<Weight>();
  const auto named = [&](const Weight& w) { return std::find(weights.begin(), weights.end(), w) != weights.end(); };
  if (!weights.empty() && !std::all_of(tables.begin(), tables.end(), named)) refuse_some_weights();
  for (const auto& w : weights) {
    if (w.defined() && std::find(tables.begin(), tables.end(), w) != tables.end()) continue;
    const auto found = w.defined() ? std::find(all.begin(), all.end(), w) : all.end();
    if (found == all.end()) {
      throw InvalidArgument(c10::str("minimize: weight '", w.defined() ? w.name() : "",
                                     "' must be a trainable weight of model '", program_.network->name(), "'"));
    }
    flags[found - all.begin()] = 1;
  }
  if (weights.empty()) chosen.fill_(1);
  return chosen;
}

Tensor ReplicaStep::begin_exchange(Tensor chosen) {
  if (alone()) return chosen;
  if (announced()) {
    if (own_.rows() > 0) announce(Collective::gradients);
    communicator_.all_reduce(chosen, {.what = "choice of weights"});  // replicas without rows learn which are meant
    const Tensor agreed = (chosen == 0) | (chosen == static_cast<double>(shared_.active_ranks));
    if (!agreed.all().item<bool>()) {
      throw InvalidArgument(c10::str("minimize: every replica of model '", program_.network->name(),
                                     "' must name the same weights, but they named others"));
    }
  }
  if ((shared_.where == UpdatePlace::servers || by_hosts()) && chosen.defined() && !chosen.all().item<bool>())
    refuse_some_weights();
  replica_.exchange->begin(terms());
  return chosen;
}

}  // namespace tandem::distribute
