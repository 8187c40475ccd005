#include "tandem/testing/thread_hosts.h"

#include <chrono>
#include <optional>

#include "tandem/comm/backend_processes.h"
#include "tandem/comm/gloo_backend.h"
#include "tandem/comm/hosts_processes.h"
#include "tandem/comm/meeting_point.h"
#include "tandem/comm/meeting_store.h"
#include "tandem/testing/on_threads.h"

namespace tandem::testing {

void run_hosts(const std::vector<int64_t>& begins, const std::function<void(std::shared_ptr<comm::Processes>)>& act) {
  constexpr std::chrono::milliseconds kLimit(20000);
  const comm::BackendProcesses::Options limits{.limit_seconds = 20, .silence_seconds = 20, .numbers = {}};
  const auto by_gloo = [kLimit](const auto& keys, int64_t own, int64_t all) {
    return comm::make_gloo_backend(keys, own, all, "127.0.0.1", kLimit);
  };
  const comm::HostPlan plan{begins};
  const comm::MeetingPoint point("127.0.0.1", 0, {});
  on_threads(plan.ranks(), [&](int64_t rank) {
    auto store = c10::make_intrusive<comm::MeetingStore>("127.0.0.1", point.port(), std::nullopt, kLimit);
    if (plan.hosts() == plan.ranks()) {
      act(std::make_shared<comm::BackendProcesses>(std::move(store), rank, plan.ranks(), limits, by_gloo));
    } else {
      act(std::make_shared<comm::HostsProcesses>(std::move(store), rank, plan, limits, by_gloo));
    }
  });
}

}  // namespace tandem::testing
