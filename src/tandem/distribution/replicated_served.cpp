// Replicated: replicas as workers of parameter servers, in step with one another or each for itself.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <numeric>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/data/divide_rows.h"
#include "tandem/distribution/replicated.h"
#include "tandem/servers/watched_statistics.h"

namespace tandem::distribute {
namespace {

// As one step's of the rows of both.
StepResult joined(const StepResult& a, const StepResult& b) {
  if (a.rows == 0) return b;
  StepResult both{.outputs = b.outputs, .reported = b.reported, .rows = a.rows + b.rows};
  const double share = static_cast<double>(a.rows) / static_cast<double>(both.rows);
  const auto mean = [&](double of_a, double of_b) { return share * of_a + (1 - share) * of_b; };
  both.loss = mean(a.loss, b.loss);
  for (std::size_t i = 0; i < both.outputs.size(); ++i) both.outputs[i] = mean(a.outputs[i], b.outputs[i]);
  for (auto& [name, value] : both.reported) {
    if (const auto found = a.reported.find(name); found != a.reported.end()) value = mean(found->second, value);
  }
  return both;
}

}  // namespace

void Replicated::load_servers(std::size_t r) {
  auto& exchange = served(r);
  if (!exchange.has_begun()) {
    exchange.begin_training();
    // Others may have trained, or servers have gone on from what they had saved.
    if (r == 0) tables_ahead_ = first_worker() > 0 || exchange.client().resumed() > 0;
    if (free()) exchange.rest();
  } else if (how_.servers->leads(first_worker() + static_cast<int64_t>(r))) {
    exchange.set_parameters();
    tables_ahead_ = false;
  }
}

void Replicated::bring_tables() {
  if (weights_.tables.empty() || !tables_ahead_ || !served(0).has_begun()) return;
  run([&](int64_t rank, Replica&) {
    if (rank == 0) served(0).pull_tables();
  });
  tables_ahead_ = false;
  for (std::size_t i = 0; i < masters_.size() && i < loaded_versions_.size(); ++i) {
    const auto& tables = weights_.tables;
    if (std::find(tables.begin(), tables.end(), masters_[i]) != tables.end())
      loaded_versions_[i] = masters_[i].variable().value._version();
  }
}

// Servers that were started again have other parameters than the masters, and a count of updates.
void Replicated::take_what_servers_saved() {
  auto& client = served(0).client();
  if (resumed_ || client.resumed() == 0) return;
  resumed_ = true;
  iterations_ = client.state().iterations;
  updates_before_ = client.figures().front().updates;
  ahead_ = true;
  if (first_worker() == 0) log_info(c10::str("the servers go on from update ", client.resumed()));
}

void Replicated::abort_served(const std::string& reason) {
  if (!how_.servers) return;
  for (std::size_t r = 0; r < replicas_.size(); ++r) served(r).abort(reason);
}

StepResult Replicated::give_step(const data::Batch& batch, const TrainStep& train, const Observer& observer) {
  unsettled_ = tables_ahead_ = true;
  if (std::exchange(round_ended_, false) && how_.servers->has_backups() && !crowd_) ++round_;
  // Servers count the updates that a schedule goes by.
  const double rate = program_.optimizer->rate().is_schedule() ? -1 : train.rate;
  StepResult ended;
  for (const auto& part : cut(batch)) {
    free_->give({part, train.random, rate, &observer});
    if (const auto one = free_->take()) ended = joined(ended, *one);
  }
  ++steps_;
  return ended;
}

std::vector<data::Batch> Replicated::cut(const data::Batch& batch) {
  if (batch.rows() < batch.all_rows() || parts_of_batch() == 1) {  // it is a part already
    if (batch.rows() > 0) return {batch};
    if (crowd_) crowd_->done(batch.number);
    return {};
  }
  std::vector<data::Batch> parts;
  int64_t begin = 0;
  for (const auto rows : data::divide_rows(batch.rows(), parts_of_batch())) {
    if (rows == 0) break;
    auto& part = parts.emplace_back(batch.slice(begin, begin + rows));
    part.first_row = begin;
    part.batch_rows = batch.rows();
    part.number = batch.number;
    begin += rows;
  }
  return parts;
}

void Replicated::end_steps() {
  round_ended_ = true;
  free_->finish();
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
                          .unknown_rows = how_.servers->has_backups(),
                          .observer = observer};
  try {
    if (exchange.rests()) exchange.pull(round_);
    replica.count_rows(step.batch.rows());
    ReplicaStep(program_, replica, alone_[r]->rank(0), shared, replica.rows.bring(step.batch), step.batch.first_row)
        .run();
    replica.figures.settle();
    if (step.batch.number >= 0) crowd_->done(step.batch.number);
  } catch (...) {
    exchange.give_up();
    exchange.rest(round_);
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
  end_steps();
  while (auto result = free_->take()) results.push_back(std::move(*result));
  return results;
}

// No replica is in a step.
void Replicated::begin_pass(int64_t pass) {
  if (how_.servers && how_.servers->has_backups()) round_ = pass + 1;
}

bool Replicated::servers_stop() const {
  if (!how_.servers) return false;
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    if (served(r).client().servers_stop()) return true;
  }
  return false;
}

