#include "tandem/distribution/replica_step.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/network/subclassed.h"

namespace tandem::distribute {
namespace {

using StepClock = std::chrono::steady_clock;

double seconds_between(StepClock::time_point start, StepClock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

void check_scalar(const Tensor& value, const char* what) {
  if (!value.defined() || value.numel() != 1 || value.is_complex()) {
    throw InvalidArgument(c10::str(what, ": must get a scalar, got ",
                                   value.defined() ? Shape::of(value.sizes().vec()).to_string() : "no tensor"));
  }
}

}  // namespace

ReplicaStep::ReplicaStep(const Program& program, Replica& replica, comm::Communicator& communicator,
                         const SharedStep& shared, data::Batch own, int64_t first_row)
    : program_(program),
      replica_(replica),
      communicator_(communicator),
      shared_(shared),
      own_(std::move(own)),
      own_step_(dynamic_cast<const SubclassedModel*>(program.network.get()) != nullptr),
      context_{.training = shared.training,
               .random = shared.random,
               .first_row = first_row,
               .logits = &logits_,
               .added_losses = &added_} {
  own_.x = program.network->as_inputs(own_.x);
}

void ReplicaStep::run() {
  replica_.begin_step();
  computing_since_ = StepClock::now();
  const WeightScope weights(replica_.map);
  if (own_.rows() == 0) {
    follow();
  } else {
    const c10::AutoGradMode gradients(shared_.training);
    const CallScope scope(context_);
    if (shared_.training) {
      replica_.rows_trained += own_.rows();
      replica_.rows_since_store += own_.rows();
      program_.network->train_step(*this);
    } else {
      program_.network->test_step(*this);
    }
    if (announced()) announce(Collective::end);
  }
  if (shared_.training) replica_.computing += seconds_between(computing_since_, StepClock::now());
}

Tensor ReplicaStep::compute_loss(const Tensors& y_pred) {
  if (!program_.losses)
    throw InvalidArgument(c10::str("model '", program_.network->name(), "': must be compiled with a loss first"));
  const auto& losses = *program_.losses;
  const auto sums = losses.add_up(y_pred, logits_, own_);
  auto counts = sums.counts;
  if (losses.masked()) {
    exchange_counts(counts);
  } else {
    for (auto& count : counts) count *= static_cast<double>(shared_.rows) / static_cast<double>(own_.rows());
  }
  const auto value = losses.mean(sums, counts);
  replica_.parts.clear();
  for (const auto& part : value.parts) replica_.parts.push_back(part.item<double>());
  Tensor part = value.total;
  for (const auto& loss : added_.losses()) {
    check_scalar(loss, "add_loss");
    part = part + loss * share();
  }
  if (communicator_.rank() == shared_.first_active) {  // penalties count once, whatever the number of replicas
    const Tensor penalty = program_.network->regularization();
    if (penalty.defined()) part = part + penalty;
  }
  replica_.loss = part.item<double>();
  computed_part_ = part;
  computed_ = share() == 1 ? part : part / share();
  return computed_;
}

void ReplicaStep::minimize(const Tensor& loss, const std::vector<Weight>& weights) {
  if (!shared_.training) throw InvalidArgument("minimize: must be called in training, not in evaluate");
  if (!program_.optimizer)
    throw InvalidArgument(c10::str("model '", program_.network->name(), "': must be compiled with an optimizer first"));
  check_scalar(loss, "minimize");
  if (own_step_ && !loss.requires_grad() && !replica_.trainable.weights().empty()) {
    throw InvalidArgument(c10::str("minimize: the loss of model '", program_.network->name(),
                                   "' must depend on its weights, got one without a gradient"));
  }
  replica_.trainable.zero_gradients();
  const Tensor part = loss.is_same(computed_) ? computed_part_ : share() == 1 ? loss : loss * share();
  if (part.requires_grad()) part.backward();
  replica_.trainable.gather_gradients();
  update(exchange_gradients(selection(weights)));
}

void ReplicaStep::update_metrics(const Tensors& y_pred) {
  if (y_pred.empty()) throw InvalidArgument("update_metrics: must get the model's outputs, got none");
  if (!shared_.observer) return;
  c10::NoGradGuard no_grad;
  shared_.observer(communicator_.rank(), own_, y_pred);
}

void ReplicaStep::report(const std::string& name, const Tensor& value) {
  check_scalar(value, "report");
  replica_.reported[name] = value.item<double>() * share();
}

void ReplicaStep::announce(Collective next) {
  Tensor kinds = at::full({}, static_cast<double>(next), at::kDouble);
  communicator_.all_reduce(kinds);
  const double agreed = static_cast<double>(next) * static_cast<double>(shared_.active_ranks);
  if (kinds.item<double>() != agreed) {
    throw InvalidArgument(c10::str("model '", program_.network->name(),
                                   "': every replica must call minimize and compute_loss in the same order in its own "
                                   "train_step, but they went apart"));
  }
}

void ReplicaStep::follow() {
  while (true) {
    Tensor kinds = at::zeros({}, at::kDouble);
    communicator_.all_reduce(kinds);
    switch (static_cast<Collective>(kinds.item<double>() / static_cast<double>(shared_.active_ranks))) {
      case Collective::counts: {
        Tensor none = at::zeros({static_cast<int64_t>(program_.losses->size())}, at::kDouble);
        communicator_.all_reduce(none);
        break;
      }
      case Collective::gradients:
        replica_.trainable.zero_gradients();
        update(exchange_gradients(at::zeros({static_cast<int64_t>(replica_.trainable.weights().size())}, at::kDouble)));
        break;
      default:
        return;
    }
  }
}

void ReplicaStep::exchange_counts(std::vector<double>& counts) {
  if (announced()) announce(Collective::counts);
  Tensor all = at::tensor(counts, at::kDouble);
  communicator_.all_reduce(all);
  counts.assign(all.const_data_ptr<double>(), all.const_data_ptr<double>() + counts.size());
}

Tensor ReplicaStep::selection(const std::vector<Weight>& weights) const {
  if (weights.empty() && !announced()) return {};
  const auto& all = replica_.trainable.weights();
  Tensor chosen = at::zeros({static_cast<int64_t>(all.size())}, at::kDouble);
  auto* flags = chosen.mutable_data_ptr<double>();
  for (const auto& w : weights) {
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

Tensor ReplicaStep::exchange_gradients(Tensor chosen) {
  const auto start = StepClock::now();
  replica_.computing += seconds_between(computing_since_, start);
  if (announced()) {
    if (own_.rows() > 0) announce(Collective::gradients);
    communicator_.all_reduce(chosen);  // replicas without rows learn which weights are meant
    const Tensor agreed = (chosen == 0) | (chosen == static_cast<double>(shared_.active_ranks));
    if (!agreed.all().item<bool>()) {
      throw InvalidArgument(c10::str("minimize: every replica of model '", program_.network->name(),
                                     "' must name the same weights, but they named others"));
    }
  }
  communicator_.all_reduce(replica_.trainable.gradients());
  computing_since_ = StepClock::now();
  return chosen;
}

void ReplicaStep::update(const Tensor& chosen) {
  auto& own = replica_.trainable;
  const auto& optimizer = *program_.optimizer;
  const int64_t iteration = shared_.iteration + replica_.updates;
  const auto* flags = chosen.defined() ? chosen.const_data_ptr<double>() : nullptr;
  if (!flags || std::all_of(flags, flags + chosen.numel(), [](double flag) { return flag > 0; })) {
    if (optimizer.clips()) optimizer.clip(own.gradients(), own.places());
    optimizer.update(own.parameters(), own.gradients(), replica_.slots, iteration, shared_.rate);
  } else {
    std::vector<FlatPlace> places;
    for (std::size_t i = 0; i < own.places().size(); ++i) {
      if (flags[i] > 0) places.push_back(own.places()[i]);
    }
    if (optimizer.clips()) optimizer.clip(own.gradients(), places);
    for (const auto& place : places) {
      const auto part = [&](const Tensor& buffer) { return buffer.narrow(0, place.offset, place.count); };
      Tensor parameters = part(own.parameters());
      std::vector<Tensor> slots;
      for (const auto& slot : replica_.slots) slots.push_back(part(slot));
      optimizer.update(parameters, part(own.gradients()), slots, iteration, shared_.rate);
    }
  }
  ++replica_.updates;
  c10::NoGradGuard no_grad;
  for (const auto& w : replica_.constrained) {
    Tensor& value = replica_.own(w);
    value.copy_((*w.variable().constraint)(value.detach()));
  }
}

}  // namespace tandem::distribute
