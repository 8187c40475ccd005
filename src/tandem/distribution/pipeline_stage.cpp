// A stage of a pipeline: its weights, and the order of a step.
#include "tandem/distribution/pipeline_stage.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "tandem/distribution/stage_exchange.h"
#include "tandem/distribution/stage_shards.h"
#include "tandem/network/graph_within.h"
#include "tandem/schedule/catalog.h"

namespace tandem::distribute {
namespace {

// Those of `own` that are trained, or the others, in the model's order.
std::vector<Weight> trained_of(const Network& network, const std::vector<Weight>& own, bool trained) {
  std::vector<Weight> chosen;
  for (const auto& w : trained ? network.trainable_weights() : network.non_trainable_weights()) {
    if (std::find(own.begin(), own.end(), w) != own.end()) chosen.push_back(w);
  }
  return chosen;
}

Replica::Weights weights_of(const Network& network, const PipelinePlan& plan, int64_t stage) {
  const auto& own = plan.weights[static_cast<std::size_t>(stage)];
  return {.trained = trained_of(network, own, true), .fixed = trained_of(network, own, false), .tables = {}};
}

// Of the trained weights in memory: as their gradients become complete, later chunks' and later layers' first.
std::vector<std::size_t> order_of(const Network& network, const PipelinePlan& plan, int64_t stage) {
  const auto own = trained_of(network, plan.weights[static_cast<std::size_t>(stage)], true);
  std::vector<std::size_t> order(own.size());
  std::iota(order.rbegin(), order.rend(), 0);
  const auto chunk = [&](std::size_t i) { return plan.first_chunk_of(own[i], stage); };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return chunk(a) > chunk(b); });
  return order;
}

Sharding sharding_of(const PipelineSettings& settings, const PipelineRank& ways) {
  return {ways.replicas() > 1 ? settings.zero : 0, ways.replicas()};
}

}  // namespace

PipelineStage::PipelineStage(const Program& program, const PipelinePlan& plan, PipelineRank& ways,
                             const PipelineSettings& settings, int64_t shown_as)
    : program_(program),
      plan_(plan),
      stage_(ways.seat().stage),
      list_(schedule::schedule_by_name(plan.counts_late ? "gpipe" : plan.schedule)(stage_, plan.division)),
      ways_(ways),
      shown_as_(shown_as),
      link_(ways.pipe()),
      replica_(weights_of(*program.network, plan, stage_), order_of(*program.network, plan, stage_), nullptr, c10::kCPU,
               sharding_of(settings, ways).memory()) {
  if (const auto sharding = sharding_of(settings, ways); sharding.stage > 0) {
    replica_.divide(sharding, *ways.data(), make_buckets(replica_.trainable, settings.bucket_bytes), c10::kCPU);
    penalty_share_ = replica_.gathered() ? 1 / static_cast<double>(sharding.ranks) : 1;
  }
  replica_.join(program, nullptr, true);
  if (settings.shards) shards_ = settings.shards(replica_);
  shards_.sum = [this, of_parts = shards_.sum](double own) {
    Tensor sum = at::full({1}, of_parts ? of_parts(own) : own, at::kDouble);
    if (plan_.division.stages > 1) ways_.pipe().all_reduce(sum, {.what = "a sum over the stages"});
    return sum.item<double>();
  };
  shards_.leads = shards_.leads && stage_ == 0;
  const auto counted_elsewhere = [this](const FlatPlace& place) {
    const auto& known = shards_.counted_elsewhere;
    return std::any_of(known.begin(), known.end(), [&](const FlatPlace& one) { return one.offset == place.offset; });
  };
  const auto all = program.network->trainable_weights();
  const auto& own = replica_.trainable.weights();
  std::vector<int64_t> chunks;
  for (std::size_t i = 0; i < own.size(); ++i) {
    chunks.push_back(plan.first_chunk_of(own[i], stage_));
    const auto stages = plan.stages_of(own[i]);
    if (stages.front() != stage_) {
      const auto& place = replica_.trainable.places()[i];
      if (!counted_elsewhere(place)) shards_.counted_elsewhere.push_back(place);
    } else if ((ways.seat().replica == 0 || replica_.gathered()) && own[i].variable().regularizer) {
      penalised_.push_back(own[i]);
    }
    const auto number = std::find(all.begin(), all.end(), own[i]) - all.begin();
    if (stages.size() > 1) tied_.push_back({i, number, stages});
  }
  for (const auto& w : replica_.fixed) {
    if (!w.trainable()) moving_.push_back(w);
  }
  if (!ways.data()) return;
  if (replica_.shard && replica_.shard->stage() > 1) {
    exchange_ =
        std::make_unique<StageShards>(replica_.trainable, *replica_.shard, chunks, *ways.data(), settings.bucket_bytes);
  } else {
    exchange_ =
        std::make_unique<StageExchange>(replica_.trainable, std::move(chunks), *ways.data(), settings.bucket_bytes);
  }
}

void PipelineStage::forget() {
  runs_.clear();
  values_.clear();
  gradients_.clear();
  sums_.clear();
  statistics_ = {};
  if (exchange_) exchange_->reset();
}

