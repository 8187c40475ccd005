// Replicated: what happened, from the replicas, the communicator and the clocks.
#include <c10/core/GradMode.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tandem/comm/local_group.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/distribution/replicated.h"
#include "tandem/network/stateful.h"
#include "tandem/network/subclassed.h"

namespace tandem::distribute {
namespace {

// The shorter of two times that `replica` needs for forward and backward of `rows`, after one to take memory and choose
// algorithms.
double seconds_alone(const Program& program, Replica& replica, const DeviceStream& stream, const data::Batch& rows) {
  comm::LocalGroup nobody_else(1);
  const Observer nobody;
  const SharedStep shared{.training = true,
                          .rows = rows.rows(),
                          .active_ranks = 1,
                          .ends_group = false,
                          .group_rows = rows.rows(),
                          .observer = nobody};
  const auto own = replica.rows.bring(rows);
  double shortest = std::numeric_limits<double>::infinity();
  for (int time = 0; time < 3; ++time) {
    const double start = steady_seconds();
    ReplicaStep(program, replica, nobody_else.rank(0), shared, own, 0).run();
    stream.synchronize();
    if (time > 0) shortest = std::min(shortest, steady_seconds() - start);
  }
  return shortest;
}

}  // namespace

std::vector<int64_t> Replicated::rows_trained() const {
  std::vector<int64_t> rows(static_cast<std::size_t>(how_.devices.size()));
  for (std::size_t r = 0; r < replicas_.size(); ++r)
    rows[r / static_cast<std::size_t>(ranks_per_device())] += replicas_[r]->rows_trained;
  return rows;
}

int64_t Replicated::bytes_sent(int64_t device) const {
  int64_t bytes = 0;
  for (int64_t r = device * ranks_per_device(); r < (device + 1) * ranks_per_device(); ++r)
    bytes += communicator(r).bytes_sent() + exchange(r).bytes_sent();
  if (how_.host) bytes += how_.host->bytes_moved(device);  // a rank a device: fixed order has no host part
  return bytes;
}

int64_t Replicated::bytes_received(int64_t device) const {
  int64_t bytes = 0;
  for (int64_t r = device * ranks_per_device(); r < (device + 1) * ranks_per_device(); ++r)
    bytes += exchange(r).bytes_received();
  return bytes;
}

DeviceMemory Replicated::memory(int64_t device) const {
  StorageBytes parameters, gradients, optimizer;
  for (int64_t i = 0; i < ranks_per_device(); ++i)
    replicas_[static_cast<std::size_t>(device * ranks_per_device() + i)]->add_memory(parameters, gradients, optimizer);
  return {parameters.bytes(), gradients.bytes(), optimizer.bytes()};
}

TimeShares Replicated::time_shares(int64_t device) const {
  TimeShares sum;
  double served = 0;
  for (int64_t i = 0; i < ranks_per_device(); ++i) {
    const int64_t rank = device * ranks_per_device() + i;
    const auto& communicator = this->communicator(rank);
    sum.compute += replicas_[static_cast<std::size_t>(rank)]->computing;
    sum.exchange += communicator.seconds_moving();
    sum.waiting += communicator.seconds_waiting();
    served += exchange(rank).seconds_moving();
  }
  // Logical shards share the device's time: as many as it has threads work side by side. Those that wait, for others or
  // for servers, do so at the same time.
  const auto shards = static_cast<double>(ranks_per_device());
  const double side_by_side = std::min(shards, static_cast<double>(how_.threads_per_device));
  return {sum.compute / side_by_side, sum.exchange / side_by_side + served / shards, sum.waiting / shards};
}

double Replicated::seconds_exchanging(int64_t rank) const {
  const auto& own = communicator(rank);
  return own.seconds_waiting() + own.seconds_moving() + exchange(rank).seconds_moving();
}

StepLedger Replicated::ledger(int64_t rank) const {
  const auto& exchange = replicas_.at(static_cast<std::size_t>(rank))->exchange;
  return exchange && (world_size() > 1 || how_.servers) ? exchange->ledger() : StepLedger{};
}

std::vector<double> Replicated::computed_by_device() const {
  std::vector<double> seconds;
  for (int64_t d = 0; d < how_.devices.size(); ++d) seconds.push_back(time_shares(d).compute);
  return seconds;
}

// A rank a device: fixed order has no shares.
void Replicated::observe_speeds(const std::vector<double>& before, const std::vector<int64_t>& edge) {
  auto seconds = computed_by_device();
  for (std::size_t d = 0; d < seconds.size(); ++d) seconds[d] -= before[d];
  std::vector<int64_t> rows;
  for (std::size_t r = 1; r < edge.size(); ++r) rows.push_back(edge[r] - edge[r - 1]);
  shares_.observe(by_rank(std::move(seconds)), rows);
}

std::optional<double> Replicated::seconds_on_one_device(const data::Batch& batch) {
  const bool own_step = dynamic_cast<const SubclassedModel*>(program_.network.get()) != nullptr;
  if (own_step || how_.host || how_.servers || divided() || peers_ || how_.fixed_order > 0 || group_rows_ > 0 ||
      !program_.optimizer || batch.rows() < 2 || fixed_batch(*program_.network) > 0)
    return {};
  const int64_t many = std::max<int64_t>(2, division_by_rank(batch.rows()).front()), few = many / 2;
  double many_seconds = 0, few_seconds = 0;
  run([&](int64_t rank, Replica& replica) {
    if (rank != 0) return;
    c10::NoGradGuard no_grad;
    std::vector<Tensor> statistics;
    for (const auto& w : replica.fixed) statistics.push_back(replica.own(w).clone());
    many_seconds = seconds_alone(program_, replica, streams_[0], batch.slice(0, many));
    few_seconds = seconds_alone(program_, replica, streams_[0], batch.slice(0, few));
    for (std::size_t i = 0; i < statistics.size(); ++i) replica.own(replica.fixed[i]).copy_(statistics[i]);
  });
  const double by_row = std::max(0.0, (many_seconds - few_seconds) / static_cast<double>(many - few));
  return many_seconds + by_row * static_cast<double>(batch.rows() - many);
}

}  // namespace tandem::distribute
