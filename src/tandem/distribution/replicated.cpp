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
  return how_.fixed_order > 0 ? data::divide_rows(rows, world_size()) : shares_.divide(rows);
}

std::vector<int64_t> Replicated::division(int64_t rows) const {
  const auto by_rank = division_by_rank(rows);
  std::vector<int64_t> by_device(static_cast<std::size_t>(how_.devices.size()));
  for (std::size_t r = 0; r < replicas_.size(); ++r)
    by_device[r / static_cast<std::size_t>(ranks_per_device())] += by_rank[static_cast<std::size_t>(first_) + r];
  return by_device;
}

std::vector<int64_t> Replicated::edges(const data::Batch& batch) const {
  if (!batch.division.empty() && how_.fixed_order > 0) {
    throw InvalidArgument(
        "fit: data by device must not be used with fixed_order, whose shards do not depend on devices");
  }
  const auto& counts = batch.division.empty() ? division_by_rank(batch.all_rows()) : batch.division;
  std::vector<int64_t> edges{0};
  for (int64_t count : counts) edges.push_back(edges.back() + count);
  if (static_cast<int64_t>(counts.size()) != world_size() || edges.back() != batch.all_rows()) {
    throw InvalidArgument(c10::str("fit: data by device must have a part for each of the ", world_size(),
                                   " devices, got ", counts.size()));
  }
  return edges;
}

std::vector<data::Batch> Replicated::parts(const data::Batch& batch, const std::vector<int64_t>& edge) const {
  const auto first = static_cast<std::size_t>(first_);
  const int64_t begin = edge[first], end = edge[first + replicas_.size()];
  if (batch.rows() < batch.all_rows() && (batch.first_row != begin || batch.rows() != end - begin)) {
    throw InternalError(c10::str("step: this process must be given rows ", begin, " to ", end, " of the batch, got ",
                                 batch.rows(), " from ", batch.first_row));
  }
  std::vector<data::Batch> parts;
  for (std::size_t r = first; r < first + replicas_.size(); ++r)
    parts.push_back(batch.slice(edge[r] - batch.first_row, edge[r + 1] - batch.first_row));
  return parts;
}

void Replicated::run(const std::function<void(int64_t, Replica&)>& work) {
  bool broken = false;
  try {
    threads_.run(
        [&](int64_t rank) {
          const auto r = static_cast<std::size_t>(rank);
          const Turn turn(turns_.empty() ? nullptr : turns_[r].get());
          const StreamScope stream(streams_[r]);
          if (!how_.within) return work(rank, *replicas_[r]);
          how_.within(rank, [&] { work(rank, *replicas_[r]); });
        },
        [&](const std::string& message) {
          broken = true;
          if (peers_) return part(c10::str("rank ", peers_->rank(), " failed in step ", steps_ + 1, ": ", message));
          const auto reason = c10::str("another replica failed first: ", message);
          group_->abort(reason);
          abort_served(reason);
          if (how_.host) how_.host->abort(reason);
        });
  } catch (...) {
    if (broken && !peers_) group_->reset();
    if (how_.servers) {
      // Side by side: servers of several hosts may wait for one another.
      threads_.run([this](int64_t rank) { served(static_cast<std::size_t>(rank)).give_up(); });
    }
    forget_group();  // of steps that failed: it is left out
    throw;
  }
}

