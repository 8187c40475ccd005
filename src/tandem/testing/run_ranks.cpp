#include "tandem/testing/run_ranks.h"

#include "tandem/comm/local_group.h"
#include "tandem/testing/on_threads.h"

namespace tandem::testing {

void run_ranks(int64_t n, const std::function<void(comm::Communicator&)>& act, double limit_seconds) {
  comm::LocalGroup group(n, limit_seconds);
  on_threads(
      n, [&](int64_t rank) { act(group.rank(rank)); }, [&](const std::string& why) { group.abort(why); });
}

}  // namespace tandem::testing
