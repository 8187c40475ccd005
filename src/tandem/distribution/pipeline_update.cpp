// A stage of a pipeline: gradients and statistics of the whole batch, and the update.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "tandem/core/steady_seconds.h"
#include "tandem/distribution/pipeline_stage.h"
#include "tandem/distribution/replica_update.h"

namespace tandem::distribute {

// Each weight's once, whoever has it.
void PipelineStage::add_penalty(const Pass& pass) {
  if (penalised_.empty()) return;
  const c10::AutoGradMode gradients(pass.training);
  auto* const gathered = replica_.gathered();
  if (gathered) gathered->begin_part(ways_.replicas());
  for (const auto& w : penalised_) {
    if (gathered) gathered->call_begins();
    const Tensor penalty = (*w.variable().regularizer)(w.value());
    if (gathered) gathered->call_ends({penalty});
    loss_ += penalty.item<double>() * penalty_share_;
    if (!pass.training) continue;
    const Tensor part = penalty * (pass.factor * penalty_share_);
    gathered ? gathered->backward({part}) : part.backward();
  }
  if (gathered) gathered->end_part();
}

void PipelineStage::finish_group(const PipelineStep& step) {
  const double start = steady_seconds(), away_before = seconds_away();
  if (exchange_) {
    exchange_->finish();
  } else {
    replica_.trainable.gather_gradients();
  }
  add_up_tied();
  ReplicaUpdate update(program_, replica_, step.iteration, step.rate,
                       step.grouped() ? 1 / static_cast<double>(step.group_rows) : 1, {});
  const auto* shards = has_all_gradients() ? nullptr : &shards_;
  const bool made = update.update_whole(shards);
  if (made) ++replica_.updates;
  update.note(made, !ways_.data() || ways_.data()->rank() == 0, shards);
  computing_ += steady_seconds() - start - (seconds_away() - away_before);
}

// The first replica with rows brings together what all have seen, and gives the averages out.
void PipelineStage::apply_statistics(const std::vector<int64_t>& rows) {
  auto* replicas = ways_.data();
  if (!replicas || moving_.empty()) return statistics_.apply();
  const auto has_rows = [&](int64_t r) { return rows[static_cast<std::size_t>(r)] > 0; };
  int64_t first = 0;
  while (!has_rows(first)) ++first;
  const Tensor own = statistics_.pack();
  if (replicas->rank() == first) {
    Tensor its = at::empty_like(own);
    for (int64_t r = first + 1; r < replicas->world_size() && own.numel() > 0; ++r) {
      if (!has_rows(r)) continue;
      replicas->recv(its, r, 0);
      statistics_.add(its);
    }
    statistics_.apply();
  } else if (own.numel() > 0) {
    replicas->send(own, first, 0);
    statistics_ = {};
  }
  for (const auto& w : moving_) replicas->broadcast(replica_.own(w), first);
}

// The stages that have a weight each make the same update of it.
void PipelineStage::add_up_tied() {
  const auto* const parts = replica_.shard && replica_.shard->stage() > 1 ? replica_.shard.get() : nullptr;
  for (const auto& [weight, number, stages] : tied_) {
    Tensor gradient = parts ? parts->whole(replica_.shard->gradients(), weight)
                            : replica_.trainable.view(replica_.trainable.gradients(), weight);
    // Behind the tags of a step's values.
    const int64_t tag = tag_of(plan_.cut.values, 0, 0, false) + number;
    if (stages.front() != stage_) {
      link_.send(gradient, stages.front(), tag);
      gradient.copy_(link_.receive(stages.front(), tag).tensor);
    } else {
      for (std::size_t k = 1; k < stages.size(); ++k) gradient.add_(link_.receive(stages[k], tag).tensor);
      for (std::size_t k = 1; k < stages.size(); ++k) link_.send(gradient, stages[k], tag);
    }
    if (parts) parts->take(replica_.shard->gradients(), weight, gradient);
  }
}

}  // namespace tandem::distribute
