#include "tandem/optimizers/piecewise_constant_decay.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <functional>

#include "tandem/core/config_reader.h"
#include "tandem/core/error.h"
#include "tandem/optimizers/settings.h"

namespace tandem::schedules {
namespace {

class PiecewiseConstantDecaySchedule final : public LearningRateSchedule {
 public:
  PiecewiseConstantDecaySchedule(std::vector<int64_t> boundaries, std::vector<double> values)
      : boundaries_(std::move(boundaries)), values_(std::move(values)) {
    if (boundaries_.empty() || values_.size() != boundaries_.size() + 1) {
      throw InvalidArgument(
          c10::str("PiecewiseConstantDecay: must get boundaries and one more value than boundaries, got ",
                   boundaries_.size(), " boundaries and ", values_.size(), " values"));
    }
    if (!std::ranges::is_sorted(boundaries_, std::ranges::less_equal())) {
      throw InvalidArgument(
          c10::str("PiecewiseConstantDecay: boundaries must grow, got ", Config::list(boundaries_).shown()));
    }
    for (const double value : values_) check_at_least_zero("PiecewiseConstantDecay", "each of values", value);
  }

  double operator()(int64_t step) const override {
    const auto passed = std::ranges::lower_bound(boundaries_, step) - boundaries_.begin();
    return static_cast<float>(values_[static_cast<std::size_t>(passed)]);
  }

  std::string class_name() const override { return "PiecewiseConstantDecay"; }
  Config get_config() const override {
    return Config::object({{"boundaries", Config::list(boundaries_)},
                           {"values", Config::List(values_.begin(), values_.end())},
                           {"name", "PiecewiseConstant"}});
  }

 private:
  std::vector<int64_t> boundaries_;
  std::vector<double> values_;
};

}  // namespace

PiecewiseConstantDecay::PiecewiseConstantDecay(std::vector<int64_t> boundaries, std::vector<double> values)
    : LearningRate(std::make_shared<PiecewiseConstantDecaySchedule>(std::move(boundaries), std::move(values))) {}

PiecewiseConstantDecay PiecewiseConstantDecay::from_config(const Config& config) {
  ConfigReader reader("PiecewiseConstantDecay", config);
  std::vector<int64_t> boundaries;
  std::vector<double> values;
  reader.require("boundaries", boundaries).require("values", values).ignore("name").finish();
  return PiecewiseConstantDecay(boundaries, values);
}

}  // namespace tandem::schedules
