#pragma once
#include <initializer_list>
#include <vector>

#include "tandem/data/concatenate.h"
#include "tandem/data/dataset.h"
#include "tandem/data/epoch_plan.h"

namespace tandem::data {

/// The rows of several data sets one after the other, laid out so that each device gets rows of its own data set only.
class PerDeviceSource final : public ConcatenatedSource {
 public:
  explicit PerDeviceSource(std::vector<Dataset> parts);

  /// Batches of an epoch: as many as the largest part fills.
  int64_t batches(int64_t batch_size, bool drop_remainder) const;
  /// Fills rows, edges and divisions of `plan`: each batch takes the next rows of every part, a device's share of
  /// batch_size each. A part that has run out gives none.
  void lay_out(EpochPlan& plan, const Dataset& whole, const RandomStream& random) const;

 private:
  std::vector<int64_t> shares(int64_t batch_size) const;
};

}  // namespace tandem::data

namespace tandem {

/// Data that each device has for itself: `model.fit(PerDevice{first_half, second_half}, {.batch_size = 64})` trains
/// device k on rows of data set k alone, a share of the (global) batch from each. Parts may be shuffled; batch, map and
/// prefetch go on the whole. One part for each device of the strategy, else fit throws InvalidArgument.
class PerDevice : public Dataset {
 public:
  PerDevice(std::initializer_list<Dataset> parts) : PerDevice(std::vector<Dataset>(parts)) {}
  explicit PerDevice(std::vector<Dataset> parts);
};

}  // namespace tandem
