#include "tandem/distribution/pipeline_execution.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/distribution/slot_view.h"
#include "tandem/kernels/cpu_allocator.h"
#include "tandem/network/graph_within.h"

namespace tandem::distribute {

PipelineExecution::PipelineExecution(const Program& program, const PipelineSettings& settings,
                                     int64_t threads_per_device)
    : program_(program),
      plan_(plan_pipeline(*graph_within(*program.network), settings)),
      threads_per_device_(threads_per_device),
      group_(plan_.division.stages),
      trained_(program.network->trainable_weights()),
      threads_(plan_.division.stages, threads_per_device) {
  kernels::install_cpu_allocator();
  for (int64_t s = 0; s < plan_.division.stages; ++s)
    stages_.push_back(std::make_unique<PipelineStage>(program_, plan_, s, group_.rank(s)));
  ahead_ = true;  // than the masters' values, of which they know none yet
  load();
}

void PipelineExecution::run(const std::function<void(PipelineStage&)>& work) {
  bool broken = false;
  try {
    threads_.run([&](int64_t rank) { work(stage(rank)); },
                 [&](const std::string& message) {
                   broken = true;
                   group_.abort("another stage failed first: " + message);
                 });
  } catch (...) {
    if (broken) group_.reset();
    for (auto& stage : stages_) {
      stage->forget();
      stage->replica().rows_since_update = 0;
    }
    group_rows_ = 0;  // a group of steps that failed is left out
    throw;
  }
}

StepResult PipelineExecution::figures(int64_t rows) const {
  StepResult result{.rows = rows};
  for (const auto& stage : stages_) {
    result.loss += stage->loss();
    for (const auto& [name, value] : stage->reported()) result.reported[name] += value;
  }
  result.outputs = stages_.back()->losses_by_output();
  return result;
}

StepResult PipelineExecution::train_step(const data::Batch& batch, const TrainStep& train, const Observer& observer) {
  ahead_ = true;
  const bool begins = group_rows_ == 0;
  group_rows_ += batch.rows();
  const PipelineStep step{.random = train.random,
                          .iteration = iterations_,
                          .rate = train.rate,
                          .begins_group = begins,
                          .ends_group = train.update,
                          .group_rows = group_rows_};
  run([&](PipelineStage& stage) { stage.train(batch, step, observer); });
  ++steps_;
  if (train.update) end_group();
  return figures(batch.rows());
}

void PipelineExecution::finish_update(double rate) {
  if (group_rows_ == 0) return;
  const PipelineStep step{.iteration = iterations_, .rate = rate, .begins_group = false, .group_rows = group_rows_};
  run([&](PipelineStage& stage) {
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
  run([&](PipelineStage& stage) {
    const c10::NoGradGuard no_grad;
    stage.compute(batch, &observer);
  });
  return figures(batch.rows());
}

Tensors PipelineExecution::predict_step(const data::Batch& batch) {
  run([&](PipelineStage& stage) {
    const c10::NoGradGuard no_grad;
    stage.compute({batch.x, {}}, nullptr);
  });
  return stages_.back()->take_outputs();
}

void PipelineExecution::load() {
  ahead_ = false;
  const c10::NoGradGuard no_grad;
  for (auto& stage : stages_) {
    auto& replica = stage->replica();
    replica.trainable.load();
    for (const auto& w : replica.fixed) replica.own(w).copy_(w.variable().value);
  }
}

void PipelineExecution::store() {
  if (!ahead_) return;
  ahead_ = false;
  const c10::NoGradGuard no_grad;
  for (auto& stage : stages_) {
    auto& replica = stage->replica();
    replica.trainable.store();  // stages that share a weight have the same
    for (const auto& w : replica.fixed) w.variable().value.copy_(replica.own(w));
  }
}

std::pair<Replica*, std::size_t> PipelineExecution::home_of(std::size_t i) {
  auto& replica = stage(plan_.stages_of(trained_[i]).front()).replica();
  const auto& own = replica.trainable.weights();
  return {&replica, static_cast<std::size_t>(std::find(own.begin(), own.end(), trained_[i]) - own.begin())};
}

StateDict PipelineExecution::optimizer_state() {
  StateDict state;
  state.set("iterations", iterations_);
  state.set("steps", steps_);
  if (!program_.optimizer) return state;
  const auto& numbers = stages_.front()->replica().numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) state.set(c10::str("number/", i), numbers[i]);
  const auto names = program_.optimizer->slots();
  for (std::size_t s = 0; s < names.size(); ++s) {
    for (std::size_t i = 0; i < trained_.size(); ++i) {
      const auto [replica, own] = home_of(i);
      state.set(c10::str(names[s], "/", i),
                slot_view(*program_.optimizer, *replica, s, trained_[i], replica->trainable.places()[own].offset)
                    .clone(at::MemoryFormat::Contiguous));
    }
  }
  return state;
}

void PipelineExecution::set_optimizer_state(const StateDict& state) {
  iterations_ = state.integer("iterations");
  steps_ = state.contains("steps") ? state.integer("steps") : iterations_;
  const auto names = program_.optimizer->slots();
  for (auto& stage : stages_) {
    auto& replica = stage->replica();
    for (std::size_t i = 0; i < replica.numbers.size(); ++i) replica.numbers[i] = state.number(c10::str("number/", i));
    for (std::size_t i = 0; i < replica.trainable.weights().size(); ++i) {
      const auto number =
          std::find(trained_.begin(), trained_.end(), replica.trainable.weights()[i]) - trained_.begin();
      for (std::size_t s = 0; s < names.size(); ++s)
        slot_view(*program_.optimizer, replica, s, replica.trainable.weights()[i], replica.trainable.places()[i].offset)
            .copy_(state.tensor(c10::str(names[s], "/", number)));
    }
  }
}

std::vector<int64_t> PipelineExecution::division(int64_t rows) const {
  return std::vector<int64_t>(stages_.size(), rows);
}

std::vector<int64_t> PipelineExecution::rows_trained() const {
  std::vector<int64_t> rows;
  for (const auto& stage : stages_) rows.push_back(stage->replica().rows_trained);
  return rows;
}

int64_t PipelineExecution::bytes_sent(int64_t device) const { return stage(device).bytes_sent(); }

DeviceMemory PipelineExecution::memory(int64_t device) const {
  StorageBytes parameters, gradients, optimizer;
  stage(device).replica().add_memory(parameters, gradients, optimizer);
  return {parameters.bytes(), gradients.bytes(), optimizer.bytes()};
}

TimeShares PipelineExecution::time_shares(int64_t device) const {
  const auto& communicator = group_.rank(device);
  const double moving = communicator.seconds_moving();
  return {.compute = stage(device).seconds_computing(),
          .exchange = moving,
          .waiting = std::max(0.0, stage(device).seconds_receiving() - moving)};
}

void PipelineExecution::record_trace(bool on) {
  if (on) {
    traces_.clear();
    for (const auto& device : plan_.devices) traces_.emplace_back(device.to_string());
  }
  for (std::size_t s = 0; s < stages_.size(); ++s) stages_[s]->set_trace(on ? &traces_[s] : nullptr);
}

std::vector<TraceSpan> PipelineExecution::trace() const { return spans_of(traces_); }

}  // namespace tandem::distribute
