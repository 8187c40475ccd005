// A stage of a pipeline: its weights, and the order of a step.
#include "tandem/distribution/pipeline_stage.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/distribution/replica_update.h"
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

}  // namespace

PipelineStage::PipelineStage(const Program& program, const PipelinePlan& plan, int64_t stage,
                             comm::Communicator& communicator)
    : program_(program),
      plan_(plan),
      stage_(stage),
      list_(schedule::schedule_by_name(plan.schedule)(stage, plan.division)),
      communicator_(communicator),
      link_(communicator),
      replica_({.trained = trained_of(*program.network, plan.weights[static_cast<std::size_t>(stage)], true),
                .fixed = trained_of(*program.network, plan.weights[static_cast<std::size_t>(stage)], false),
                .tables = {}},
               {}, nullptr, c10::kCPU) {
  replica_.join(program, nullptr, true);
  shards_.sum = [this](double own) {
    Tensor sum = at::full({1}, own, at::kDouble);
    communicator_.all_reduce(sum);
    return sum.item<double>();
  };
  const auto all = program.network->trainable_weights();
  const auto& own = replica_.trainable.weights();
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto stages = plan.stages_of(own[i]);
    if (stages.front() == stage) {
      if (own[i].variable().regularizer) penalised_.push_back(own[i]);
    } else {
      shards_.counted_elsewhere.push_back(replica_.trainable.places()[i]);
    }
    const auto number = std::find(all.begin(), all.end(), own[i]) - all.begin();
    if (stages.size() > 1) tied_.push_back({i, number, stages});
  }
}

void PipelineStage::forget() {
  runs_.clear();
  values_.clear();
  gradients_.clear();
  statistics_ = {};
}

void PipelineStage::begin(const data::Batch& batch) {
  forget();
  replica_.begin_step();
  data::Batch converted = batch;
  converted.x = program_.network->as_inputs(batch.x);
  const Graph& graph = *graph_within(*program_.network);
  for (int64_t i = 0; i < converted.x.size(); ++i)  // to the Inputs' types
    converted.x[i] = graph.inputs()[i].node()->layer->call(converted.x[i], {});
  micro_ = MicroBatches(converted, plan_.division.micro_batches);
  outputs_by_micro_batch_.assign(static_cast<std::size_t>(micro_.count()), {});
  loss_ = 0;
  by_output_.clear();
  reported_.clear();
}

void PipelineStage::train(const data::Batch& batch, const PipelineStep& step, const Observer& observer) {
  begin(batch);
  replica_.count_rows(batch.rows());
  if (step.begins_group) replica_.trainable.zero_gradients();
  const Pass pass{.training = true,
                  .random = step.random,
                  .factor = program_.optimizer->loss_scale(replica_.numbers) *
                            (step.grouped() ? static_cast<double>(batch.rows()) : 1.0),
                  .observer = &observer};
  const WeightScope weights(replica_.map);
  add_penalty(pass);
  for (const auto& line : list_) {
    if (line.micro_batch < 0 || micro_.rows(line.micro_batch) > 0) make(line, pass, step);
  }
  statistics_.apply();
}

void PipelineStage::make(const schedule::Instruction& line, const Pass& pass, const PipelineStep& step) {
  using schedule::Action;
  const auto part = part_of(line.chunk);
  const int64_t m = line.micro_batch;
  switch (line.action) {
    case Action::receive_activation:
      return receive_activations(part, m);
    case Action::forward:
      return forward(pass, part, m);
    case Action::send_activation:
      return send_activations(part, m);
    case Action::receive_gradient:
      return receive_gradients(part, m);
    case Action::backward:
      return backward(pass, part, m);
    case Action::send_gradient:
      return send_gradients(part, m);
    case Action::exchange:
      return;  // one pipeline alone has nobody to add up with
    case Action::update:
      if (step.ends_group) finish_group(step);
      return;
  }
}

void PipelineStage::compute(const data::Batch& batch, const Observer* observer) {
  begin(batch);
  const Pass pass{.observer = observer};
  const WeightScope weights(replica_.map);
  if (observer) add_penalty(pass);
  for (int64_t chunk = 0; chunk < plan_.division.chunks; ++chunk) {
    const auto part = part_of(chunk);
    for (int64_t m = 0; m < micro_.count(); ++m) {
      if (micro_.rows(m) == 0) continue;
      receive_activations(part, m);
      forward(pass, part, m);
      if (!is_last(part)) send_activations(part, m);
      runs_.erase({part, m});
    }
  }
}

// Each weight's once, whoever has it.
void PipelineStage::add_penalty(const Pass& pass) {
  const c10::AutoGradMode gradients(pass.training);
  for (const auto& w : penalised_) {
    const Tensor penalty = (*w.variable().regularizer)(w.value());
    loss_ += penalty.item<double>();
    if (pass.training) (penalty * pass.factor).backward();
  }
}

void PipelineStage::finish_group(const PipelineStep& step) {
  const double start = steady_seconds();
  replica_.trainable.gather_gradients();
  add_up_tied();
  ReplicaUpdate update(program_, replica_, step.iteration, step.rate,
                       step.grouped() ? 1 / static_cast<double>(step.group_rows) : 1, {});
  if (update.update_whole(plan_.division.stages > 1 ? &shards_ : nullptr)) ++replica_.updates;
  computing_ += steady_seconds() - start;
}

// The stages that have a weight each make the same update of it.
void PipelineStage::add_up_tied() {
  for (const auto& [weight, number, stages] : tied_) {
    Tensor gradient = replica_.trainable.view(replica_.trainable.gradients(), weight);
    // Behind the tags of a step's values.
    const int64_t tag = tag_of(plan_.cut.values, 0, 0, false) + number;
    if (stages.front() != stage_) {
      link_.send(gradient, stages.front(), tag);
      gradient.copy_(link_.receive(stages.front(), tag).tensor);
      continue;
    }
    for (std::size_t k = 1; k < stages.size(); ++k) gradient.add_(link_.receive(stages[k], tag).tensor);
    for (std::size_t k = 1; k < stages.size(); ++k) link_.send(gradient, stages[k], tag);
  }
}

Tensors PipelineStage::take_outputs() {
  Tensors joined;
  std::vector<Tensors> pieces;
  for (auto& piece : outputs_by_micro_batch_) {
    if (!piece.empty()) pieces.push_back(std::move(piece));
  }
  outputs_by_micro_batch_.clear();
  if (pieces.empty()) return joined;
  for (int64_t i = 0; i < pieces.front().size(); ++i) {
    std::vector<Tensor> rows;
    for (const auto& piece : pieces) rows.push_back(piece[i]);
    joined.push_back(rows.size() == 1 ? rows.front() : at::cat(rows));
  }
  return joined;
}

}  // namespace tandem::distribute
