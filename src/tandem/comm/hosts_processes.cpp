#include "tandem/comm/hosts_processes.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

namespace tandem::comm {
namespace {

constexpr std::chrono::milliseconds kForTheReason(1000);  // the store's answer

SharedRank& shared(Communicator& rank) { return dynamic_cast<SharedRank&>(rank); }

// What the ranks of this process that belong together speak through.
struct Ways {
  std::unique_ptr<RankGroup> up, down;
  std::vector<std::unique_ptr<ProcessRank>> across;  // for calls, and for operations that are only started
  c10::intrusive_ptr<c10d::Store> failures;          // of all hosts
  ProcessRank* all = nullptr;                        // as in HostsWays
  std::unique_ptr<std::mutex> failing = std::make_unique<std::mutex>();  // guards `first`
  std::string first;                                                     // why they have failed; empty: they have not

  HostsWays of(int64_t rank) {
    HostsWays ways;
    ways.up = &shared(up->rank(rank));
    ways.down = &shared(down->rank(rank));
    if (!across.empty() && ways.up->rank() == 0) {
      ways.across = across[0].get();
      ways.across_started = across[1].get();
    }
    ways.all = all;
    ways.fail = [this](const std::string& reason) { return fail(reason); };
    return ways;
  }
  // The first reason of any host, where the others can still be asked: once, since who has the store may be gone.
  std::string fail(const std::string& reason) {
    const std::lock_guard lock(*failing);
    if (!first.empty()) return first;
    first = reason;
    try {
      failures->setTimeout(kForTheReason);
      first = failures->compareSet("reason", std::string(), reason);
    } catch (const std::exception&) {  // the store is in rank 0's process, which may be the one that is lost
    }
    up->abort(first);
    down->abort(first);
    for (auto& leader : across) leader->abort(first);
    return first;
  }
};

class HostsGroup final : public RankGroup {
 public:
  HostsGroup(const HostPlan& plan, Ways ways) : ways_(std::move(ways)), world_(plan.ranks()) {
    for (int64_t i = 0; i < here(); ++i)
      ranks_.push_back(std::make_unique<HostsRank>(plan, first() + i, ways_.of(first() + i)));
  }
  int64_t world_size() const override { return world_; }
  int64_t first() const override { return ways_.up->first(); }
  int64_t here() const override { return ways_.up->here(); }
  Communicator& rank(int64_t r) override { return *ranks_.at(static_cast<std::size_t>(r - first())); }
  const Communicator& rank(int64_t r) const override { return *ranks_.at(static_cast<std::size_t>(r - first())); }
  void abort(const std::string& reason) override { ways_.fail(reason); }
  /// What other processes have left cannot be taken up again: it stays failed.
  void reset() override {}

 private:
  Ways ways_;
  const int64_t world_;
  std::vector<std::unique_ptr<HostsRank>> ranks_;
};

}  // namespace

std::optional<HostPlan> plan_hosts(const std::vector<std::string>& places) {
  HostPlan plan;
  for (auto place = places.begin(); place != places.end(); ++place) {
    if (place != places.begin() && *place == *std::prev(place)) continue;
    if (std::find(places.begin(), place, *place) != place) return {};
    plan.begins.push_back(place - places.begin());
  }
  plan.begins.push_back(static_cast<int64_t>(places.size()));
  return plan;
}

HostsProcesses::HostsProcesses(c10::intrusive_ptr<c10d::Store> store, int64_t process, HostPlan plan,
                               const BackendProcesses::Options& limits, const ProcessRank::MakeBackend& make_backend)
    : store_(std::move(store)),
      plan_(std::move(plan)),
      host_(plan_.host_of(process)),
      leads_(process == plan_.first(host_)) {
  const auto first = plan_.first(host_);
  const auto prefixed = [&](const std::string& name) { return c10::make_intrusive<c10d::PrefixStore>(name, store_); };
  all_ = std::make_unique<BackendProcesses>(prefixed("all"), process, plan_.ranks(), limits, make_backend);
  here_ = std::make_unique<SharedProcesses>(prefixed(c10::str("host ", host_)),
                                            OneHost{process - first, plan_.size(host_), first}, limits.limit_seconds,
                                            limits.silence_seconds);
  group_ = spread(1, {});
}

HostsProcesses::~HostsProcesses() = default;

std::unique_ptr<ProcessRank> HostsProcesses::join_leaders(const std::string& name) const {
  return all_->join(c10::make_intrusive<c10d::PrefixStore>(name, store_), host_,
                    {plan_.begins.begin(), plan_.begins.end() - 1});
}

std::unique_ptr<RankGroup> HostsProcesses::spread(int64_t here, const std::vector<std::shared_ptr<Turns>>& turns) {
  Ways ways;
  auto groups = here_->spread_side_by_side(2, here, turns);
  ways.up = std::move(groups[0]);
  ways.down = std::move(groups[1]);
  for (int i = 0; leads_ && i < 2; ++i) ways.across.push_back(join_leaders(c10::str("hosts ", groups_, " ", i)));
  ways.failures = c10::make_intrusive<c10d::PrefixStore>(c10::str("failures ", groups_++), store_);
  if (here == 1) ways.all = &all_->rank();
  HostPlan plan = plan_;
  for (auto& begin : plan.begins) begin *= here;
  return std::make_unique<HostsGroup>(plan, std::move(ways));
}

void HostsProcesses::abort(const std::string& reason) {
  here_->abort(reason);
  all_->abort(reason);
  group_->abort(reason);
}

}  // namespace tandem::comm
