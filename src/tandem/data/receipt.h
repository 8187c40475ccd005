#pragma once
#include <cstdint>

#include "tandem/data/row_sum.h"

namespace tandem::data {

/// What a DataLoader has served in an epoch so far.
struct Receipt {
  int64_t epoch = -1;
  int64_t batches = 0, batches_due = 0;  // until now, those before a resume too; in the whole epoch
  RowSum served = {};
  RowSum earlier = {};   // before the loop was resumed, by its state
  RowSum padding = {};   // rows that another rank serves too, so that all have as many; of both times
  RowSum left_out = {};  // this rank's, not served in this epoch (drop_last)
  RowSum all = {};       // the data set that ranks share

  bool operator==(const Receipt&) const = default;
};

}  // namespace tandem::data
