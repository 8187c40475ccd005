#include "tandem/distribution/replica_step.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/distribution/replica_update.h"
#include "tandem/distribution/table_rows.h"
#include "tandem/network/subclassed.h"

namespace tandem::distribute {
namespace {

void check_scalar(const Tensor& value, const char* what) {
  if (!value.defined() || value.numel() != 1 || value.is_complex()) {
    throw InvalidArgument(c10::str(what, ": must get a scalar, got ",
                                   value.defined() ? Shape::of(value.sizes().vec()).to_string() : "no tensor"));
  }
}

Tensor times(const Tensor& value, double factor) { return factor == 1 ? value : value * factor; }

}  // namespace

ReplicaStep::ReplicaStep(const Program& program, Replica& replica, comm::Communicator& communicator,
                         const SharedStep& shared, data::Batch own, int64_t first_row)
    : program_(program),
      replica_(replica),
      communicator_(communicator),
      shared_(shared),
      own_(std::move(own)),
      own_step_(dynamic_cast<const SubclassedModel*>(program.network.get()) != nullptr),
      sum_([this](Tensor& values) { add_up(values); }),
      context_{.training = shared.training,
               .random = shared.random,
               .first_row = first_row,
               .logits = &logits_,
               .added_losses = &added_,
               .added_metrics = &figures_of_layers_,
               .replicas = shared.training && shared.active_ranks > 1 ? &sum_ : nullptr,
               .rows = shared.training ? replica.tables() : nullptr,
               .placed = replica.placed,
               .trace = replica.watched(),
               .states = &replica.states} {
  own_.x = program.network->as_inputs(own_.x);
}

void ReplicaStep::run() {
  replica_.begin_step();
  auto* const tables = shared_.training ? replica_.tables() : nullptr;
  if (tables) tables->begin_step();
  const WeightScope weights(replica_.map, replica_.absent());
  begin_gathering();
  if (own_.rows() == 0) {
    if (shared_.training && shared_.begins_group) replica_.zero_gradients();
    follow();
    if (auto* gathered = replica_.gathered()) gathered->end();
    return;
  }
  const c10::AutoGradMode gradients(shared_.training);
  const CallScope scope(context_);
  if (shared_.training) {
    program_.network->train_step(*this);
  } else {
    program_.network->test_step(*this);
  }
  for (const auto& [name, mean] : figures_of_layers_.means()) report(name, mean);
  if (announced()) announce(end);
  if (auto* gathered = replica_.gathered()) gathered->end();
}

void ReplicaStep::begin_gathering() {
  auto* const gathered = replica_.gathered();
  if (!gathered) return;
  if (!announced()) return gathered->begin();
  const bool follows = own_.rows() == 0;
  gathered->begin([this, follows](std::size_t bucket) {
    if (!follows) announce(gathering(bucket));
  });
}

void ReplicaStep::finish_group() {
  replica_.begin_step();
  if (alone() && replica_.rows_since_update == 0) return;
  const WeightScope weights(replica_.map, replica_.absent());
  if (!alone()) replica_.exchange->begin(terms());
  make_update({});
}

Tensor ReplicaStep::compute_loss(const Tensors& y_pred) {
  if (!program_.losses)
    throw InvalidArgument(c10::str("model '", program_.network->name(), "': must be compiled with a loss first"));
  const auto& losses = *program_.losses;
  const auto sums = losses.add_up(y_pred, logits_, own_, [&](const Tensor& values) {
    const bool apart = shared_.active_ranks == 1 || (alone() && shared_.training);
    return apart ? values : sum_(values);
  });
  auto counts = sums.counts;
  if (sums.masked) {
    exchange_counts(counts);
  } else {
    for (auto& count : counts) count *= static_cast<double>(shared_.rows) / static_cast<double>(own_.rows());
  }
  const auto value = losses.mean(sums, counts);
  Tensor part = value.total;
  for (const auto& loss : added_.losses()) {
    check_scalar(loss, "add_loss");
    part = part + loss * share();
  }
  // Penalties count once, whatever the number of replicas.
  const Tensor penalty = this->penalty();
  Tensor shown = part;
  if (penalty.defined() && replica_.gathered()) {  // all gather weights for its gradient, so all have a part of it
    shown = part + penalty / static_cast<double>(shared_.active_ranks);
  } else if (penalty.defined() && communicator_.rank() == shared_.first_active) {
    shown = part + penalty;
  }
  replica_.figures.set_loss(shown, value.parts);
  if (alone() || by_hosts()) {  // this replica's own loss, whole
    computed_ = times(part, 1 / share());
    if (penalty.defined()) computed_ = computed_ + penalty;
  } else {
    computed_part_ = shown;
    computed_ = times(shown, 1 / share());
  }
  return computed_;
}

Tensor ReplicaStep::penalty() const {
  auto* const gathered = replica_.gathered();
  if (!gathered) return program_.network->regularization();
  Tensor sum;
  for (const auto& w : replica_.trainable.weights()) {
    const auto& regularizer = w.variable().regularizer;
    if (!regularizer) continue;
    gathered->call_begins();  // so that it need not stay
    const Tensor own = (*regularizer)(w.value());
    gathered->call_ends({own});
    sum = sum.defined() ? sum + own : own;
  }
  return sum;
}

void ReplicaStep::minimize(const Tensor& loss, const std::vector<Weight>& weights) {
  if (!shared_.training) throw InvalidArgument("minimize: must be called in training, not in evaluate");
  if (!program_.optimizer)
    throw InvalidArgument(c10::str("model '", program_.network->name(), "': must be compiled with an optimizer first"));
  check_scalar(loss, "minimize");
  if (own_step_ && !loss.requires_grad() && !(replica_.trainable.weights().empty() && !replica_.tables())) {
    throw InvalidArgument(c10::str("minimize: the loss of model '", program_.network->name(),
                                   "' must depend on its weights, got one without a gradient"));
  }
  if (grouped() && (minimized_ || !weights.empty())) {
    throw InvalidArgument(c10::str("minimize: model '", program_.network->name(),
                                   "' must call it once a step and for all weights where gradients are accumulated"));
  }
  minimized_ = true;
  if (shared_.begins_group) replica_.zero_gradients();
  Tensor chosen;
  if (exchanges()) chosen = begin_exchange(selection(weights));
  backward(loss);
  if (shared_.ends_group) {
    make_update(chosen);
  } else if (exchanges()) {
    replica_.exchange->finish([](std::size_t) {});
  }
}

// `loss` is a mean over this replica's rows. Its gradient is weighed so that those of all replicas add up to the
// gradient of the mean over the batch; in a group of steps, and where it is not known who has the others, to that of
// the sum over the rows, which the update divides.
void ReplicaStep::backward(const Tensor& loss) {
  const bool sums = grouped() || shared_.unknown_rows;
  const double weight = sums ? static_cast<double>(own_.rows()) : alone() ? 1.0 : share();
  const double factor = weight * program_.optimizer->loss_scale(replica_.numbers);
  const bool known = computed_part_.defined() && loss.is_same(computed_);
  const Tensor weighed = known ? times(computed_part_, factor / share()) : times(loss, factor);
  if (weighed.requires_grad()) {
    auto* const gathered = replica_.gathered();
    gathered ? gathered->backward({weighed}) : weighed.backward();
  }
  sum_.order() = Tensor();
}

double ReplicaStep::update_scale() const {
  const auto rows = static_cast<double>(rows_of_update());
  if (rows == 0) return 1;  // of nobody's rows nothing is made
  if (grouped()) return 1 / rows;
  return by_hosts() ? static_cast<double>(shared_.rows) / rows : 1;
}

UpdateTerms ReplicaStep::terms() const {
  return {.rate = shared_.rate,
          .scale = update_scale(),
          .rows = grouped() ? replica_.rows_since_update : own_.rows(),
          .all_rows = shared_.unknown_rows ? 1
                      : grouped()          ? shared_.group_rows
                                           : shared_.rows};
}

void ReplicaStep::make_update(const Tensor& chosen) {
  if (announced() && own_.rows() > 0 && !alone()) announce(Collective::update);
  update_parameters(chosen);
  // A step of the model's own may compute with them again, for which they must be there.
  if (own_step_ && shared_.shares_parameters) communicator_.barrier();
}

void ReplicaStep::update_parameters(const Tensor& chosen) {
  if (shared_.where == UpdatePlace::servers || by_hosts()) {
    replica_.exchange->finish([](std::size_t) {});
    ++replica_.updates;
    return;
  }
  ReplicaUpdate update(program_, replica_, shared_.iteration + replica_.updates, shared_.rate, update_scale(), chosen);
  bool made = true;
  const auto* shards = replica_.shards ? &*replica_.shards : nullptr;
  if (alone()) {
    replica_.trainable.gather_gradients();
    made = update.update_whole(shards);
  } else {
    const bool here = shared_.where == UpdatePlace::first ? communicator_.rank() == 0 : replica_.leads;
    auto& exchange = *replica_.exchange;
    exchange.finish([&](std::size_t bucket) {
      if (!update.by_bucket()) return;
      if (here) update.update_bucket(bucket);
      hand_out(exchange.buckets()[bucket].begin, exchange.buckets()[bucket].end);
    });
    if (!update.by_bucket()) {
      if (here) made = update.update_whole(shards);
      hand_out(0, replica_.trainable.parameters().numel());
    }
    share_numbers(made);
  }
  if (made) ++replica_.updates;
  const bool first = communicator_.rank() == 0;
  if (first || replica_.shard) update.note(made, first, shards);
}

// What follows from gradients that only some replicas have whole.
void ReplicaStep::share_numbers(bool& made) {
  if (replica_.numbers.empty()) return;
  Tensor all = at::tensor(replica_.numbers, at::kDouble);
  all = at::cat({all, at::full({1}, made ? 1.0 : 0.0, at::kDouble)});
  communicator_.broadcast(all, 0);
  const auto* values = all.const_data_ptr<double>();
  std::copy(values, values + replica_.numbers.size(), replica_.numbers.begin());
  made = values[replica_.numbers.size()] > 0;
}

void ReplicaStep::hand_out(int64_t begin, int64_t end) {
  if (shared_.where != UpdatePlace::first) return;
  Tensor part = replica_.trainable.parameters().narrow(0, begin, end - begin);
  communicator_.broadcast(part, 0);
}

void ReplicaStep::update_metrics(const Tensors& y_pred) {
  if (y_pred.empty()) throw InvalidArgument("update_metrics: must get the model's outputs, got none");
  if (!shared_.observer) return;
  c10::NoGradGuard no_grad;
  Tensors logits;
  for (const auto& output : y_pred) logits.push_back(logits_.find(output));
  shared_.observer(communicator_.rank() - shared_.first_rank, own_, y_pred, logits);
}

void ReplicaStep::report(const std::string& name, const Tensor& value) {
  check_scalar(value, "report");
  replica_.figures.report(name, value, share());
}

}  // namespace tandem::distribute
