#include "tandem/distribution/replicated.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/data/divide_rows.h"

namespace tandem::distribute {
namespace {

// While alive, this rank may compute.
class Turn {
 public:
  explicit Turn(comm::Turns* turns) : turns_(turns) {
    if (turns_) turns_->acquire();
  }
  ~Turn() {
    if (turns_) turns_->release();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  comm::Turns* turns_;
};

}  // namespace

std::vector<int64_t> Replicated::division_by_rank(int64_t rows) const {
  return how_.fixed_order > 0 ? data::divide_rows(rows, ranks()) : shares_.divide(rows);
}

std::vector<int64_t> Replicated::division(int64_t rows) const {
  const auto by_rank = division_by_rank(rows);
  std::vector<int64_t> by_device(static_cast<std::size_t>(how_.devices.size()));
  for (std::size_t r = 0; r < by_rank.size(); ++r)
    by_device[r / static_cast<std::size_t>(ranks_per_device())] += by_rank[r];
  return by_device;
}

std::vector<int64_t> Replicated::edges(const data::Batch& batch) const {
  if (!batch.division.empty() && how_.fixed_order > 0) {
    throw InvalidArgument(
        "fit: data by device must not be used with fixed_order, whose shards do not depend on devices");
  }
  const auto& counts = batch.division.empty() ? division_by_rank(batch.rows()) : batch.division;
  std::vector<int64_t> edges{0};
  for (int64_t count : counts) edges.push_back(edges.back() + count);
  if (static_cast<int64_t>(counts.size()) != ranks() || edges.back() != batch.rows()) {
    throw InvalidArgument(c10::str("fit: data by device must have a part for each of the ", how_.devices.size(),
                                   " devices, got ", counts.size()));
  }
  return edges;
}

void Replicated::run(const std::function<void(int64_t, Replica&)>& work) {
  bool broken = false;
  try {
    threads_.run(
        [&](int64_t rank) {
          const auto r = static_cast<std::size_t>(rank);
          const Turn turn(turns_.empty() ? nullptr : turns_[r].get());
          const StreamScope stream(streams_[r]);
          work(rank, *replicas_[r]);
        },
        [&](const std::string& message) {
          broken = true;
          const auto reason = c10::str("another replica failed first: ", message);
          group_->abort(reason);
          if (how_.host) how_.host->abort(reason);
        });
  } catch (...) {
    if (broken) group_->reset();
    group_rows_ = 0;  // a group of steps that failed is left out
    for (auto& replica : replicas_) replica->rows_since_update = 0;
    throw;
  }
}

StepResult Replicated::step(const data::Batch& batch, const SharedStep& shared) {
  const auto edge = edges(batch);
  SharedStep own = shared;
  own.rows = batch.rows();
  for (int64_t r = ranks() - 1; r >= 0; --r) {
    if (edge[static_cast<std::size_t>(r)] == edge[static_cast<std::size_t>(r) + 1]) continue;
    ++own.active_ranks;
    own.first_active = r;
  }
  begin_host_part(edge);
  const auto next = take_expected();
  run([&](int64_t rank, Replica& replica) {
    auto& communicator = group_->rank(rank);
    const auto r = static_cast<std::size_t>(rank);
    const double start = steady_seconds();
    const double exchanged = communicator.seconds_waiting() + communicator.seconds_moving();
    if (own.training) replica.count_rows(edge[r + 1] - edge[r]);
    ReplicaStep(program_, replica, communicator, own, replica.rows.bring(batch.slice(edge[r], edge[r + 1])), edge[r])
        .run();
    next.send(r, replica);
    replica.figures.settle();
    if (!own.training) return;
    replica.computing +=
        steady_seconds() - start - (communicator.seconds_waiting() + communicator.seconds_moving() - exchanged);
  });
  if (own.training && own.active_ranks < ranks()) share_statistics(edge, own.first_active);
  StepResult result;
  result.rows = own.rows;
  for (const auto& replica : replicas_) {
    const auto& figures = replica->figures;
    const auto& parts = figures.by_output();
    result.loss += figures.loss();
    if (result.outputs.size() < parts.size()) result.outputs.resize(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) result.outputs[i] += parts[i];
    for (const auto& [name, value] : figures.reported()) result.reported[name] += value;
  }
  return result;
}

Replicated::Expected Replicated::take_expected() {
  data::Batch batch = std::exchange(expected_, {});
  if (batch.rows() == 0) return {};
  return {batch, edges(batch)};
}

void Replicated::begin_host_part(const std::vector<int64_t>& edge) {
  if (!how_.host) return;
  std::vector<int64_t> rows;
  for (std::size_t r = 0; r + 1 < edge.size(); ++r) rows.push_back(edge[r + 1] - edge[r]);
  how_.host->begin(rows);
}

// Statistics of the whole batch are the same on every replica that had rows; the others take them over.
void Replicated::share_statistics(const std::vector<int64_t>& edge, int64_t from) {
  c10::NoGradGuard no_grad;
  for (const auto& w : statistics_) {
    if (!w.variable().of_whole_batch && !(how_.host && how_.host->computes(w))) continue;
    const Tensor value = on_host(static_cast<std::size_t>(from), w);
    for (std::size_t r = 0; r < replicas_.size(); ++r) {
      if (edge[r] == edge[r + 1]) set_own(r, w, value);
    }
  }
}

StepResult Replicated::train_step(const data::Batch& batch, const TrainStep& train, const Observer& observer) {
  ahead_ = true;
  const bool begins_group = group_rows_ == 0;
  group_rows_ += batch.rows();
  const auto before = shares_.automatic() ? facts_by_device() : std::vector<DeviceFacts>();
  const auto result = step(batch, {.training = true,
                                   .random = train.random,
                                   .iteration = iterations_,
                                   .rate = train.rate,
                                   .where = how_.where,
                                   .begins_group = begins_group,
                                   .ends_group = train.update,
                                   .group_rows = group_rows_,
                                   .observer = observer});
  ++steps_;
  if (train.update) end_group();
  if (shares_.automatic()) observe_speeds(before);
  return result;
}

void Replicated::finish_update(double rate) {
  if (group_rows_ == 0) return;
  const Observer nobody;
  const SharedStep shared{.training = true,
                          .active_ranks = ranks(),
                          .iteration = iterations_,
                          .rate = rate,
                          .where = how_.where,
                          .begins_group = false,
                          .group_rows = group_rows_,
                          .observer = nobody};
  run([&](int64_t rank, Replica& replica) {
    ReplicaStep(program_, replica, group_->rank(rank), shared, {}, 0).finish_group();
  });
  end_group();
}

void Replicated::end_group() {
  group_rows_ = 0;
  int64_t updates = 0;
  for (auto& replica : replicas_) {
    replica->rows_since_update = 0;
    updates = std::max(updates, replica->updates);
  }
  iterations_ += updates;
  updates_apart_ += updates;
  if (how_.where == UpdatePlace::alone && updates_apart_ >= how_.average_every) average_parameters();
}

StepResult Replicated::test_step(const data::Batch& batch, const Observer& observer) {
  if (how_.where == UpdatePlace::alone) average_parameters();
  return step(batch, {.observer = observer});
}

Tensors Replicated::predict_step(const Tensors& x) {
  const data::Batch batch{x, {}};
  const auto edge = edges(batch);
  begin_host_part(edge);
  auto next = take_expected();
  next.batch.y = {};
  next.batch.weights = {};
  run([&](int64_t rank, Replica& replica) {
    const auto r = static_cast<std::size_t>(rank);
    c10::NoGradGuard no_grad;
    replica.outputs = {};
    if (edge[r] == edge[r + 1]) return;
    const Tensors inputs = program_.network->as_inputs(replica.rows.bring(batch.slice(edge[r], edge[r + 1])).x);
    const WeightScope weights(replica.map);
    const CallContext context{
        .first_row = edge[r], .placed = replica.placed, .trace = replica.trace, .states = &replica.states};
    const CallScope scope(context);
    replica.outputs = program_.network->outputs(inputs, context);
    next.send(r, replica);
    for (auto& output : replica.outputs) output = output.to(at::kCPU);
  });
  int64_t outputs = 0;
  for (const auto& replica : replicas_) outputs = std::max(outputs, replica->outputs.size());
  Tensors merged;
  for (int64_t i = 0; i < outputs; ++i) {
    std::vector<Tensor> pieces;
    for (const auto& replica : replicas_) {
      if (!replica->outputs.empty()) pieces.push_back(replica->outputs[i]);
    }
    merged.push_back(pieces.size() == 1 ? pieces.front() : at::cat(pieces));
  }
  for (auto& replica : replicas_) replica->outputs = {};
  return merged;
}

}  // namespace tandem::distribute
