#pragma once
#include <string>

#include "tandem/callbacks/history.h"

namespace tandem {

/// Where each device's time went, in percent of the training's:
///     time: cpu:0 91 % computing, 3 % exchange, 2 % waiting, 4 % input; cpu:1 ...
/// Exchange is what computing did not hide, waiting is for slower devices; what is missing to 100 went into validation,
/// callbacks and the loop, and is shown as "other" from 1 % on.
std::string describe_time(const History::Facts& facts);

/// What to do about a training that waited for its data during more than 30 % of its time; empty where it did not, or
/// for less than half a second.
std::string input_advice(const History::Facts& facts);

}  // namespace tandem
