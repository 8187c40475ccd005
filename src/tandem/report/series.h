#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tandem/core/logs.h"

namespace tandem::report {

/// Name -> its values in the order of the epochs that gave one: a training history as Keras keeps it.
using Series = std::vector<std::pair<std::string, std::vector<double>>>;

/// What one epoch gave: its number, counted from 0, and its figures by name. Not every epoch gives every figure: with
/// validation_freq = 2 every other one has no val_loss.
struct EpochFigures {
  int64_t epoch = 0;
  Logs figures;
};

}  // namespace tandem::report
