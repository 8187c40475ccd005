#pragma once
#include <cstdint>

namespace tandem::optimizers {

/// The learning rate for a batch that is `times` as large, by the linear scaling rule (Goyal et al. 2017, "Accurate,
/// Large Minibatch SGD"): rate x times, which a log line says. Nothing scales a rate by itself: batch_size is that of
/// all devices together, so more devices alone change neither. Throws InvalidArgument unless both are positive.
double linearly_scaled(double rate, int64_t times);

}  // namespace tandem::optimizers
