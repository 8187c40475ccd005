// Replicated: replicas as workers of parameter servers, in step with one another or each for itself.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <numeric>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/distribution/replicated.h"
#include "tandem/servers/watched_statistics.h"

namespace tandem::distribute {

void Replicated::load_servers(std::size_t r) {
  auto& exchange = served(r);
  if (!exchange.has_begun()) {
    exchange.begin_training();
    if (free()) exchange.rest();
  } else if (first_worker() + static_cast<int64_t>(r) == 0) {
    exchange.set_parameters();
  }
}

// Servers that were started again have other parameters than the masters, and a count of updates.
void Replicated::take_what_servers_saved() {
  auto& client = served(0).client();
  if (resumed_ || client.resumed() == 0) return;
  resumed_ = true;
  iterations_ = client.state().iterations;
  ahead_ = true;
  if (first_worker() == 0)
    log_info(c10::str("the servers go on from update ", client.resumed(), ", which they had saved"));
}

void Replicated::abort_served(const std::string& reason) {
  if (!how_.servers || !program_.optimizer) return;
  for (std::size_t r = 0; r < replicas_.size(); ++r) served(r).abort(reason);
}

StepResult Replicated::give_step(const data::Batch& batch, const TrainStep& train, const Observer& observer) {
  if (!train.update) {
    throw InvalidArgument(c10::str("ParameterServer: every step must make an update in mode ", how_.servers->mode(),
                                   ", where nobody waits for others; gradients must not be accumulated"));
  }
  unsettled_ = true;
  // Servers count the updates that a schedule goes by.
  const double rate = program_.optimizer->rate().is_schedule() ? -1 : train.rate;
  free_->give({batch, train.random, rate, &observer});
  ++steps_;
  return free_->take().value_or(StepResult{});
}

StepResult Replicated::make_free_step(int64_t rank, const FreeStep& step) {
  const auto r = static_cast<std::size_t>(rank);
  auto& replica = *replicas_[r];
  auto& exchange = served(r);
  const double start = steady_seconds(), exchanged = seconds_exchanging(rank);
  const Observer observer = [&](int64_t its, const data::Batch& rows, const Tensors& outputs, const Tensors& logits) {
    const std::shared_lock shared(observers_);
    (*step.observer)(its, rows, outputs, logits);
  };
  const SharedStep shared{.training = true,
                          .rows = step.batch.rows(),
                          .first_rank = -rank,  // it is the only one of its world
                          .active_ranks = 1,
                          .random = step.random,
                          .rate = step.rate,
                          .where = UpdatePlace::servers,
                          .group_rows = step.batch.rows(),
                          .observer = observer};
  try {
    if (exchange.rests()) exchange.pull();
    replica.count_rows(step.batch.rows());
    ReplicaStep(program_, replica, alone_[r]->rank(0), shared, replica.rows.bring(step.batch), 0).run();
    replica.figures.settle();
    if (crowd_) crowd_->done(step.batch.number);
  } catch (...) {
    exchange.give_up();
    throw;
  }
  replica.computing += steady_seconds() - start - (seconds_exchanging(rank) - exchanged);
  return {.loss = replica.figures.loss(),
          .outputs = replica.figures.by_output(),
          .reported = replica.figures.reported(),
          .rows = step.batch.rows()};
}

std::vector<StepResult> Replicated::finish_steps() {
  std::vector<StepResult> results;
  if (!free()) return results;
  free_->finish();
  while (auto result = free_->take()) results.push_back(std::move(*result));
  return results;
}

data::DealBatch Replicated::deal() {
  if (!crowd_) return {};
  return
      [this](int64_t pass, int64_t batches) { return crowd_->next_batch(pass, batches, [this] { free_->finish(); }); };
}

void Replicated::end_pass(int64_t pass) {
  if (!crowd_) {
    if (shown()) average_statistics();
    return show_statistics();
  }
  free_->finish();
  for (std::size_t r = 0; r < replicas_.size(); ++r) served(r).rest();
  ahead_ = unsettled_ = true;  // others have trained, even where this process has not
  if (!crowd_->stopped()) average_statistics_of_crowd(pass);
  show_statistics();
}

bool Replicated::shown() const {
  return how_.servers && how_.servers->elsewhere() && program_.optimizer && !statistics_.empty();
}

void Replicated::show_statistics() {
  if (!shown() || first_worker() != 0) return;
  std::vector<Tensor> values;
  for (const auto& w : statistics_) values.push_back(w.variable().value);
  const auto bytes = servers::encode_statistics(values);
  if (crowd_) return crowd_->say(servers::kStatisticsTopic, bytes);
  if (!desk_) desk_ = std::make_unique<servers::DeskClient>(how_.servers->client(0));
  desk_->say(servers::kStatisticsTopic, bytes);
}

// By the rows that each process has seen; so all of them go on alike.
void Replicated::average_statistics_of_crowd(int64_t pass) {
  int64_t rows = 0;
  for (const auto& replica : replicas_) rows += replica->rows_since_store;
  average_statistics();
  PeerMessage own;
  own.put(static_cast<double>(rows));
  for (const auto& w : statistics_) {
    const Tensor values = w.variable().value.to(at::kDouble).contiguous();
    own.put(std::vector<double>(values.const_data_ptr<double>(), values.const_data_ptr<double>() + values.numel()));
  }
  auto all = crowd_->gather(c10::str("statistics of pass ", pass), own);
  std::vector<double> weights;
  for (auto& message : all) weights.push_back(message.number());
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum == 0) return;
  const c10::NoGradGuard no_grad;
  for (const auto& w : statistics_) {
    Tensor mean = at::zeros_like(w.variable().value, at::kDouble).contiguous();
    for (std::size_t p = 0; p < all.size(); ++p)
      mean.add_(at::tensor(all[p].numbers(), at::kDouble).view(mean.sizes()), weights[p] / sum);
    w.variable().value.copy_(mean);
    for (std::size_t r = 0; r < replicas_.size(); ++r) set_own(r, w, w.variable().value);
  }
}

void Replicated::settle() {
  if (!free()) return;
  free_->finish();
  if (!std::exchange(unsettled_, false)) return;
  // What servers hold back for workers that compute is applied when none does; each answers after that.
  for (std::size_t r = 0; r < replicas_.size(); ++r) served(r).rest();
  int64_t updates = 0;
  for (std::size_t r = 0; r < replicas_.size(); ++r) updates = served(r).client().figures().front().updates;
  iterations_ += updates - std::exchange(updates_before_, updates);
  run([&](int64_t rank, Replica&) {
    auto& exchange = served(static_cast<std::size_t>(rank));
    exchange.pull();
    exchange.rest();
  });
}

std::vector<int64_t> Replicated::staleness() const {
  std::vector<int64_t> all;
  if (!how_.servers || !program_.optimizer) return all;
  for (const auto& one : served(0).client().figures()) {
    all.resize(std::max(all.size(), one.by_staleness.size()));
    for (std::size_t age = 0; age < one.by_staleness.size(); ++age) all[age] += one.by_staleness[age];
  }
  return all;
}

void Replicated::read_state_of_servers() {
  auto state = served(0).client().state();
  auto& front = *replicas_.front();
  front.slots = std::move(state.slots);
  front.numbers = std::move(state.numbers);
}

void Replicated::write_state_to_servers() {
  auto& front = *replicas_.front();
  if (first_worker() == 0) served(0).client().set_state({iterations_, front.numbers, front.slots});
  front.slots.clear();
}

}  // namespace tandem::distribute
