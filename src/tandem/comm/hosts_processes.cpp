#include "tandem/comm/hosts_processes.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

namespace tandem::comm {
namespace {

SharedRank& shared(Communicator& rank) { return dynamic_cast<SharedRank&>(rank); }
Communicator& only(RankGroup& group) { return group.rank(group.first()); }

class HostsGroup final : public RankGroup {
 public:
  /// `across`: for calls, and for operations that are only started, where the first rank of a host is; else none.
  HostsGroup(const HostPlan& plan, std::unique_ptr<RankGroup> up, std::unique_ptr<RankGroup> down,
             std::vector<std::unique_ptr<RankGroup>> across, int64_t first)
      : up_(std::move(up)), down_(std::move(down)), across_(std::move(across)), first_(first), world_(plan.ranks()) {
    for (int64_t i = 0; i < here(); ++i) {
      const int64_t in_host = up_->first() + i;
      HostsWays ways{&shared(up_->rank(in_host)), &shared(down_->rank(in_host))};
      if (in_host == 0) {
        ways.across = &only(*across_[0]);
        ways.across_started = &only(*across_[1]);
      }
      ranks_.push_back(std::make_unique<HostsRank>(plan, first_ + i, ways));
    }
  }
  int64_t world_size() const override { return world_; }
  int64_t first() const override { return first_; }
  int64_t here() const override { return up_->here(); }
  Communicator& rank(int64_t r) override { return *ranks_.at(static_cast<std::size_t>(r - first_)); }
  const Communicator& rank(int64_t r) const override { return *ranks_.at(static_cast<std::size_t>(r - first_)); }
  void abort(const std::string& reason) override {
    up_->abort(reason);
    down_->abort(reason);
    for (auto& across : across_) across->abort(reason);
  }
  /// What other processes have left cannot be taken up again: it stays failed.
  void reset() override {}

 private:
  std::unique_ptr<RankGroup> up_, down_;
  std::vector<std::unique_ptr<RankGroup>> across_;
  const int64_t first_, world_;
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
                               const Options& options)
    : process_(process), plan_(std::move(plan)) {
  const auto host = plan_.host_of(process_);
  const auto prefixed = [&](const std::string& name) { return c10::make_intrusive<c10d::PrefixStore>(name, store); };
  const std::chrono::milliseconds limit(static_cast<int64_t>(options.limit_seconds * 1000));
  all_ = std::make_unique<GlooProcesses>(prefixed("all"), process_, plan_.ranks(), options.host, limit);
  here_ = std::make_unique<SharedProcesses>(prefixed(c10::str("host ", host)), process_ - plan_.first(host),
                                            plan_.size(host), options.limit_seconds, options.silence_seconds);
  down_ = here_->spread(1, {});
  HostsWays ways{&shared(here_->rank()), &shared(only(*down_))};
  ways.all = &all_->rank();
  if (process_ == plan_.first(host)) {
    across_ = std::make_unique<GlooProcesses>(prefixed("hosts"), host, plan_.hosts(), options.host, limit);
    across_started_ = across_->spread(1, {});
    ways.across = &across_->rank();
    ways.across_started = &only(*across_started_);
  }
  rank_ = std::make_unique<HostsRank>(plan_, process_, ways);
}

HostsProcesses::~HostsProcesses() = default;

std::unique_ptr<RankGroup> HostsProcesses::spread(int64_t here, const std::vector<std::shared_ptr<Turns>>& turns) {
  auto up = here_->spread(here, turns), down = here_->spread(here, turns);
  std::vector<std::unique_ptr<RankGroup>> across;
  for (int i = 0; across_ && i < 2; ++i) across.push_back(across_->spread(1, {}));
  HostPlan plan = plan_;
  for (auto& begin : plan.begins) begin *= here;
  return std::make_unique<HostsGroup>(plan, std::move(up), std::move(down), std::move(across), process_ * here);
}

void HostsProcesses::abort(const std::string& reason) {
  here_->abort(reason);
  down_->abort(reason);
  all_->abort(reason);
  if (!across_) return;
  across_->abort(reason);
  across_started_->abort(reason);
}

}  // namespace tandem::comm
