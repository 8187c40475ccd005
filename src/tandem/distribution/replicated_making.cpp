// Replicated: what is made once, when a program is bound.
#include <c10/util/StringUtil.h>

#include <limits>
#include <unordered_map>

#include "tandem/comm/device_group.h"
#include "tandem/comm/local_group.h"
#include "tandem/core/error.h"
#include "tandem/distribution/all_reduce_exchange.h"
#include "tandem/distribution/gradient_order.h"
#include "tandem/distribution/program_options.h"
#include "tandem/distribution/replicated.h"
#include "tandem/distribution/sharded_exchange.h"
#include "tandem/kernels/cpu_allocator.h"

namespace tandem::distribute {
namespace {

// Weights that share memory (tied parameters of a LibTorch module) would be trained apart in each replica.
void check_apart(const std::vector<Weight>& weights, const Network& network) {
  std::unordered_map<const void*, const Weight*> places;
  for (const auto& w : weights) {
    const Tensor& value = w.variable().value;
    if (value.numel() == 0) continue;
    const auto [found, is_new] = places.emplace(value.const_data_ptr(), &w);
    if (is_new) continue;
    throw InvalidArgument(c10::str("model '", network.name(), "': weights '", found->second->name(), "' and '",
                                   w.name(), "' share their memory; tied weights must be one weight"));
  }
}

constexpr double kLimitSeconds = 600;  // that a replica waits for the others in one call

int64_t processes_of(const Replication& how) { return how.processes ? how.processes->rank().world_size() : 1; }

// Of this process.
int64_t ranks_of(const Replication& how) {
  return how.fixed_order > 0 ? how.fixed_order / processes_of(how) : how.devices.size();
}

NamedOptions options_of(const Program& program, const Replication& how) {
  auto options = program_options(program);
  options.add("fixed_order", how.fixed_order);
  options.add("average_every", how.average_every);
  options.add("all_reduce", static_cast<int>(how.algorithm));
  options.add("bucket_bytes", how.bucket_bytes);
  options.add("zero_stage", how.zero_stage);
  std::string shares = how.shares.automatic() ? "auto" : "";
  for (const double share : how.shares.weights()) shares += c10::str(shares.empty() ? "" : ",", share);
  options.add("shares", shares.empty() ? "none" : shares);
  return options;
}

// The other processes, which must have as many devices and the same program.
std::unique_ptr<Peers> peers_of(const Program& program, const Replication& how) {
  if (!how.processes) return nullptr;
  auto peers = std::make_unique<Peers>(how.processes);
  const char* who = how.servers ? "ParameterServer" : how.zero_stage > 0 ? "Zero" : "DataParallel";
  check_alike(*peers, who, program, how.devices.size(), options_of(program, how));
  return peers;
}

// By replica: which ones share a device's threads. Empty where each has a device of its own.
std::vector<std::shared_ptr<comm::Turns>> turns_of(const Replication& how) {
  std::vector<std::shared_ptr<comm::Turns>> turns;
  const int64_t on_each = ranks_of(how) / how.devices.size();
  for (int64_t rank = 0; on_each > 1 && rank < ranks_of(how); ++rank)
    turns.push_back(rank % on_each == 0 ? std::make_shared<comm::Turns>(how.threads_per_device) : turns.back());
  return turns;
}

// By replica: where each computes.
std::vector<DeviceStream> streams_of(const Replication& how) {
  std::vector<DeviceStream> streams;
  const int64_t on_each = ranks_of(how) / how.devices.size();
  for (int64_t rank = 0; rank < ranks_of(how); ++rank) streams.emplace_back(torch_device(how.devices[rank / on_each]));
  return streams;
}

std::unique_ptr<comm::RankGroup> group_of(Peers* peers, const std::vector<DeviceStream>& streams,
                                          const std::vector<std::shared_ptr<comm::Turns>>& turns) {
  const auto ranks = static_cast<int64_t>(streams.size());
  if (peers) return peers->processes().spread(ranks, turns);
  if (streams.front().device().is_cpu()) return std::make_unique<comm::LocalGroup>(ranks, kLimitSeconds, turns);
  std::vector<c10::Device> devices;
  for (const auto& stream : streams) devices.push_back(stream.device());
  return std::make_unique<comm::DeviceGroup>(devices, kLimitSeconds);
}

}  // namespace

Replicated::Replicated(const Program& program, const Replication& how)
    : program_(program),
      how_(how),
      shares_(how.shares, how.devices.size() * processes_of(how)),
      turns_(turns_of(how)),
      streams_(streams_of(how)),
      peers_(peers_of(program, how)),
      group_(group_of(peers_.get(), streams_, turns_)),
      first_(group_->first()),
      threads_(ranks_of(how), how.fixed_order > 0 ? 1 : how.threads_per_device) {
  kernels::install_cpu_allocator();
  if (how_.memory.limit > 0) threads_.run([&](int64_t rank) { how_.memory.begin(first_ + rank); });
  masters_ = program_.network->weights();
  check_apart(masters_, *program_.network);
  replicas_.resize(static_cast<std::size_t>(ranks_of(how)));
  make_replicas();
  if (how_.servers && how_.servers->free()) {
    for (int64_t r = 0; r < ranks(); ++r) alone_.push_back(std::make_unique<comm::LocalGroup>(1));
    if (how_.place) crowd_ = std::make_unique<Crowd>(how_.servers->desk(how_.place->own));
    free_ = std::make_unique<FreeSteps>(
        threads_, [this](int64_t rank, const FreeStep& step) { return make_free_step(rank, step); },
        [this](int64_t rank) { served(static_cast<std::size_t>(rank)).rest(round_); });  // others may wait for it
  }
  if (per_host()) take_first_weights();
  load();
}

Replicated::~Replicated() = default;

void Replicated::make_replicas() {
  for (const auto& w : program_.network->trainable_weights()) {
    const bool by_rows = how_.servers && program_.optimizer && moves_by_rows(w);
    (by_rows ? weights_.tables : weights_.trained).push_back(w);
  }
  weights_.fixed = program_.network->non_trainable_weights();
  for (const auto& w : weights_.fixed) {
    if (!w.trainable()) statistics_.push_back(w);
  }
  const auto lead_of = [&](std::size_t rank) { return rank - rank % static_cast<std::size_t>(ranks_per_device()); };
  std::vector<std::size_t> order;
  // Each replica's memory is first touched by the thread that will use it.
  threads_.run([&](int64_t rank) {
    if (rank == 0 && world_size() > 1) order = gradient_order(*program_.network, weights_.trained);
  });
  if (peers_ && !order.empty()) {  // what lies where in the buffers that are added up
    Tensor first = at::tensor(std::vector<int64_t>(order.begin(), order.end()));
    peers_->take_from(first, 0);
    const auto* places = first.const_data_ptr<int64_t>();
    order.assign(places, places + order.size());
  }
  for (const bool leads : {true, false}) {
    threads_.run([&](int64_t rank) {
      const auto r = static_cast<std::size_t>(rank);
      if ((lead_of(r) == r) != leads) return;
      const StreamScope stream(streams_[r]);
      const Replica* lead = leads ? nullptr : replicas_[lead_of(r)].get();
      const Sharding sharding{how_.zero_stage, divided() ? world_size() : 1, how_.offload_optimizer};
      auto replica = std::make_unique<Replica>(weights_, order, lead, streams_[r].device(), sharding.memory());
      const bool updates = how_.where == UpdatePlace::first ? first_ + rank == 0 : leads;
      // One replica has nothing to exchange, and updates all at once.
      const bool alone = world_size() == 1 && !how_.servers && !divided();
      const int64_t most = alone ? std::numeric_limits<int64_t>::max() : how_.bucket_bytes;
      auto buckets = make_buckets(replica->trainable, most);
      if (divided()) replica->divide(sharding, communicator(rank), buckets, streams_[r].device());
      replica->join(program_, make_exchange(rank, *replica, std::move(buckets), updates), updates && !how_.servers);
      if (how_.placed) replica->placed = how_.placed(rank);
      if (how_.shards) replica->shards = how_.shards(*replica);
      if (how_.host) replica->placed = how_.host->of(rank);
      replicas_[r] = std::move(replica);
    });
  }
}

std::unique_ptr<GradientExchange> Replicated::make_exchange(int64_t rank, Replica& replica,
                                                            std::vector<GradientBucket> buckets, bool wants_result) {
  auto& weights = replica.trainable;
  if (replica.shard) {
    return std::make_unique<ShardedExchange>(weights, *replica.shard, communicator(rank), std::move(buckets),
                                             how_.algorithm);
  }
  if (!how_.servers) {
    return std::make_unique<AllReduceExchange>(weights, communicator(rank), std::move(buckets), how_.algorithm,
                                               wants_result);
  }
  // Ranks on one device compute with the same parameters: one of them writes to them.
  const Tensor target = replica.leads ? weights.parameters() : at::empty_like(weights.parameters());
  return std::make_unique<ServerExchange>(
      weights, weights_.tables, std::move(buckets),
      how_.servers->plan(program_.network->trainable_weights(), weights, weights_.tables, *program_.optimizer,
                         workers(), first_worker() + rank),
      how_.servers->client(first_worker() + rank), target,
      turns_.empty() ? nullptr : turns_[static_cast<std::size_t>(rank)].get());
}

}  // namespace tandem::distribute
