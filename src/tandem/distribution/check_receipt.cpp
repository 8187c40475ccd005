#include "tandem/distribution/check_receipt.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <vector>

#include "tandem/core/error.h"
#include "tandem/distribution/check_shards.h"

namespace tandem::distribute {
namespace {

using data::Receipt;
using data::RowSum;

std::vector<int64_t> to_numbers(const Receipt& receipt) {
  std::vector<int64_t> numbers{receipt.epoch, receipt.batches, receipt.batches_due};
  for (const auto& sum : {receipt.served, receipt.earlier, receipt.padding, receipt.left_out, receipt.all}) {
    numbers.push_back(sum.count);
    numbers.push_back(static_cast<int64_t>(sum.hash));
  }
  return numbers;
}

Receipt from_numbers(const Tensor& numbers) {
  const auto* n = numbers.const_data_ptr<int64_t>();
  const auto sum = [&](int i) { return RowSum{n[3 + 2 * i], static_cast<uint64_t>(n[4 + 2 * i])}; };
  return {n[0], n[1], n[2], sum(0), sum(1), sum(2), sum(3), sum(4)};
}

void check_epochs(const std::vector<Receipt>& receipts) {
  for (std::size_t r = 0; r < receipts.size(); ++r) {
    const auto& one = receipts[r];
    if (one.epoch < 0) throw InvalidArgument(c10::str("check_receipt: rank ", r, " has served no epoch"));
    if (one.epoch != receipts[0].epoch) {
      throw InvalidArgument(c10::str("check_receipt: all ranks must be in one epoch, but rank 0 is in epoch ",
                                     receipts[0].epoch, ", rank ", r, " in ", one.epoch));
    }
    if (one.batches == one.batches_due) continue;
    throw InvalidArgument(c10::str("check_receipt: epoch ", one.epoch, " has not ended, rank ", r, " was served ",
                                   one.batches, " of its ", one.batches_due, " batches"));
  }
}

}  // namespace

EpochReceipt check_receipt(const data::DataLoader& loader, const ProcessGroup& group) {
  std::vector<Receipt> receipts;
  for (const auto& numbers : group.all_gather(at::tensor(to_numbers(loader.receipt()))))
    receipts.push_back(from_numbers(numbers));
  check_epochs(receipts);
  EpochReceipt sums{.epoch = receipts[0].epoch};
  RowSum accounted_for;
  bool of_one_data_set = true;
  for (const auto& one : receipts) {
    sums.rows += one.served.count;
    sums.earlier += one.earlier.count;
    sums.padding += one.padding.count;
    sums.left_out += one.left_out.count;
    for (const auto& part : {one.served, one.earlier, one.left_out}) accounted_for += part;
    of_one_data_set &= one.all == receipts[0].all;
  }
  if (of_one_data_set && accounted_for == receipts[0].all) return sums;
  check_shards(loader.share(sums.epoch), group);  // throws, naming a row, where it was to be so
  throw InternalError(
      c10::str("check_receipt: epoch ", sums.epoch, ": the rows that were served are not the sampler's"));
}

}  // namespace tandem::distribute
