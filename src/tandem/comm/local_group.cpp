#include "tandem/comm/local_group.h"

#include <numeric>

#include "tandem/comm/local_hub.h"
#include "tandem/comm/local_rank.h"
#include "tandem/comm/local_room.h"

namespace tandem::comm {

LocalGroup::LocalGroup(int64_t world_size, double limit_seconds, const std::vector<std::shared_ptr<Turns>>& turns)
    : hub_(std::make_shared<LocalHub>(world_size, limit_seconds, turns)) {
  std::vector<int64_t> members(static_cast<std::size_t>(world_size));
  std::iota(members.begin(), members.end(), 0);
  const auto room = std::make_shared<LocalRoom>(hub_, std::move(members));
  for (int64_t r = 0; r < world_size; ++r) ranks_.push_back(std::make_unique<LocalRank>(room, r));
}

LocalGroup::~LocalGroup() = default;

int64_t LocalGroup::world_size() const { return static_cast<int64_t>(ranks_.size()); }
Communicator& LocalGroup::rank(int64_t r) { return *ranks_.at(static_cast<std::size_t>(r)); }
const Communicator& LocalGroup::rank(int64_t r) const { return *ranks_.at(static_cast<std::size_t>(r)); }
void LocalGroup::abort(const std::string& reason) { hub_->fail(reason); }
void LocalGroup::reset() { hub_->reset(); }

}  // namespace tandem::comm
