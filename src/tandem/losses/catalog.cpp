// The losses by Keras's names: a new loss is a row here.
#include "tandem/core/catalog.h"

#include "tandem/core/config_reader.h"
#include "tandem/losses/binary_crossentropy.h"
#include "tandem/losses/binary_focal_crossentropy.h"
#include "tandem/losses/categorical_crossentropy.h"
#include "tandem/losses/categorical_focal_crossentropy.h"
#include "tandem/losses/categorical_hinge.h"
#include "tandem/losses/cosine_similarity.h"
#include "tandem/losses/crossentropy.h"
#include "tandem/losses/dice.h"
#include "tandem/losses/hinge.h"
#include "tandem/losses/huber.h"
#include "tandem/losses/kl_divergence.h"
#include "tandem/losses/log_cosh.h"
#include "tandem/losses/mean_absolute_error.h"
#include "tandem/losses/mean_absolute_percentage_error.h"
#include "tandem/losses/mean_squared_error.h"
#include "tandem/losses/mean_squared_logarithmic_error.h"
#include "tandem/losses/poisson.h"
#include "tandem/losses/sparse_categorical_crossentropy.h"
#include "tandem/losses/squared_hinge.h"
#include "tandem/losses/wrapped_function.h"

namespace tandem {
namespace {

using LossMaker = std::shared_ptr<Loss> (*)(ConfigReader& settings);

/// Keras 2 wrote "auto" for what is "sum_over_batch_size" in fit.
void read_reduction(ConfigReader& settings, std::string& reduction) {
  settings.read("reduction", reduction);
  if (reduction == "auto") reduction = "sum_over_batch_size";
}

/// A loss with no other option.
template <class Of>
std::shared_ptr<Loss> loss_from(ConfigReader& settings) {
  losses::LossOptions options;
  read_reduction(settings, options.reduction);
  return Of(options).object();
}

/// One axis or several.
struct AxisList {
  std::vector<int64_t> axes = {};
};
void read_member(const Config& member, AxisList& list) {
  list.axes = member.is_list() ? member.as_ints() : std::vector<int64_t>{member.as_int()};
}

std::shared_ptr<Loss> dice_from(ConfigReader& settings) {
  losses::DiceOptions options;
  AxisList axis;
  settings.read("axis", axis);
  options.axis = axis.axes;
  read_reduction(settings, options.reduction);
  return losses::Dice(std::move(options)).object();
}

std::shared_ptr<Loss> tversky_from(ConfigReader& settings) {
  losses::TverskyOptions options;
  AxisList axis;
  settings.read("alpha", options.alpha).read("beta", options.beta).read("axis", axis);
  options.axis = axis.axes;
  read_reduction(settings, options.reduction);
  return losses::Tversky(std::move(options)).object();
}

std::shared_ptr<Loss> binary_crossentropy_from(ConfigReader& settings) {
  losses::BinaryCrossentropyOptions options;
  settings.read("from_logits", options.from_logits)
      .read("label_smoothing", options.label_smoothing)
      .read("axis", options.axis);
  read_reduction(settings, options.reduction);
  return losses::BinaryCrossentropy(options).object();
}

std::shared_ptr<Loss> binary_focal_crossentropy_from(ConfigReader& settings) {
  losses::BinaryFocalCrossentropyOptions options;
  settings.read("apply_class_balancing", options.apply_class_balancing)
      .read("alpha", options.alpha)
      .read("gamma", options.gamma)
      .read("from_logits", options.from_logits)
      .read("label_smoothing", options.label_smoothing)
      .read("axis", options.axis);
  read_reduction(settings, options.reduction);
  return losses::BinaryFocalCrossentropy(options).object();
}

std::shared_ptr<Loss> categorical_crossentropy_from(ConfigReader& settings) {
  losses::CategoricalCrossentropyOptions options;
  settings.read("from_logits", options.from_logits)
      .read("label_smoothing", options.label_smoothing)
      .read("axis", options.axis);
  read_reduction(settings, options.reduction);
  return losses::CategoricalCrossentropy(options).object();
}

std::shared_ptr<Loss> categorical_focal_crossentropy_from(ConfigReader& settings) {
  losses::CategoricalFocalCrossentropyOptions options;
  settings.read("alpha", options.alpha)
      .read("gamma", options.gamma)
      .read("from_logits", options.from_logits)
      .read("label_smoothing", options.label_smoothing)
      .read("axis", options.axis);
  read_reduction(settings, options.reduction);
  return losses::CategoricalFocalCrossentropy(options).object();
}

std::shared_ptr<Loss> sparse_categorical_crossentropy_from(ConfigReader& settings) {
  losses::SparseCategoricalCrossentropyOptions options;
  int64_t axis = -1;
  settings.read("from_logits", options.from_logits).read("ignore_class", options.ignore_class).read("axis", axis);
  if (axis != -1) throw InvalidArgument("SparseCategoricalCrossentropy: axis must be -1, got " + std::to_string(axis));
  read_reduction(settings, options.reduction);
  return losses::SparseCategoricalCrossentropy(options).object();
}

std::shared_ptr<Loss> cosine_similarity_from(ConfigReader& settings) {
  losses::CosineSimilarityOptions options;
  settings.read("axis", options.axis);
  read_reduction(settings, options.reduction);
  return losses::CosineSimilarity(options).object();
}

std::shared_ptr<Loss> huber_from(ConfigReader& settings) {
  losses::HuberOptions options;
  settings.read("delta", options.delta);
  read_reduction(settings, options.reduction);
  return losses::Huber(options).object();
}

const Catalog<LossMaker>& loss_catalog() {
  static const Catalog<LossMaker> catalog(
      "loss", {
                  {"BinaryCrossentropy", binary_crossentropy_from},
                  {"binary_crossentropy", binary_crossentropy_from},
                  {"bce", binary_crossentropy_from},
                  {"BCE", binary_crossentropy_from},
                  {"BinaryFocalCrossentropy", binary_focal_crossentropy_from},
                  {"binary_focal_crossentropy", binary_focal_crossentropy_from},
                  {"CategoricalCrossentropy", categorical_crossentropy_from},
                  {"categorical_crossentropy", categorical_crossentropy_from},
                  {"CategoricalFocalCrossentropy", categorical_focal_crossentropy_from},
                  {"categorical_focal_crossentropy", categorical_focal_crossentropy_from},
                  {"SparseCategoricalCrossentropy", sparse_categorical_crossentropy_from},
                  {"sparse_categorical_crossentropy", sparse_categorical_crossentropy_from},
                  {"Crossentropy", loss_from<losses::Crossentropy>},
                  {"crossentropy", loss_from<losses::Crossentropy>},
                  {"CE", loss_from<losses::Crossentropy>},
                  {"ce", loss_from<losses::Crossentropy>},
                  {"Dice", dice_from},
                  {"dice", dice_from},
                  {"Tversky", tversky_from},
                  {"tversky", tversky_from},
                  {"KLDivergence", loss_from<losses::KLDivergence>},
                  {"kl_divergence", loss_from<losses::KLDivergence>},
                  {"kullback_leibler_divergence", loss_from<losses::KLDivergence>},
                  {"kld", loss_from<losses::KLDivergence>},
                  {"KLD", loss_from<losses::KLDivergence>},
                  {"Poisson", loss_from<losses::Poisson>},
                  {"poisson", loss_from<losses::Poisson>},
                  {"MeanSquaredError", loss_from<losses::MeanSquaredError>},
                  {"mean_squared_error", loss_from<losses::MeanSquaredError>},
                  {"mse", loss_from<losses::MeanSquaredError>},
                  {"MSE", loss_from<losses::MeanSquaredError>},
                  {"MeanAbsoluteError", loss_from<losses::MeanAbsoluteError>},
                  {"mean_absolute_error", loss_from<losses::MeanAbsoluteError>},
                  {"mae", loss_from<losses::MeanAbsoluteError>},
                  {"MAE", loss_from<losses::MeanAbsoluteError>},
                  {"MeanAbsolutePercentageError", loss_from<losses::MeanAbsolutePercentageError>},
                  {"mean_absolute_percentage_error", loss_from<losses::MeanAbsolutePercentageError>},
                  {"mape", loss_from<losses::MeanAbsolutePercentageError>},
                  {"MAPE", loss_from<losses::MeanAbsolutePercentageError>},
                  {"MeanSquaredLogarithmicError", loss_from<losses::MeanSquaredLogarithmicError>},
                  {"mean_squared_logarithmic_error", loss_from<losses::MeanSquaredLogarithmicError>},
                  {"msle", loss_from<losses::MeanSquaredLogarithmicError>},
                  {"MSLE", loss_from<losses::MeanSquaredLogarithmicError>},
                  {"CosineSimilarity", cosine_similarity_from},
                  {"cosine_similarity", cosine_similarity_from},
                  {"Huber", huber_from},
                  {"huber", huber_from},
                  {"huber_loss", huber_from},
                  {"LogCosh", loss_from<losses::LogCosh>},
                  {"log_cosh", loss_from<losses::LogCosh>},
                  {"logcosh", loss_from<losses::LogCosh>},
                  {"Hinge", loss_from<losses::Hinge>},
                  {"hinge", loss_from<losses::Hinge>},
                  {"SquaredHinge", loss_from<losses::SquaredHinge>},
                  {"squared_hinge", loss_from<losses::SquaredHinge>},
                  {"CategoricalHinge", loss_from<losses::CategoricalHinge>},
                  {"categorical_hinge", loss_from<losses::CategoricalHinge>},
              });
  return catalog;
}

}  // namespace

std::shared_ptr<Loss> Loss::make(const std::string& name) { return make(name, Config::object()); }

std::shared_ptr<Loss> Loss::make(const std::string& name, const Config& config) {
  if (name == "function") return make(config.as_string());
  if (name == "LossFunctionWrapper") {
    const auto [function, settings] = wrapped_function(config);
    return make(function, settings);
  }
  const LossMaker maker = loss_catalog().at(name);
  ConfigReader settings("loss " + name, config);
  if (settings.has_null("reduction"))  // Keras's None: one value a sample, which is no loss to train by
    throw InvalidArgument("loss " + name + ": reduction must be 'sum_over_batch_size', 'mean' or 'sum', got null");
  settings.ignore("name").ignore("dtype");  // losses are shown nowhere, and keep the type of what they get
  auto loss = maker(settings);
  settings.finish();
  return loss;
}

std::vector<std::string> Loss::names() { return loss_catalog().names(); }

}  // namespace tandem
