#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "tandem/core/config.h"

namespace tandem {

/// The learning rate as a function of the number of updates made, as keras.optimizers.schedules.
class LearningRateSchedule {
 public:
  virtual ~LearningRateSchedule() = default;
  /// Rate of update `step` (0 for the first).
  virtual double operator()(int64_t step) const = 0;
  virtual std::string class_name() const = 0;
  virtual Config get_config() const = 0;

  /// By Keras's class name ("PolynomialDecay") and config. Throws InvalidArgument on an unknown class, proposing the
  /// nearest, and on settings out of range, DataError on a config that lacks what the schedule needs.
  static std::shared_ptr<const LearningRateSchedule> make(const std::string& class_name, const Config& config);
};

/// A fixed rate or a schedule: what an optimizer's `learning_rate` holds.
class LearningRate {
 public:
  LearningRate(double rate) : rate_(rate) {}
  LearningRate(int rate) : rate_(rate) {}
  template <std::derived_from<LearningRateSchedule> S>
  LearningRate(std::shared_ptr<S> schedule) : schedule_(std::move(schedule)) {}

  double at(int64_t step) const { return schedule_ ? (*schedule_)(step) : rate_; }
  bool is_schedule() const { return schedule_ != nullptr; }
  const std::shared_ptr<const LearningRateSchedule>& schedule() const { return schedule_; }

 private:
  double rate_ = 0;
  std::shared_ptr<const LearningRateSchedule> schedule_;
};

/// A rate, or a schedule as Keras writes an object.
void read_member(const Config& member, LearningRate& value);

}  // namespace tandem
