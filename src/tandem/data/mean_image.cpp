#include "tandem/data/mean_image.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cstdint>

#include "tandem/core/random.h"
#include "tandem/data/loader.h"

namespace tandem::data {
namespace {

constexpr int64_t kBatch = 256;  // rows read at a time where the data set has no batch size
constexpr int64_t kValuesPerTask = 1024;

// Each thread sums some of the values over all rows, in the order of the rows: the sums do not depend on the threads.
template <class T>
void add_rows(const Tensor& batch, double* sums, int64_t count) {
  const T* values = batch.const_data_ptr<T>();
  const int64_t rows = batch.size(0);
  at::parallel_for(0, count, kValuesPerTask, [&](int64_t begin, int64_t end) {
    for (int64_t row = 0; row < rows; ++row) {
      const T* from = values + row * count;
      for (int64_t i = begin; i < end; ++i) sums[i] += static_cast<double>(from[i]);
    }
  });
}

}  // namespace

Tensor mean_image(const Dataset& dataset) {
  dataset.require_rows("mean_image");
  LoaderOptions options;
  options.batch_size = kBatch;
  options.random = random_root();
  Loader loader(dataset, options);
  loader.start_epoch(0);
  Tensor sums;
  int64_t rows = 0;
  while (const auto batch = loader.next()) {
    const Tensor& x = batch->x[0];
    if (!sums.defined()) sums = at::zeros(x.sizes().slice(1), at::kDouble);
    auto* out = sums.mutable_data_ptr<double>();
    if (x.scalar_type() == at::kByte) {
      add_rows<uint8_t>(x.contiguous(), out, sums.numel());
    } else if (x.scalar_type() == at::kFloat) {
      add_rows<float>(x.contiguous(), out, sums.numel());
    } else {
      add_rows<double>(x.to(at::kDouble).contiguous(), out, sums.numel());
    }
    rows += batch->rows();
  }
  return sums.div_(rows).to(at::kFloat);
}

}  // namespace tandem::data
