#include "tandem/distribution/process_group.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstring>

#include "tandem/cluster/who_am_i.h"
#include "tandem/comm/join_processes.h"
#include "tandem/comm/local_group.h"
#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/distribution/gathered.h"
#include "tandem/distribution/strategy.h"

namespace tandem::distribute {
ProcessGroup::ProcessGroup(std::shared_ptr<comm::Processes> processes, int64_t local_rank, int64_t local_size)
    : processes_(std::move(processes)),
      rank_(processes_, &processes_->rank()),
      local_rank_(local_rank),
      local_size_(local_size) {}
ProcessGroup::ProcessGroup(std::shared_ptr<comm::Communicator> rank, int64_t local_rank)
    : rank_(std::move(rank)), local_rank_(local_rank) {}

int64_t ProcessGroup::rank() const { return rank_->rank(); }
int64_t ProcessGroup::world_size() const { return rank_->world_size(); }
Device ProcessGroup::device() const { return {c10::str("cpu:", local_rank_)}; }

void ProcessGroup::all_reduce(Tensor& tensor, ReduceOp op) const {
  if (op == ReduceOp::max || op == ReduceOp::min) {
    const Tensor all = at::stack(all_gather(tensor));
    tensor.copy_(op == ReduceOp::max ? all.amax(0) : all.amin(0));
    return;
  }
  if (op == ReduceOp::mean && !tensor.is_floating_point())
    throw InvalidArgument(c10::str("all_reduce: the mean must be of floating-point numbers, got ", tensor.dtype()));
  rank_->all_reduce(tensor, {});
  if (op == ReduceOp::mean) tensor.div_(world_size());
}

std::vector<Tensor> ProcessGroup::all_gather(const Tensor& tensor) const {
  // Not every way to exchange notices sizes that differ.
  const std::string brought = c10::str(tensor.scalar_type(), " of sizes ", tensor.sizes());
  const auto digest = static_cast<int64_t>(RandomStream().fold(brought).key());
  const auto digests = gathered(*rank_, at::full({}, digest, at::kLong));
  if (!std::all_of(digests.begin(), digests.end(), [&](const Tensor& one) { return one.equal(digests[0]); })) {
    std::string all;
    const auto by_rank = all_gather_objects(brought);
    for (std::size_t r = 0; r < by_rank.size(); ++r) all += c10::str(r > 0 ? ", rank " : "rank ", r, " ", by_rank[r]);
    throw InvalidArgument(c10::str("all_gather: all ranks must bring the same type and sizes, but ", all));
  }
  return gathered(*rank_, tensor);
}

std::vector<std::string> ProcessGroup::all_gather_objects(const std::string& object) const {
  const auto sizes = gathered(*rank_, at::full({}, static_cast<int64_t>(object.size()), at::kLong));
  int64_t most = 0;
  for (const auto& size : sizes) most = std::max(most, size.item<int64_t>());
  Tensor bytes = at::zeros({most}, at::kByte);
  if (!object.empty()) std::memcpy(bytes.data_ptr(), object.data(), object.size());
  std::vector<std::string> all;
  for (const auto& one : gathered(*rank_, bytes)) {
    const auto size = static_cast<std::size_t>(sizes[all.size()].item<int64_t>());
    all.emplace_back(static_cast<const char*>(one.const_data_ptr()), size);
  }
  return all;
}

void ProcessGroup::broadcast(Tensor& tensor, int64_t root) const { rank_->broadcast(tensor, root); }

std::string ProcessGroup::broadcast_object(const std::string& object, int64_t root) const {
  Tensor size = at::full({}, static_cast<int64_t>(object.size()), at::kLong);
  rank_->broadcast(size, root);
  Tensor bytes = at::empty({size.item<int64_t>()}, at::kByte);
  if (rank() == root) std::memcpy(bytes.data_ptr(), object.data(), object.size());
  rank_->broadcast(bytes, root);
  return {static_cast<const char*>(bytes.const_data_ptr()), static_cast<std::size_t>(bytes.numel())};
}

void ProcessGroup::barrier() const { rank_->barrier(); }

ProcessGroup init_process_group(const ProcessGroupOptions& options) {
  const std::vector<std::string> backends{"auto", "gloo", "mpi"};
  if (std::find(backends.begin(), backends.end(), options.backend) == backends.end())
    throw_unknown_name("backend", options.backend, backends);
  if (!(options.limit_seconds > 0))
    throw InvalidArgument(c10::str("init_process_group: limit_seconds must be positive, got ", options.limit_seconds));
  if (!(options.silence_seconds > 0)) {
    throw InvalidArgument(
        c10::str("init_process_group: silence_seconds must be positive, got ", options.silence_seconds));
  }
  const auto member = cluster::who_am_i(cluster::Environment());
  // The ranks of a host share its cores: with more threads than cores, all of them wait for one another.
  if (member.local_size > 1) at::set_num_threads(static_cast<int>(threads_per_device(member.local_size, 0)));
  if (member.trains() && member.world_size == 1) {  // meets nobody
    auto group = std::make_shared<comm::LocalGroup>(1, options.limit_seconds);
    return {std::shared_ptr<comm::Communicator>(group, &group->rank(0)), member.local_rank};
  }
  return {comm::join_processes(member, {.backend = options.backend,
                                        .limit_seconds = options.limit_seconds,
                                        .silence_seconds = options.silence_seconds,
                                        .interface = options.interface}),
          member.local_rank, std::max<int64_t>(member.local_size, 1)};
}

}  // namespace tandem::distribute
