#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/distribution/process_group.h"

namespace tandem::distribute {

class ModuleGradients;
class RanksWithData;

/// What the SyncBatchNorms of a module exchange through: a communicator of their own, so that what backward does with
/// gradients at the same time may come in another order on each rank.
class StatisticsExchange {
 public:
  /// Collective.
  explicit StatisticsExchange(const ProcessGroup& group);
  ~StatisticsExchange();
  StatisticsExchange(const StatisticsExchange&) = delete;
  StatisticsExchange& operator=(const StatisticsExchange&) = delete;

  /// Every rank's numbers (n), float64, in the order of the ranks; zeros of ranks without data.
  std::vector<Tensor> gather(const Tensor& numbers);
  /// The sum over all ranks, added up in the order of the ranks.
  Tensor sum(const Tensor& numbers);

  /// While set, ranks whose loops have ended are told before each exchange. Both null: all ranks exchange as often.
  void set_ranks_with_data(RanksWithData* ranks, const ModuleGradients* gradients);
  /// A rank without data takes part in the next exchange, or in all until those that have some call end().
  void take_part(bool until_end);
  /// This rank's backward pass has no more exchanges.
  void end();

 private:
  // What the ranks with data are about to exchange: how many numbers, 0 at the end. Others bring kNoData.
  int64_t agreed(int64_t numbers);

  ProcessGroup group_;  // outlives own_
  std::unique_ptr<comm::Communicator> own_;
  RanksWithData* with_data_ = nullptr;
  const ModuleGradients* gradients_ = nullptr;
};

}  // namespace tandem::distribute
