#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/optimizers/learning_rate.h"

namespace tandem::zoo {

/// A learning rate that begins at `rate` and falls over `updates` updates, by the name of its shape:
///     polynomial    along a straight line to 0
///     cosine        along half a wave to 0
///     exponential   by the same factor in every update, to a hundredth
///     piecewise     to a tenth after half of the updates and a hundredth after three quarters (He et al. 2015)
///     inverse-time  with the inverse of the number of updates, to a tenth
///     none, ""      it stays
/// Throws InvalidArgument on another name, proposing the nearest, and unless `updates` is at least 1.
LearningRate scheduled_rate(const std::string& name, double rate, int64_t updates);

/// The names, and in words how the rate of one falls.
std::vector<std::string> schedule_names();
std::string schedule_meaning(const std::string& name);

}  // namespace tandem::zoo
