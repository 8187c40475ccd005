#include "tandem/metrics/hinge_metrics.h"

#include "tandem/losses/categorical_hinge.h"
#include "tandem/losses/hinge.h"
#include "tandem/losses/squared_hinge.h"
#include "tandem/metrics/loss_metric.h"

namespace tandem::metrics {

Hinge::Hinge(MetricOptions options) : Handle(make_loss_metric("Hinge", options.name, "hinge", losses::Hinge())) {}

SquaredHinge::SquaredHinge(MetricOptions options)
    : Handle(make_loss_metric("SquaredHinge", options.name, "squared_hinge", losses::SquaredHinge())) {}

CategoricalHinge::CategoricalHinge(MetricOptions options)
    : Handle(make_loss_metric("CategoricalHinge", options.name, "categorical_hinge", losses::CategoricalHinge())) {}

}  // namespace tandem::metrics
