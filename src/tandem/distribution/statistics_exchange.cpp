#include "tandem/distribution/statistics_exchange.h"

#include <ATen/ATen.h>

#include <numeric>

#include "tandem/comm/communicator.h"
#include "tandem/core/error.h"
#include "tandem/distribution/gathered.h"
#include "tandem/distribution/module_gradients.h"
#include "tandem/distribution/ranks_with_data.h"

namespace tandem::distribute {
namespace {

constexpr int64_t kNoData = -1;

}  // namespace

StatisticsExchange::StatisticsExchange(const ProcessGroup& group) : group_(group) {
  std::vector<int64_t> all(static_cast<std::size_t>(group.world_size()));
  std::iota(all.begin(), all.end(), int64_t{0});
  own_ = group.communicator().subgroup(all);
}

StatisticsExchange::~StatisticsExchange() = default;

std::vector<Tensor> StatisticsExchange::gather(const Tensor& numbers) {
  if (!with_data_) return gathered(*own_, numbers);
  // While gradients are exchanged, ranks without data come here by themselves, once they have heard of that: to wait
  // for them here would not always move on what they are told by.
  const bool alone = !gradients_->unfinished();
  if (alone) with_data_->say(RanksWithData::Act::statistics);
  with_data_->hear();
  agreed(numbers.numel());
  auto all = gathered(*own_, numbers);
  if (alone) with_data_->check_nobody_left();
  return all;
}

Tensor StatisticsExchange::sum(const Tensor& numbers) {
  Tensor sum = at::zeros_like(numbers);
  for (const auto& part : gather(numbers)) sum += part;
  return sum;
}

void StatisticsExchange::set_ranks_with_data(RanksWithData* ranks, const ModuleGradients* gradients) {
  with_data_ = ranks;
  gradients_ = gradients;
}

int64_t StatisticsExchange::agreed(int64_t numbers) {
  int64_t wanted = kNoData;
  for (const auto& one : gathered(*own_, at::full({1}, numbers, at::kLong))) {
    const auto number = one.item<int64_t>();
    if (number == kNoData) continue;
    if (wanted != kNoData && number != wanted)
      throw InvalidArgument("join: all ranks with data must go through the same SyncBatchNorms in the same order");
    wanted = number;
  }
  return wanted;
}

void StatisticsExchange::take_part(bool until_end) {
  do {
    const auto numbers = agreed(kNoData);
    if (numbers <= 0) return;
    gathered(*own_, at::zeros({numbers}, at::kDouble));
  } while (until_end);
}

void StatisticsExchange::end() { agreed(0); }

}  // namespace tandem::distribute
