// The learning rate schedules by Keras's class names: a new schedule is a row here.
#include "tandem/core/catalog.h"
#include "tandem/optimizers/cosine_decay.h"
#include "tandem/optimizers/cosine_decay_restarts.h"
#include "tandem/optimizers/exponential_decay.h"
#include "tandem/optimizers/inverse_time_decay.h"
#include "tandem/optimizers/piecewise_constant_decay.h"
#include "tandem/optimizers/polynomial_decay.h"

namespace tandem {
namespace {

using ScheduleMaker = LearningRate (*)(const Config&);

template <class Of>
LearningRate make_schedule(const Config& config) {
  return Of::from_config(config);
}

const Catalog<ScheduleMaker>& schedule_catalog() {
  static const Catalog<ScheduleMaker> catalog(
      "learning rate schedule", {
                                    {"CosineDecay", make_schedule<schedules::CosineDecay>},
                                    {"CosineDecayRestarts", make_schedule<schedules::CosineDecayRestarts>},
                                    {"ExponentialDecay", make_schedule<schedules::ExponentialDecay>},
                                    {"InverseTimeDecay", make_schedule<schedules::InverseTimeDecay>},
                                    {"PiecewiseConstantDecay", make_schedule<schedules::PiecewiseConstantDecay>},
                                    {"PolynomialDecay", make_schedule<schedules::PolynomialDecay>},
                                });
  return catalog;
}

}  // namespace

std::shared_ptr<const LearningRateSchedule> LearningRateSchedule::make(const std::string& class_name,
                                                                       const Config& config) {
  return schedule_catalog().at(class_name)(config).schedule();
}

void read_member(const Config& member, LearningRate& value) {
  if (member.is_object()) {
    value = LearningRateSchedule::make(member.at("class_name").as_string(), member.at("config"));
  } else {
    value = member.as_double();
  }
}

}  // namespace tandem
