#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/core/logs.h"
#include "tandem/network/trained_model.h"

namespace tandem {

/// The figure that a callback watches and which way it gets better, as Keras's MonitorCallback. Mode "auto" takes the
/// direction of the compiled metric of that name ("val_" left out); losses get better downwards.
class Monitor {
 public:
  /// `owner` names the callback in errors. Throws InvalidArgument for another mode than auto, min and max, and for a
  /// `min_delta` that is no finite number.
  Monitor(std::string owner, std::string name, std::string mode, double min_delta = 0);

  const std::string& name() const { return name_; }
  /// At the beginning of a training. Throws InvalidArgument where mode auto finds no direction.
  void begin(TrainedModel& model);
  /// The figure of this epoch. Where it is missing the first such epoch of a training gets a warning that ends with
  /// `consequence`, in the process that prints.
  std::optional<double> value(int64_t epoch, const Logs& logs, const std::string& consequence);
  /// True when `value` is better than `reference` by more than min_delta, or when there is none. Compared as float32,
  /// as Keras does: 0.8 - 0.1 is not less than 0.7. NaN is never better.
  bool improves(double value, std::optional<double> reference) const;

 private:
  std::string owner_, name_, mode_, direction_;
  double min_delta_;
  bool warned_ = false, leads_ = true;
};

/// `value` as messages show it: five digits, or "None".
std::string monitor_text(std::optional<double> value);

/// Throws InvalidArgument "<owner>: <what> must not be negative, got ..." where it is.
void check_not_negative(const char* owner, const char* what, int64_t value);

}  // namespace tandem
