#include "tandem/metrics/probabilistic_metrics.h"

#include "tandem/losses/binary_crossentropy.h"
#include "tandem/losses/categorical_crossentropy.h"
#include "tandem/losses/kl_divergence.h"
#include "tandem/losses/poisson.h"
#include "tandem/losses/sparse_categorical_crossentropy.h"
#include "tandem/metrics/loss_metric.h"

namespace tandem::metrics {
namespace {

/// Keras's default is the whole number 0.
Config smoothing_config(double smoothing) { return smoothing == 0 ? Config(0) : Config(smoothing); }

}  // namespace

BinaryCrossentropy::BinaryCrossentropy(BinaryCrossentropyOptions options)
    : Handle(make_loss_metric(
          "BinaryCrossentropy", options.name, "binary_crossentropy",
          losses::BinaryCrossentropy({.from_logits = options.from_logits, .label_smoothing = options.label_smoothing}),
          Config::object({{"from_logits", options.from_logits},
                          {"label_smoothing", smoothing_config(options.label_smoothing)}}))) {}

CategoricalCrossentropy::CategoricalCrossentropy(CategoricalCrossentropyOptions options)
    : Handle(make_loss_metric(
          "CategoricalCrossentropy", options.name, "categorical_crossentropy",
          losses::CategoricalCrossentropy(
              {.from_logits = options.from_logits, .label_smoothing = options.label_smoothing, .axis = options.axis}),
          Config::object({{"from_logits", options.from_logits},
                          {"label_smoothing", smoothing_config(options.label_smoothing)},
                          {"axis", options.axis}}))) {}

SparseCategoricalCrossentropy::SparseCategoricalCrossentropy(SparseCategoricalCrossentropyOptions options)
    : Handle(make_loss_metric(
          "SparseCategoricalCrossentropy", options.name, "sparse_categorical_crossentropy",
          losses::SparseCategoricalCrossentropy(
              {.from_logits = options.from_logits, .ignore_class = options.ignore_class}),
          Config::object({{"from_logits", options.from_logits},
                          {"ignore_class", options.ignore_class ? Config(*options.ignore_class) : Config()},
                          {"axis", -1}}))) {}

KLDivergence::KLDivergence(MetricOptions options)
    : Handle(make_loss_metric("KLDivergence", options.name, "kl_divergence", losses::KLDivergence())) {}

Poisson::Poisson(MetricOptions options)
    : Handle(make_loss_metric("Poisson", options.name, "poisson", losses::Poisson())) {}

}  // namespace tandem::metrics
