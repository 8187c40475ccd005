#include "tandem/model/batch_generator_case_test.h"

#include <ATen/ATen.h>

#include <optional>

#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/sgd.h"

namespace tandem::generated {

Batch given(int64_t i) {
  const int64_t rows = 3 + i % 2;
  const Tensor x = (at::arange(2 * rows, at::kFloat).reshape({rows, 2}) + i) / 10;
  return {x, x.slice(1, 0, 1) * 0.5};
}

BatchGenerator stream(int64_t batches) {
  return BatchGenerator([batches, i = int64_t{0}]() mutable -> std::optional<Batch> {
    if (i == batches) return std::nullopt;
    return given(i++);
  });
}

BatchGenerator passes(int64_t batches) {
  return BatchGenerator([batches](int64_t) {
    return [batches, i = int64_t{0}]() mutable -> std::optional<Batch> {
      if (i == batches) return std::nullopt;
      return given(i++);
    };
  });
}

Model sums(int64_t devices, double rate) {
  Sequential model({layers::Input({2}), layers::Dense(1, {.kernel_initializer = "ones"})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = rate}),
                 .loss = "mse",
                 .metrics = {"mae"},
                 .strategy = parity::on_devices(devices)});
  return model;
}

}  // namespace tandem::generated