data::DealBatch Replicated::deal(bool in_parts) {
  if (!crowd_) return {};
  return [this, parts = in_parts ? parts_of_batch() : 1](int64_t pass,
                                                         int64_t batches) -> std::optional<data::DealtBatch> {
    free_->await_room();  // what waits here others might make
    if (servers_stop()) crowd_->stop();
    const auto number = crowd_->next_batch(pass, batches * parts, [this] { end_steps(); });
    if (!number) return {};
    if (parts == 1) return data::DealtBatch{.number = *number, .batch = *number};
    return data::DealtBatch{
        .number = *number, .batch = *number / parts, .rows = [part = *number % parts, parts](int64_t rows) {
          const auto counts = data::divide_rows(rows, parts);
          const auto begin = std::accumulate(counts.begin(), counts.begin() + part, int64_t{0});
          return std::pair(begin, begin + counts[static_cast<std::size_t>(part)]);
        }};
  };
}

void Replicated::end_pass(int64_t pass) {
  if (!crowd_) {
    if (shown()) average_statistics();
    return show_statistics();
  }
  end_steps();
  for (std::size_t r = 0; r < replicas_.size(); ++r) served(r).rest();
  ahead_ = unsettled_ = tables_ahead_ = true;  // others have trained, even where this process has not
  const bool stopped = crowd_->stopped();
  if (!stopped) average_statistics_of_crowd(pass);
  show_statistics();
  if (!per_host() || stopped) return;
  PeerMessage begun;
  begun.put(static_cast<double>(rounds_begun()));
  int64_t last = 0;
  for (auto& its : crowd_->gather(c10::str("rounds of pass ", pass), begun)) last = std::max(last, its.integer());
  served(0).average(last + 1);
}

bool Replicated::shown() const { return how_.servers && how_.servers->elsewhere() && !statistics_.empty(); }

void Replicated::show_statistics() {
  if (!shown() || first_worker() != 0) return;
  std::vector<Tensor> values;
  for (const auto& w : statistics_) values.push_back(w.variable().value);
  const auto bytes = servers::encode_statistics(values);
  if (crowd_) return crowd_->say(servers::kStatisticsTopic, bytes);
  if (!desk_) desk_ = std::make_unique<servers::DeskClient>(how_.servers->desk(0));
  desk_->say(servers::kStatisticsTopic, bytes);
}

// By the rows that each process has seen; so all of them go on alike.
void Replicated::average_statistics_of_crowd(int64_t pass) {
  int64_t rows = 0;
  for (const auto& replica : replicas_) rows += replica->rows_since_store;
  average_statistics();
  PeerMessage own;
  own.put(static_cast<double>(rows));
  for (const auto& w : statistics_) own.put(w.variable().value);
  auto all = crowd_->gather(c10::str("statistics of pass ", pass), own);
  std::vector<double> weights;
  for (auto& message : all) weights.push_back(message.number());
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum == 0) return;
  const c10::NoGradGuard no_grad;
  for (const auto& w : statistics_) {
    Tensor mean = at::zeros_like(w.variable().value, at::kDouble).contiguous();
    for (std::size_t p = 0; p < all.size(); ++p) mean.add_(all[p].tensor(), weights[p] / sum);
    w.variable().value.copy_(mean);
    for (std::size_t r = 0; r < replicas_.size(); ++r) set_own(r, w, w.variable().value);
  }
}

void Replicated::settle() {
  if (!free()) return;
  end_steps();
  if (!std::exchange(unsettled_, false)) return;
  // What servers hold back for workers that compute is applied when none does; each answers after that.
  for (std::size_t r = 0; r < replicas_.size(); ++r) served(r).rest();
  if (per_host() && !crowd_) average_servers();
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
  for (const auto& one : server_figures()) {
    all.resize(std::max(all.size(), one.by_staleness.size()));
    for (std::size_t age = 0; age < one.by_staleness.size(); ++age) all[age] += one.by_staleness[age];
  }
  return all;
}

std::vector<int64_t> Replicated::dropped_rows() const {
  std::vector<int64_t> rows;
  if (!how_.servers || !how_.servers->has_backups()) return rows;
  for (const auto& one : served(0).client().figures()) rows.push_back(one.dropped_rows);
  return rows;
}

void Replicated::read_state_of_servers() {
  auto state = served(0).client().state();
  auto& front = *replicas_.front();
  front.slots = std::move(state.slots);
  front.numbers = std::move(state.numbers);
}

void Replicated::write_state_to_servers() {
  auto& front = *replicas_.front();
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    if (how_.servers->leads(first_worker() + static_cast<int64_t>(r)))
      served(r).client().set_state({iterations_, front.numbers, front.slots});
  }
  front.slots.clear();
}

}  // namespace tandem::distribute
