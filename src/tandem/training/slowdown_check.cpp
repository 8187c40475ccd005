#include "tandem/training/slowdown_check.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>

namespace tandem {
namespace {

constexpr int64_t kWarmUp = 2;       // steps that fill caches and make memory
constexpr std::size_t kEnough = 8;   // measured steps
constexpr std::size_t kAtLeast = 3;  // where the epoch has no more
constexpr double kNoise = 1.05;      // a step that is slower by less than this factor may be so by chance

using Spent = std::vector<std::vector<distribute::TimeShares>>;

double median(std::vector<double> seconds) {
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

// Of the seconds that device r computed in a step.
double median_compute(const Spent& spent, std::size_t r) {
  std::vector<double> seconds;
  for (const auto& step : spent) seconds.push_back(step[r].compute);
  return median(std::move(seconds));
}

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 1 ? "%.3g ms" : "%.0f ms", 1e3 * seconds);
  return text;
}

}  // namespace

StepTime divide_time(const Spent& spent, double seconds, double input) {
  const auto steps = static_cast<double>(spent.size()), devices = static_cast<double>(spent.front().size());
  double slowest = 0;
  for (std::size_t r = 0; r < spent.front().size(); ++r) slowest = std::max(slowest, median_compute(spent, r));
  StepTime mean{.input = input / steps};
  for (std::size_t r = 0; r < spent.front().size(); ++r) {
    double waiting = 0;
    for (const auto& step : spent) {
      waiting += step[r].waiting / steps;
      mean.computing += step[r].compute / steps / devices;
    }
    mean.slower += std::min(waiting, slowest - median_compute(spent, r)) / devices;
  }
  mean.exchange = std::max(seconds / steps - mean.total(), 0.0);
  return mean;
}

std::string slowdown_warning(const Devices& devices, const StepTime& step, double alone) {
  const double most = std::max({step.exchange, step.slower, step.input});
  const char *part = "gradient exchange", *help = "larger batches or fewer devices help";
  if (most == step.input) {
    part = "input";
    help = "larger batches, or more workers and a longer prefetch of the data set, help";
  } else if (most == step.slower) {
    part = "waiting for slower devices";
    help = "larger batches, fewer devices, or shares of the rows that fit their speeds help";
  }
  return c10::str("a step takes ", milliseconds(step.total()), " on ", devices.size(), " devices and ",
                  milliseconds(alone), " on ", devices[0].to_string(), " alone; beside ", milliseconds(step.computing),
                  " of computing on each device most of it is ", part, " (", milliseconds(most), "): ", help);
}

SlowdownCheck::SlowdownCheck(distribute::Execution& execution, int64_t batch_size)
    : execution_(execution), batch_size_(batch_size), last_(shares()) {
  spent_.reserve(kEnough);
}

std::vector<distribute::TimeShares> SlowdownCheck::shares() const {
  std::vector<distribute::TimeShares> now;
  for (int64_t r = 0; r < execution_.devices().size(); ++r) now.push_back(execution_.time_shares(r));
  return now;
}

void SlowdownCheck::add(int64_t rows, double seconds, double input) {
  const auto before = std::exchange(last_, shares());
  right_size_ = rows == batch_size_;
  if (!right_size_ || ++seen_ <= kWarmUp || spent_.size() == kEnough) return;
  auto& spent = spent_.emplace_back(last_);
  for (std::size_t r = 0; r < spent.size(); ++r) {
    spent[r].compute -= before[r].compute;
    spent[r].exchange -= before[r].exchange;
    spent[r].waiting -= before[r].waiting;
  }
  seconds_.push_back(seconds);
  input_ += input;
}

bool SlowdownCheck::knows_enough(int64_t steps_left) const {
  // The last batch of an epoch may be a short one, which would not count.
  return right_size_ && (spent_.size() == kEnough || (spent_.size() >= kAtLeast && steps_left <= 1));
}

std::string SlowdownCheck::warning(const data::Batch& batch) {
  // Other programs disturb clocks: neither a few slow steps nor one fast measurement is enough to blame the devices.
  double longest = 0;
  for (int measurement = 0; measurement < 2; ++measurement) {
    const auto alone = execution_.seconds_on_one_device(batch);
    if (!alone) return "";
    longest = std::max(longest, *alone);
    if (median(seconds_) <= kNoise * longest) return "";
  }
  const double all = std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
  return slowdown_warning(execution_.devices(), divide_time(spent_, all, input_), longest);
}

}  // namespace tandem