void PipelineStage::begin(const data::Batch& batch, const std::vector<int64_t>& rows_by_replica) {
  forget();
  rows_by_replica_ = rows_by_replica;
  replica_.begin_step();
  if (auto* gathered = replica_.gathered()) gathered->begin();
  data::Batch converted = batch;
  if (batch.rows() > 0) {
    converted.x = program_.network->as_inputs(batch.x);
    const Graph& graph = *graph_within(*program_.network);
    graph.check_inputs(converted.x);
    for (int64_t i = 0; i < converted.x.size(); ++i)  // to the Inputs' types
      converted.x[i] = graph.inputs()[i].node()->layer->call(converted.x[i], {});
  }
  micro_ = MicroBatches(converted, plan_.division.micro_batches);
  outputs_by_micro_batch_.assign(static_cast<std::size_t>(micro_.count()), {});
  counts_.assign(program_.losses ? program_.losses->size() : 0, 0);
  counts_settled_ = false;
  loss_ = 0;
  by_output_.clear();
  reported_.clear();
}

void PipelineStage::train(const data::Batch& rows, const PipelineStep& step, const Observer& observer) {
  begin(rows, step.rows);
  replica_.count_rows(rows.rows());
  if (step.begins_group) replica_.zero_gradients();
  const Pass pass{.training = true,
                  .random = step.random,
                  .factor = program_.optimizer->loss_scale(replica_.numbers) *
                            (step.grouped() ? static_cast<double>(rows.all_rows()) : 1.0),
                  .observer = &observer};
  const WeightScope weights(replica_.map, replica_.absent());
  add_penalty(pass);
  const auto has_rows = [this](const schedule::Instruction& line) {
    return line.micro_batch < 0 || micro_.rows(line.micro_batch) > 0;
  };
  std::vector<const schedule::Instruction*> last(static_cast<std::size_t>(plan_.division.chunks));  // backward
  for (const auto& line : list_) {
    if (line.action == schedule::Action::backward && has_rows(line)) last[static_cast<std::size_t>(line.chunk)] = &line;
  }
  for (const auto& line : list_) {
    const bool computes = has_rows(line);
    if (!computes && computing(line.micro_batch) == 0) continue;
    const bool goes_back = exchange_ && line.action == schedule::Action::backward;
    if (goes_back)
      exchange_->backward_begins(line.chunk, step.ends_group && &line == last[static_cast<std::size_t>(line.chunk)]);
    if (computes) make(line, pass, step);
    if (goes_back) exchange_->backward_ended(line.chunk);
    if (!computes) follow(line);  // the others wait for its gradients while they bring weights
  }
  if (exchange_) exchange_->end_step();
  if (auto* gathered = replica_.gathered()) gathered->end();
  apply_statistics(step.rows);
}

int64_t PipelineStage::computing(int64_t micro_batch) const {
  return std::count_if(rows_by_replica_.begin(), rows_by_replica_.end(),
                       [&](int64_t rows) { return rows > micro_batch; });  // the first ones have more
}

void PipelineStage::with_weights(int64_t micro_batch, const std::function<void()>& work) {
  auto* const gathered = replica_.gathered();
  if (!gathered) return work();
  gathered->begin_part(computing(micro_batch));
  work();
  gathered->end_part();
}

void PipelineStage::follow(const schedule::Instruction& line) {
  using schedule::Action;
  if (line.action != Action::forward && line.action != Action::backward) return;
  if (line.action == Action::backward && is_last(part_of(line.chunk)) && plan_.counts_late) settle_counts();
  if (auto* gathered = replica_.gathered()) gathered->follow_part(computing(line.micro_batch));
}

void PipelineStage::make(const schedule::Instruction& line, const Pass& pass, const PipelineStep& step) {
  using schedule::Action;
  const auto part = part_of(line.chunk);
  const int64_t m = line.micro_batch;
  switch (line.action) {
    case Action::receive_activation:
      return receive_activations(part, m);
    case Action::forward:
      return with_weights(m, [&] { forward(pass, part, m); });
    case Action::send_activation:
      return send_activations(part, m);
    case Action::receive_gradient:
      return receive_gradients(part, m);
    case Action::backward:
      return with_weights(m, [&] { backward(pass, part, m); });
    case Action::send_gradient:
      return send_gradients(part, m);
    case Action::exchange:
      if (exchange_ && step.ends_group) exchange_->start(line.chunk);
      return;
    case Action::update:
      if (step.ends_group) finish_group(step);
      return;
  }
}

void PipelineStage::compute(const data::Batch& rows, const std::vector<int64_t>& rows_by_replica,
                            const Observer* observer) {
  begin(rows, rows_by_replica);
  const Pass pass{.observer = observer};
  const WeightScope weights(replica_.map, replica_.absent());
  if (observer) add_penalty(pass);
  for (int64_t chunk = 0; chunk < plan_.division.chunks; ++chunk) {
    const auto part = part_of(chunk);
    for (int64_t m = 0; m < micro_.count() && computing(m) > 0; ++m) {
      if (micro_.rows(m) == 0) {
        follow({.action = schedule::Action::forward, .micro_batch = m, .chunk = chunk});
        continue;
      }
      receive_activations(part, m);
      with_weights(m, [&] { forward(pass, part, m); });
      if (!is_last(part)) send_activations(part, m);
      runs_.erase({part, m});
    }
  }
  if (auto* gathered = replica_.gathered()) gathered->end();
  if (!observer || !has_last() || !plan_.counts_late) return;
  settle_counts();
  for (const auto& [m, sums] : sums_) take_loss(sums, counts_);
}

}  // namespace tandem::distribute
