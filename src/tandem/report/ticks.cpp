#include "tandem/report/ticks.h"

#include <algorithm>
#include <cmath>

#include "tandem/report/number_text.h"

namespace tandem::report {
namespace {

// mantissa * 10^exponent; kept apart so that multiples are rounded once.
struct Step {
  int mantissa = 1;
  int exponent = 0;

  double times(double count) const {
    const double scale = std::pow(10.0, std::abs(exponent));
    return exponent < 0 ? count * mantissa / scale : count * mantissa * scale;
  }
  Step next() const {
    return mantissa == 1 ? Step{2, exponent} : mantissa == 2 ? Step{5, exponent} : Step{1, exponent + 1};
  }
};

struct Multiples {
  double first, last;
  double count() const { return last - first + 1; }
};

// The multiples of the step in [low, high]; an end that misses one by rounding alone has it.
Multiples multiples(Step step, double low, double high) {
  const double slack = 1e-9;
  return {std::ceil(low / step.times(1) - slack), std::floor(high / step.times(1) + slack)};
}

std::string short_power_text(double value) {
  auto text = scientific_text(value, 15);
  const auto e = text.find('e');
  auto mantissa = text.substr(0, e);
  mantissa.erase(mantissa.find_last_not_of('0') + 1);
  if (mantissa.back() == '.') mantissa.pop_back();
  return mantissa + "e" + std::to_string(std::stoi(text.substr(e + 1)));
}

}  // namespace

std::vector<Tick> nice_ticks(double low, double high, int64_t most, bool whole) {
  Step step{1, static_cast<int>(std::floor(std::log10((high - low) / static_cast<double>(most)))) - 1};
  if (whole) step.exponent = std::max(step.exponent, 0);
  while (multiples(step, low, high).count() > static_cast<double>(most)) step = step.next();

  const double largest = std::max(std::abs(low), std::abs(high));
  const bool as_power = largest >= 1e6 || step.exponent < -5;
  const auto range = multiples(step, low, high);
  std::vector<Tick> ticks;
  for (double i = range.first; i <= range.last; ++i) {
    const double value = step.times(i) + 0.0;  // no negative zero
    const bool is_power = as_power && value != 0;
    ticks.push_back(
        {value, is_power ? short_power_text(value) : fixed_text(value, as_power ? 0 : std::max(0, -step.exponent))});
  }
  return ticks;
}

std::pair<double, double> padded_range(double low, double high, double share) {
  const double largest = std::max(std::abs(low), std::abs(high));
  constexpr double kNothing = 1e-290;  // lengths below it lose digits
  if (high - low <= std::max(1e-9 * largest, kNothing)) {
    const double half = largest > kNothing ? 0.1 * largest : 0.5;
    return {low - half, high + half};
  }
  const double pad = share * (high - low);
  return {low - pad, high + pad};
}

}  // namespace tandem::report
