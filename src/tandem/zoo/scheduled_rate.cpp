#include "tandem/zoo/scheduled_rate.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/catalog.h"

namespace tandem::zoo {
namespace {

using ScheduleFor = LearningRate (*)(double rate, int64_t updates);

LearningRate schedule_of(const char* class_name, const Config& config) {
  return LearningRateSchedule::make(class_name, config);
}

LearningRate polynomial(double rate, int64_t updates) {
  return schedule_of(
      "PolynomialDecay",
      Config::object({{"initial_learning_rate", rate}, {"decay_steps", updates}, {"end_learning_rate", 0.0}}));
}

LearningRate cosine(double rate, int64_t updates) {
  return schedule_of("CosineDecay", Config::object({{"initial_learning_rate", rate}, {"decay_steps", updates}}));
}

LearningRate exponential(double rate, int64_t updates) {
  return schedule_of("ExponentialDecay",
                     Config::object({{"initial_learning_rate", rate}, {"decay_steps", updates}, {"decay_rate", 0.01}}));
}

// A value holds up to and with its boundary, the number of an update counted from 0.
LearningRate piecewise(double rate, int64_t updates) {
  const int64_t half = std::max<int64_t>((updates + 1) / 2 - 1, 0);
  const int64_t three_quarters = std::max((3 * updates + 3) / 4 - 1, half + 1);
  return schedule_of("PiecewiseConstantDecay", Config::object({{"boundaries", Config::list({half, three_quarters})},
                                                               {"values", Config::List{rate, rate / 10, rate / 100}}}));
}

LearningRate inverse_time(double rate, int64_t updates) {
  return schedule_of("InverseTimeDecay",
                     Config::object({{"initial_learning_rate", rate}, {"decay_steps", updates}, {"decay_rate", 9.0}}));
}

struct ScheduleShape {
  ScheduleFor make;
  const char* meaning;
};

const Catalog<ScheduleShape>& shapes() {
  static const Catalog<ScheduleShape> catalog(
      "schedule", {
                      {"polynomial", {polynomial, "along a line to 0"}},
                      {"cosine", {cosine, "along half a wave to 0"}},
                      {"exponential", {exponential, "by one factor to a hundredth"}},
                      {"piecewise", {piecewise, "to a tenth after half, a hundredth after three quarters"}},
                      {"inverse-time", {inverse_time, "with the inverse of the time to a tenth"}},
                      {"none", {[](double rate, int64_t) -> LearningRate { return rate; }, "not at all"}},
                  });
  return catalog;
}

}  // namespace

LearningRate scheduled_rate(const std::string& name, double rate, int64_t updates) {
  if (updates < 1) throw InvalidArgument(c10::str("schedule: updates must be at least 1, got ", updates));
  return shapes().at(name.empty() ? "none" : name).make(rate, updates);
}

std::vector<std::string> schedule_names() { return shapes().names(); }
std::string schedule_meaning(const std::string& name) { return shapes().at(name).meaning; }

}  // namespace tandem::zoo
