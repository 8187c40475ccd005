#include "tandem/layers/constraints.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <cmath>

#include "tandem/core/catalog.h"
#include "tandem/core/error.h"

namespace tandem {
namespace constraints {
namespace {

constexpr double kEpsilon = 1e-7;  // keras.backend.epsilon()

void check_bound(const std::string& where, const char* what, double value) {
  if (!std::isfinite(value) || value < 0)
    throw InvalidArgument(c10::str(where, ": ", what, " must be finite and not negative, got ", value));
}

/// Norms over the axes, which stay as axes of one element.
Tensor norms_of(const Tensor& weight, const Axes& axis, const std::string& where) {
  return weight.square().sum(axis.of_rank(where, weight.dim()), /*keepdim=*/true).sqrt();
}

class MaxNormConstraint : public Constraint {
 public:
  explicit MaxNormConstraint(MaxNormOptions options) : options_(std::move(options)) {
    check_bound("MaxNorm constraint", "max_value", options_.max_value);
  }
  Tensor operator()(const Tensor& weight) const override {
    const Tensor norms = norms_of(weight, options_.axis, "MaxNorm constraint");
    return weight * (norms.clamp(0, options_.max_value) / (norms + kEpsilon));
  }
  std::string class_name() const override { return "MaxNorm"; }
  Config get_config() const override {
    return Config::object({{"max_value", options_.max_value}, {"axis", options_.axis.to_config()}});
  }

 private:
  MaxNormOptions options_;
};

class NonNegConstraint : public Constraint {
 public:
  Tensor operator()(const Tensor& weight) const override { return weight.clamp_min(0); }
  std::string class_name() const override { return "NonNeg"; }
};

class UnitNormConstraint : public Constraint {
 public:
  explicit UnitNormConstraint(UnitNormOptions options) : options_(std::move(options)) {}
  Tensor operator()(const Tensor& weight) const override {
    return weight / (norms_of(weight, options_.axis, "UnitNorm constraint") + kEpsilon);
  }
  std::string class_name() const override { return "UnitNorm"; }
  Config get_config() const override { return Config::object({{"axis", options_.axis.to_config()}}); }

 private:
  UnitNormOptions options_;
};

class MinMaxNormConstraint : public Constraint {
 public:
  explicit MinMaxNormConstraint(MinMaxNormOptions options) : options_(std::move(options)) {
    const std::string where = "MinMaxNorm constraint";
    check_bound(where, "min_value", options_.min_value);
    check_bound(where, "max_value", options_.max_value);
    if (options_.min_value > options_.max_value) {
      throw InvalidArgument(c10::str(where, ": min_value must not be above max_value (", options_.max_value, "), got ",
                                     options_.min_value));
    }
    if (!std::isfinite(options_.rate))
      throw InvalidArgument(c10::str(where, ": rate must be finite, got ", options_.rate));
  }
  Tensor operator()(const Tensor& weight) const override {
    const Tensor norms = norms_of(weight, options_.axis, "MinMaxNorm constraint");
    const Tensor allowed = norms.clamp(options_.min_value, options_.max_value);
    return weight * ((allowed * options_.rate + norms * (1 - options_.rate)) / (norms + kEpsilon));
  }
  std::string class_name() const override { return "MinMaxNorm"; }
  Config get_config() const override {
    return Config::object({{"min_value", options_.min_value},
                           {"max_value", options_.max_value},
                           {"rate", options_.rate},
                           {"axis", options_.axis.to_config()}});
  }

 private:
  MinMaxNormOptions options_;
};

}  // namespace

MaxNorm::MaxNorm(MaxNormOptions options) : Handle(std::make_shared<MaxNormConstraint>(std::move(options))) {}
NonNeg::NonNeg() : Handle(std::make_shared<NonNegConstraint>()) {}
UnitNorm::UnitNorm(UnitNormOptions options) : Handle(std::make_shared<UnitNormConstraint>(std::move(options))) {}
MinMaxNorm::MinMaxNorm(MinMaxNormOptions options)
    : Handle(std::make_shared<MinMaxNormConstraint>(std::move(options))) {}

}  // namespace constraints

namespace {

using ConstraintMaker = std::shared_ptr<Constraint> (*)(const Config&);

Axes axis_of(const Config& config) { return Axes::from_config(config.get("axis", 0)); }

std::shared_ptr<Constraint> make_max_norm(const Config& config) {
  return constraints::MaxNorm({config.get("max_value", 2.0).as_double(), axis_of(config)}).get();
}
std::shared_ptr<Constraint> make_non_neg(const Config&) { return constraints::NonNeg().get(); }
std::shared_ptr<Constraint> make_unit_norm(const Config& config) {
  return constraints::UnitNorm({.axis = axis_of(config)}).get();
}
std::shared_ptr<Constraint> make_min_max_norm(const Config& config) {
  return constraints::MinMaxNorm({.min_value = config.get("min_value", 0.0).as_double(),
                                  .max_value = config.get("max_value", 1.0).as_double(),
                                  .rate = config.get("rate", 1.0).as_double(),
                                  .axis = axis_of(config)})
      .get();
}

const Catalog<ConstraintMaker>& constraint_catalog() {
  static const Catalog<ConstraintMaker> table("constraint", {
                                                                {"max_norm", make_max_norm},
                                                                {"MaxNorm", make_max_norm},
                                                                {"non_neg", make_non_neg},
                                                                {"NonNeg", make_non_neg},
                                                                {"unit_norm", make_unit_norm},
                                                                {"UnitNorm", make_unit_norm},
                                                                {"min_max_norm", make_min_max_norm},
                                                                {"MinMaxNorm", make_min_max_norm},
                                                            });
  return table;
}

}  // namespace

std::shared_ptr<Constraint> Constraint::make(const std::string& name) { return make(name, Config::object()); }

std::shared_ptr<Constraint> Constraint::make(const std::string& name, const Config& config) {
  return constraint_catalog().at(name)(config);
}

}  // namespace tandem
