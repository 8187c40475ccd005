#include "tandem/distribution/micro_batches.h"

#include "tandem/data/divide_rows.h"

namespace tandem::distribute {

MicroBatches::MicroBatches(const data::Batch& batch, int64_t count) : all_rows_(batch.all_rows()) {
  int64_t begin = 0;
  for (const int64_t rows : data::divide_rows(batch.rows(), count)) {
    first_.push_back(batch.first_row + begin);
    parts_.push_back(batch.slice(begin, begin + rows));
    begin += rows;
  }
}

}  // namespace tandem::distribute
