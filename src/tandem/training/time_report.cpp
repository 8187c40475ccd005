#include "tandem/training/time_report.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace tandem {
namespace {

constexpr double kMuchInput = 0.3;  // of the training's time
constexpr double kSecondsWorthAWord =
    0.5;  // less is not worth a line: the first batches of any training are waited for

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", seconds);
  return text;
}

}  // namespace

std::string describe_time(const History::Facts& facts) {
  std::string line;
  for (std::size_t r = 0; r < facts.devices.size(); ++r) {
    int64_t left = 100;
    const auto part = [&](double seconds, const char* name) {
      const auto percent = std::llround(100 * seconds / std::max(facts.seconds, 1e-9));
      left -= percent;
      return c10::str(percent, " % ", name);
    };
    line += c10::str(line.empty() ? "time: " : "; ", facts.devices[r], " ");
    line += part(facts.compute_seconds[r], "computing") + ", ";
    line += part(facts.exchange_seconds[r], "exchange") + ", ";
    line += part(facts.waiting_seconds[r], "waiting") + ", ";
    // Where devices do not wait for one another they compute while batches are made: it has only what is left.
    line +=
        part(std::clamp(facts.seconds - facts.compute_seconds[r] - facts.exchange_seconds[r] - facts.waiting_seconds[r],
                        0.0, facts.input_seconds),
             "input");
    if (left >= 1) line += c10::str(", ", left, " % other");
  }
  return line;
}

std::string input_advice(const History::Facts& facts) {
  if (facts.input_seconds < kSecondsWorthAWord || facts.input_seconds <= kMuchInput * facts.seconds) return "";
  return c10::str(
      "training is input-bound: it waited for data during ", std::llround(100 * facts.input_seconds / facts.seconds),
      " % of its time (", seconds_text(facts.input_seconds), " of ", seconds_text(facts.seconds),
      "); give the data set more workers or a longer prefetch, Dataset::prefetch(batches, workers), or make "
      "its rows cheaper");
}

}  // namespace tandem
