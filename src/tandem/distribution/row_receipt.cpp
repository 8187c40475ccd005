#include "tandem/distribution/row_receipt.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem::distribute {

void RowReceipt::add(int64_t begin, int64_t end, int64_t all) {
  if (!runs_.empty()) {
    auto& last = runs_.back();
    if (last.begin == begin && last.end == end && last.all == all) {
      ++last.steps;
      return;
    }
  }
  runs_.push_back({1, begin, end, all});
}

void RowReceipt::put(PeerMessage& message) const {
  message.put(static_cast<double>(runs_.size()));
  for (const auto& run : runs_) {
    for (const int64_t value : {run.steps, run.begin, run.end, run.all}) message.put(static_cast<double>(value));
  }
}

std::vector<int64_t> RowReceipt::check(std::vector<PeerMessage> receipts, int64_t rows) {
  const auto processes = receipts.size();
  std::vector<int64_t> counts(processes), left(processes);
  std::vector<Run> now(processes, {0, 0, 0, 0});
  for (std::size_t p = 0; p < processes; ++p) left[p] = receipts[p].integer();
  // The process's next steps; false where it made no more.
  const auto fill = [&](std::size_t p) {
    if (now[p].steps > 0) return true;
    if (left[p] == 0) return false;
    --left[p];
    auto& its = receipts[p];
    const int64_t steps = its.integer(), begin = its.integer(), end = its.integer(), all = its.integer();
    now[p] = {steps, begin, end, all};
    return true;
  };
  const auto fail = [](const std::string& what) { throw InternalError("receipt of the epoch's rows: " + what); };
  int64_t step = 0, total = 0;
  while (true) {
    std::size_t going_on = 0;
    for (std::size_t p = 0; p < processes; ++p) going_on += fill(p) ? 1 : 0;
    if (going_on == 0) break;
    for (std::size_t p = 0; p < processes; ++p) {
      if (now[p].steps == 0) fail(c10::str("rank ", p, " made ", step, " steps, others more"));
    }
    std::vector<std::size_t> order(processes);
    for (std::size_t p = 0; p < processes; ++p) order[p] = p;
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return now[a].begin < now[b].begin; });
    int64_t done = 0, same = now[0].steps;
    for (const auto p : order) {
      const auto& run = now[p];
      same = std::min(same, run.steps);
      if (run.all != now[0].all) {
        fail(c10::str("step ", step + 1, " had ", run.all, " rows for rank ", p, ", ", now[0].all, " for rank 0"));
      }
      if (run.begin == run.end) continue;
      if (run.begin != done) {
        fail(c10::str(
            "rank ", p, " trained on rows ", run.begin, " to ", run.end - 1, " of step ", step + 1,
            run.begin < done ? ", which another rank had, too" : c10::str(", but nobody on those from ", done)));
      }
      done = run.end;
    }
    if (done != now[0].all)
      fail(c10::str("nobody trained on rows from ", done, " of ", now[0].all, " of step ", step + 1));
    for (std::size_t p = 0; p < processes; ++p) {
      counts[p] += same * (now[p].end - now[p].begin);
      now[p].steps -= same;
    }
    total += same * done;
    step += same;
  }
  if (total != rows) fail(c10::str("the ranks had ", total, " of ", rows, " rows"));
  return counts;
}

}  // namespace tandem::distribute
