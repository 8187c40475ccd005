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
void ProcessGroup::all_reduce(Tensor& tensor) const { rank_->all_reduce(tensor, {}); }

std::vector<Tensor> ProcessGroup::all_gather(const Tensor& tensor) const {
  const Tensor part = tensor.detach().contiguous().view({-1});
  Tensor whole = at::empty({world_size() * part.numel()}, part.options());
  rank_->all_gather(part, whole);
  std::vector<Tensor> all;
  for (int64_t r = 0; r < world_size(); ++r)
    all.push_back(whole.narrow(0, r * part.numel(), part.numel()).view(tensor.sizes()));
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
  if (options.backend != "auto" && options.backend != "gloo")
    throw_unknown_name("backend", options.backend, {"auto", "gloo"});
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
                                        .silence_seconds = options.silence_seconds}),
          member.local_rank, std::max<int64_t>(member.local_size, 1)};
}

}  // namespace tandem::distribute