StepResult Replicated::step(const data::Batch& batch, const SharedStep& shared) {
  const auto edge = edges(batch);
  const auto part = parts(batch, edge);
  SharedStep own = shared;
  own.rows = batch.all_rows();
  own.first_rank = first_;
  own.shares_parameters = ranks_per_device() > 1;
  if (how_.fixed_order > 0) own.sums = how_.algorithm;
  for (int64_t r = world_size() - 1; r >= 0; --r) {
    if (edge[static_cast<std::size_t>(r)] == edge[static_cast<std::size_t>(r) + 1]) continue;
    ++own.active_ranks;
    own.first_active = r;
  }
  begin_host_part(edge);
  const auto next = take_expected();
  run([&](int64_t rank, Replica& replica) {
    auto& communicator = this->communicator(rank);
    const auto r = static_cast<std::size_t>(rank);
    const double start = steady_seconds();
    const double exchanged = seconds_exchanging(rank);
    if (own.training) replica.count_rows(part[r].rows());
    if (own.training && per_host())
      replica.host_rows_since_update += how_.servers->rows_on_host(edge, first_worker() + rank);
    if (own.training && how_.servers && served(r).rests()) served(r).pull();
    ReplicaStep(program_, replica, communicator, own, replica.rows.bring(part[r]),
                edge[static_cast<std::size_t>(first_ + rank)])
        .run();
    next.send(r, replica);
    replica.figures.settle();
    if (!own.training) return;
    replica.computing += steady_seconds() - start - (seconds_exchanging(rank) - exchanged);
  });
  if (own.training && own.active_ranks < world_size()) share_statistics(edge, own.first_active);
  if (own.training && peers_) {
    int64_t rows = 0;
    for (const auto& one : part) rows += one.rows();
    receipt_.add(edge[static_cast<std::size_t>(first_)], edge[static_cast<std::size_t>(first_)] + rows, own.rows);
  }
  StepResult result;
  result.rows = own.rows;
  updates_ = 0;
  for (const auto& figures : all_figures()) {
    updates_ = std::max(updates_, figures.updates);
    result.loss += figures.loss;
    if (result.outputs.size() < figures.outputs.size()) result.outputs.resize(figures.outputs.size());
    for (std::size_t i = 0; i < figures.outputs.size(); ++i) result.outputs[i] += figures.outputs[i];
    for (const auto& [name, value] : figures.reported) result.reported[name] += value;
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

StepResult Replicated::train_step(const data::Batch& batch, const TrainStep& train, const Observer& observer) {
  ahead_ = true;
  if (free()) return give_step(batch, train, observer);
  tables_ahead_ = true;
  const bool begins_group = group_rows_ == 0;
  group_rows_ += batch.all_rows();
  const auto before = shares_.automatic() ? computed_by_device() : std::vector<double>();
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
  if (shares_.automatic()) observe_speeds(before, edges(batch));
  return result;
}

void Replicated::finish_update(double rate) {
  if (group_rows_ == 0) return;
  const Observer nobody;
  const SharedStep shared{.training = true,
                          .first_rank = first_,
                          .active_ranks = world_size(),
                          .iteration = iterations_,
                          .rate = rate,
                          .where = how_.where,
                          .begins_group = false,
                          .group_rows = group_rows_,
                          .observer = nobody};
  run([&](int64_t rank, Replica& replica) {
    ReplicaStep(program_, replica, communicator(rank), shared, {}, 0).finish_group();
  });
  std::vector<double> made;
  for (const auto& replica : replicas_) made.push_back(static_cast<double>(replica->updates));
  if (how_.where == UpdatePlace::alone) made = by_rank(std::move(made));  // a rank without rows makes none
  updates_ = static_cast<int64_t>(*std::max_element(made.begin(), made.end()));
  end_group();
}

void Replicated::forget_group() {
  group_rows_ = 0;
  for (auto& replica : replicas_) replica->rows_since_update = replica->host_rows_since_update = 0;
}

void Replicated::end_group() {
  forget_group();
  iterations_ += updates_;
  updates_apart_ += updates_;
  if (how_.where == UpdatePlace::alone && updates_apart_ >= how_.average_every) average_parameters();
}

StepResult Replicated::test_step(const data::Batch& batch, const Observer& observer) {
  if (how_.where == UpdatePlace::alone) average_parameters();
  average_servers_in_step();
  settle();
  bring_tables();
  return step(batch, {.observer = observer});
}

}  // namespace tandem::distribute
