#pragma once
// What tests of batches that a function gives share. In Keras:
//   m = Sequential([Input((2,)), Dense(1, kernel_initializer="ones")])
//   m.compile(SGD(0.0), loss="mse", metrics=["mae"])
//   def batch(i, rows): x = (np.arange(2 * rows).reshape(rows, 2) + i).astype("float32") / 10; return x, x[:, :1] * 0.5
//   def gen(n):
//       for i in range(n): yield batch(i, 3 + i % 2)
#include <cstdint>

#include "tandem/data/batch_generator.h"
#include "tandem/model/model.h"

namespace tandem::generated {

using data::Batch;
using data::BatchGenerator;

/// batch(i, 3 + i % 2)
Batch given(int64_t i);
/// gen(batches), as one stream; and as passes that begin anew.
BatchGenerator stream(int64_t batches);
BatchGenerator passes(int64_t batches);
/// m, trained on so many devices.
Model sums(int64_t devices, double rate = 0);

}  // namespace tandem::generated
