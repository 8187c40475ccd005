#include "tandem/distribution/check_shards.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/data/row_sum.h"

namespace tandem::distribute {
namespace {

using data::RowSum;
using Rows = std::vector<int64_t>;

constexpr int64_t kRanges = 256;

// Every rank's whole numbers.
std::vector<Tensor> gathered_numbers(const Rows& own, const ProcessGroup& group) {
  return group.all_gather(at::tensor(own));
}

// Rows [begin, end) in kRanges parts.
struct RowRange {
  int64_t begin, end;
  int64_t step() const { return (end - begin + kRanges - 1) / kRanges; }
  RowRange part(int64_t i) const { return {begin + i * step(), std::min(end, begin + (i + 1) * step())}; }
  std::vector<RowSum> sums(const Rows& rows) const {
    std::vector<RowSum> sums(kRanges);
    for (const auto row : rows) {
      if (row >= begin && row < end) sums[static_cast<std::size_t>((row - begin) / step())].add(row);
    }
    return sums;
  }
};

// What must add up: the rows that a rank serves or leaves out.
Rows accounted_for(const data::Share& share) {
  Rows rows = share.rows;
  rows.insert(rows.end(), share.left_out.begin(), share.left_out.end());
  return rows;
}

// From the lowest row of any rank to the highest.
RowRange range_of(const Rows& own, const Rows& all, const ProcessGroup& group) {
  Rows ends{INT64_MAX, INT64_MIN};
  for (const auto* rows : {&own, &all}) {
    if (rows->empty()) continue;
    const auto [low, high] = std::minmax_element(rows->begin(), rows->end());
    ends = {std::min(ends[0], *low), std::max(ends[1], *high)};
  }
  RowRange range{INT64_MAX, INT64_MIN};
  for (const auto& one : gathered_numbers(ends, group)) {
    range.begin = std::min(range.begin, one[0].item<int64_t>());
    range.end = std::max(range.end, one[1].item<int64_t>() + 1);
  }
  return range;
}

// The first part of `range` whose rows do not add up.
RowRange faulty_part(const RowRange& range, const Rows& own, const Rows& all, const ProcessGroup& group) {
  Rows numbers;
  for (const auto& sum : range.sums(own)) {
    numbers.push_back(sum.count);
    numbers.push_back(static_cast<int64_t>(sum.hash));
  }
  std::vector<RowSum> sums(kRanges);
  for (const auto& of_rank : gathered_numbers(numbers, group)) {
    const auto* n = of_rank.const_data_ptr<int64_t>();
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += {n[2 * i], static_cast<uint64_t>(n[2 * i + 1])};
  }
  const auto want = range.sums(all);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] != want[i]) return range.part(static_cast<int64_t>(i));
  }
  throw InternalError("check_shards: rows do not add up, but their parts do");
}

// One row of a short range that is served twice, or else by none.
std::string fault_in(const RowRange& range, const Rows& own, const Rows& all, const ProcessGroup& group) {
  const auto counts_of = [&](const Rows& rows) {
    Rows counts(static_cast<std::size_t>(range.end - range.begin), 0);
    for (const auto row : rows) {
      if (row >= range.begin && row < range.end) ++counts[static_cast<std::size_t>(row - range.begin)];
    }
    return counts;
  };
  const Tensor by_rank = at::stack(gathered_numbers(counts_of(own), group));
  const Tensor too_many = by_rank.sum(0) - at::tensor(counts_of(all));
  const auto place = (too_many.max().item<int64_t>() > 0 ? too_many.argmax() : too_many.argmin()).item<int64_t>();
  std::vector<std::string> ranks;
  for (int64_t r = 0; r < group.world_size(); ++r) {
    const auto times = by_rank[r][place].item<int64_t>();
    if (times > 0) ranks.push_back(c10::str("rank ", r, times > 1 ? c10::str(" (", times, " times)") : ""));
  }
  return c10::str("row ", range.begin + place, " is served by ", ranks.empty() ? "no rank" : c10::Join(" and ", ranks));
}

}  // namespace

void check_shards(const data::Share& share, const ProcessGroup& group) {
  const Rows own = accounted_for(share);
  const RowSum sum = data::sum_of(own), all = data::sum_of(share.all);
  const auto sums =
      gathered_numbers({sum.count, static_cast<int64_t>(sum.hash), all.count, static_cast<int64_t>(all.hash)}, group);
  RowSum total;
  for (std::size_t r = 0; r < sums.size(); ++r) {
    const auto* n = sums[r].const_data_ptr<int64_t>();
    const auto* first = sums[0].const_data_ptr<int64_t>();
    if (n[2] != first[2] || n[3] != first[3]) {
      throw InvalidArgument(c10::str("check_shards: all ranks must share one data set, but rank 0 has ", first[2],
                                     " rows, rank ", r, " ", n[2] == first[2] ? "others" : c10::str(n[2])));
    }
    total += {n[0], static_cast<uint64_t>(n[1])};
  }
  if (total == all) return;
  auto range = range_of(own, share.all, group);
  while (range.end - range.begin > kRanges) range = faulty_part(range, own, share.all, group);
  throw InvalidArgument(c10::str("check_shards: one rank must serve each row, but ",
                                 fault_in(range, own, share.all, group), "; of ", all.count, " rows all ranks serve ",
                                 total.count, ", padding apart"));
}

void check_shards(const data::DistributedSampler& sampler, const ProcessGroup& group, int64_t epoch) {
  check_shards(sampler.share(epoch), group);
}

void check_shards(const data::DataLoader& loader, const ProcessGroup& group, int64_t epoch) {
  check_shards(loader.share(epoch), group);
  Rows batches;
  for (const auto& one : gathered_numbers({loader.batches()}, group)) batches.push_back(one.item<int64_t>());
  const auto [least, most] = std::minmax_element(batches.begin(), batches.end());
  if (*least == *most || group.rank() != 0) return;
  log_warning(c10::str("check_shards: ranks have from ", *least, " to ", *most,
                       " batches in an epoch; run the loop in DistributedDataParallel's join"));
}

}  // namespace tandem::distribute
