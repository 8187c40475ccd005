#include "tandem/callbacks/monitor.h"

#include <c10/util/StringUtil.h>

#include <cmath>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/report/number_text.h"

namespace tandem {

Monitor::Monitor(std::string owner, std::string name, std::string mode, double min_delta)
    : owner_(std::move(owner)), name_(std::move(name)), mode_(std::move(mode)), min_delta_(std::abs(min_delta)) {
  if (mode_ != "auto" && mode_ != "min" && mode_ != "max")
    throw InvalidArgument(c10::str(owner_, ": mode must be auto, min or max, got '", mode_, "'"));
  if (!std::isfinite(min_delta))
    throw InvalidArgument(c10::str(owner_, ": min_delta must be a finite number, got ", min_delta));
}

void Monitor::begin(TrainedModel& model) {
  warned_ = false;
  leads_ = model.leads();
  direction_ = mode_;
  if (mode_ != "auto") return;
  direction_ = model.monitor_direction(name_.starts_with("val_") ? name_.substr(4) : name_);
  if (direction_.empty()) {
    throw InvalidArgument(c10::str(owner_, ": mode auto must find '", name_,
                                   "' among the compiled metrics to know which way it gets better, and does not; set "
                                   "mode to min or max"));
  }
}

std::optional<double> Monitor::value(int64_t epoch, const Logs& logs, const std::string& consequence) {
  if (logs.contains(name_)) return logs[name_];
  if (leads_ && !warned_) {
    warned_ = true;
    std::string there;
    for (const auto& [log, ignored] : logs) there += (there.empty() ? "" : ", ") + log;
    log_warning(c10::str(owner_, ": '", name_, "' is not in the logs of epoch ", epoch + 1, " (",
                         there.empty() ? "none" : there, "); ", consequence));
  }
  return std::nullopt;
}

bool Monitor::improves(double value, std::optional<double> reference) const {
  if (!reference) return true;
  if (direction_ == "min") return static_cast<float>(value + min_delta_) < static_cast<float>(*reference);
  return static_cast<float>(value - min_delta_) > static_cast<float>(*reference);
}

std::string monitor_text(std::optional<double> value) { return value ? report::fixed_text(*value, 5) : "None"; }

void check_not_negative(const char* owner, const char* what, int64_t value) {
  if (value < 0) throw InvalidArgument(c10::str(owner, ": ", what, " must not be negative, got ", value));
}

}  // namespace tandem
