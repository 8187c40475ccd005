#include "tandem/distribution/pipeline_execution.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <numeric>

#include "tandem/comm/local_group.h"
#include "tandem/core/error.h"
#include "tandem/data/divide_rows.h"
#include "tandem/distribution/program_options.h"
#include "tandem/kernels/cpu_allocator.h"
#include "tandem/network/graph_within.h"

namespace tandem::distribute {
namespace {

// The other processes, which must have as many devices, the same program and the same options.
std::unique_ptr<Peers> peers_of(const Program& program, const PipelineSettings& settings) {
  if (!settings.processes) return nullptr;
  auto peers = std::make_unique<Peers>(settings.processes);
  auto options = program_options(program);
  options.add("data", settings.data);
  options.add("micro_batches", settings.micro_batches);
  options.add("schedule", settings.schedule);
  options.add("chunks", settings.chunks);
  options.add("boundaries", "'", c10::Join("', '", settings.boundaries), "'");
  options.add("recompute", settings.recompute ? "true" : "false");
  options.add("zero", settings.zero);
  check_alike(*peers, settings.who.c_str(), program, settings.devices.size(), options);
  return peers;
}

PipelinePlan plan_of(const Program& program, const PipelineSettings& settings, Peers* peers) {
  const auto& graph = *graph_within(*program.network);
  auto plan = plan_pipeline(graph, settings, peers);
  plan.counts_late = program.losses && (program.losses->has_mask() || has_masked_output(graph, plan));
  return plan;
}

std::unique_ptr<comm::RankGroup> group_of(const PipelineSettings& settings) {
  const int64_t ranks = settings.devices.size();
  if (settings.processes) return settings.processes->spread(ranks);
  return std::make_unique<comm::LocalGroup>(ranks);
}

}  // namespace

PipelineExecution::PipelineExecution(const Program& program, const PipelineSettings& settings)
    : program_(program),
      settings_(settings),
      peers_(peers_of(program, settings)),
      plan_(plan_of(program, settings, peers_.get())),
      group_(group_of(settings)),
      first_(group_->first()),
      masters_(program.network->weights()),
      trained_(program.network->trainable_weights()),
      threads_(settings.devices.size(), settings.threads_per_device) {
  kernels::install_cpu_allocator();
  ranks_.resize(static_cast<std::size_t>(settings.devices.size()));
  stages_.resize(ranks_.size());
  // Sub-groups are made together, and each stage's memory is first touched by the thread that will use it.
  threads_.run([&](int64_t device) {
    const auto d = static_cast<std::size_t>(device);
    settings_.memory.begin(first_ + device);
    ranks_[d] = std::make_unique<PipelineRank>(group_->rank(first_ + device), plan_.division.stages);
    stages_[d] = std::make_unique<PipelineStage>(program_, plan_, *ranks_[d], settings_,
                                                 seat(device).replica - last_stages_here().first);
  });
  load();
  if (peers_ && program_.optimizer) share_slots();
}

std::pair<int64_t, int64_t> PipelineExecution::replicas_here() const {
  return {seat(0).replica, seat(settings_.devices.size() - 1).replica + 1};
}

std::pair<int64_t, int64_t> PipelineExecution::last_stages_here() const {
  const int64_t stages = plan_.division.stages;
  return {first_ / stages, (first_ + settings_.devices.size()) / stages};
}

std::vector<int64_t> PipelineExecution::rows_by_replica(const data::Batch& batch) const {
  if (batch.division.empty()) return data::divide_rows(batch.all_rows(), settings_.data);
  if (static_cast<int64_t>(batch.division.size()) != settings_.data) {
    throw InvalidArgument(c10::str("fit: data by device must have a part for each of the ", settings_.data,
                                   " replicas of the pipeline, got ", batch.division.size()));
  }
  return batch.division;
}

std::vector<data::Batch> PipelineExecution::cut(const data::Batch& batch, const std::vector<int64_t>& rows) const {
  std::vector<int64_t> edge{0};
  for (const int64_t count : rows) edge.push_back(edge.back() + count);
  const auto [first, end] = replicas_here();
  const int64_t begin = edge[static_cast<std::size_t>(first)], behind = edge[static_cast<std::size_t>(end)];
  if (batch.rows() < batch.all_rows() && (batch.first_row != begin || batch.rows() != behind - begin)) {
    throw InternalError(c10::str("step: this process must be given rows ", begin, " to ", behind, " of the batch, got ",
                                 batch.rows(), " from ", batch.first_row));
  }
  std::vector<data::Batch> parts;
  for (int64_t d = 0; d < settings_.devices.size(); ++d) {
    const auto r = static_cast<std::size_t>(seat(d).replica);
    auto part = batch.slice(edge[r] - batch.first_row, edge[r + 1] - batch.first_row);
    part.first_row = edge[r];
    part.batch_rows = batch.all_rows();
    parts.push_back(std::move(part));
  }
  return parts;
}

void PipelineExecution::run(const std::function<void(int64_t, PipelineStage&)>& work) {
  bool broken = false;
  try {
    threads_.run(
        [&](int64_t device) {
          auto& stage = *stages_[static_cast<std::size_t>(device)];
          if (!settings_.within) return work(device, stage);
          settings_.within(device, [&] { work(device, stage); });
        },
        [&](const std::string& message) {
          broken = true;
          if (peers_) return part(c10::str("rank ", peers_->rank(), " failed in step ", steps_ + 1, ": ", message));
          group_->abort("another stage failed first: " + message);
        });
  } catch (...) {
    if (broken && !peers_) group_->reset();
    for (auto& stage : stages_) {
      stage->forget();
      stage->replica().rows_since_update = 0;
    }
    group_rows_ = 0;  // a group of steps that failed is left out
    throw;
  }
}

StepResult PipelineExecution::figures(int64_t rows) {
  std::vector<RankFigures> all;
  for (const auto& stage : stages_)
    all.push_back({stage->loss(), stage->losses_by_output(), stage->reported(), stage->replica().updates});
  if (peers_) {
    PeerMessage own;
    for (const auto& one : all) one.put(own);
    all.clear();
    for (auto& message : peers_->gather(own, figures_topic_)) {
      for (std::size_t d = 0; d < stages_.size(); ++d) all.push_back(RankFigures::take(message));
    }
  }
  StepResult result{.rows = rows};
  for (const auto& one : all) {
    result.loss += one.loss;
    if (result.outputs.size() < one.outputs.size()) result.outputs.resize(one.outputs.size());
    for (std::size_t i = 0; i < one.outputs.size(); ++i) result.outputs[i] += one.outputs[i];
    for (const auto& [name, value] : one.reported) result.reported[name] += value;
  }
  return result;
}

StepResult PipelineExecution::train_step(const data::Batch& batch, const TrainStep& train, const Observer& observer) {
  ahead_ = true;
  const bool begins = group_rows_ == 0;
  group_rows_ += batch.all_rows();
  const PipelineStep step{.random = train.random,
                          .iteration = iterations_,
                          .rate = train.rate,
                          .begins_group = begins,
                          .ends_group = train.update,
                          .group_rows = group_rows_,
                          .rows = rows_by_replica(batch)};
  const auto parts = cut(batch, step.rows);
  run([&](int64_t device, PipelineStage& stage) {
    stage.train(parts[static_cast<std::size_t>(device)], step, observer);
  });
  if (peers_) {  // each row is counted where its replica ends
    const auto [first, end] = last_stages_here();
    const auto before = step.rows.begin() + first, behind = step.rows.begin() + end;
    const int64_t begin = std::accumulate(step.rows.begin(), before, int64_t{0});
    receipt_.add(begin, std::accumulate(before, behind, begin), batch.all_rows());
  }
  ++steps_;
  if (train.update) end_group();
  return figures(batch.all_rows());
}

void PipelineExecution::finish_update(double rate) {
  if (group_rows_ == 0) return;
  const PipelineStep step{.iteration = iterations_, .rate = rate, .begins_group = false, .group_rows = group_rows_};
  run([&](int64_t, PipelineStage& stage) {
    stage.replica().begin_step();
    stage.finish_group(step);
  });
  end_group();
}

void PipelineExecution::end_group() {
  group_rows_ = 0;
  iterations_ += stages_.front()->replica().updates;
}

StepResult PipelineExecution::test_step(const data::Batch& batch, const Observer& observer) {
  const auto rows = rows_by_replica(batch);
  const auto parts = cut(batch, rows);
  run([&](int64_t device, PipelineStage& stage) {
    const c10::NoGradGuard no_grad;
    stage.compute(parts[static_cast<std::size_t>(device)], rows, &observer);
  });
  return figures(batch.all_rows());
}

}  // namespace tandem::distribute
