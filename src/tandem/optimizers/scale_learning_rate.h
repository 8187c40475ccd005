#pragma once
#include <cstdint>

namespace tandem::optimizers {

/// `rate` times the number of devices, and a line in the log that says so: the linear scaling of Goyal et al. (2017),
/// for whoever makes the batch as many times larger. Nothing else scales a rate: `batch_size` is global, so that more
/// devices alone change nothing in what is learned.
///     optimizers::SGD({.learning_rate = optimizers::scale_learning_rate(0.1, 4)})   // 0.4
/// Throws InvalidArgument unless `devices` is at least 1.
double scale_learning_rate(double rate, int64_t devices);

}  // namespace tandem::optimizers
