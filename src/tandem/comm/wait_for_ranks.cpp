#include "tandem/comm/wait_for_ranks.h"

#include <c10/util/StringUtil.h>

#include <chrono>
#include <thread>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

constexpr double kSayWhoIsMissing = 5;  // seconds from one line to the next

std::string key_of(const std::string& place, int64_t rank) { return c10::str(place, "/", rank); }

}  // namespace

std::string ranks_named(const std::vector<int64_t>& ranks) {
  return c10::str(ranks.size() == 1 ? "rank " : "ranks ", c10::Join(", ", ranks));
}

void wait_for_ranks(c10d::Store& store, const std::string& place, int64_t own, int64_t ranks, double limit_seconds) {
  store.set(key_of(place, own), std::string("1"));
  std::vector<int64_t> missing;
  for (int64_t r = 0; r < ranks; ++r) {
    if (r != own) missing.push_back(r);
  }
  const double start = steady_seconds();
  double said = start;
  while (!missing.empty()) {
    std::erase_if(missing, [&](int64_t r) { return store.check({key_of(place, r)}); });
    const double now = steady_seconds();
    if (missing.empty()) break;
    if (now - start > limit_seconds) {
      throw PeerError(c10::str("rank ", own, ": ", ranks_named(missing), " did not come within ", limit_seconds, " s"));
    }
    if (now - said > kSayWhoIsMissing) {
      log_info(c10::str("rank ", own, ": waiting for ", ranks_named(missing)));
      said = now;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace tandem::comm
