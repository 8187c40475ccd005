#include "tandem/layers/regularizers.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>

#include "tandem/core/catalog.h"
#include "tandem/core/error.h"
#include "tandem/core/shape.h"

namespace tandem {
namespace regularizers {
namespace {

void check_factor(const std::string& name, double factor) {
  if (!std::isfinite(factor) || factor < 0)
    throw InvalidArgument(c10::str(name, " regularizer: factors must be finite and not negative, got ", factor));
}

class L1L2Regularizer : public Regularizer {
 public:
  /// `name` "L1" or "L2" is the special case that knows one factor only.
  L1L2Regularizer(std::string name, double l1, double l2) : name_(std::move(name)), l1_(l1), l2_(l2) {
    check_factor(name_, l1);
    check_factor(name_, l2);
  }

  Tensor operator()(const Tensor& weight) const override {
    if (l1_ == 0 && l2_ == 0) return at::zeros({}, weight.options().requires_grad(false));
    if (l2_ == 0) return weight.abs().sum() * l1_;
    const Tensor squares = weight.square().sum() * l2_;
    return l1_ == 0 ? squares : weight.abs().sum() * l1_ + squares;
  }

  std::string class_name() const override { return name_; }
  Config get_config() const override {
    Config config = Config::object();
    if (name_ != "L2") config.set("l1", l1_);
    if (name_ != "L1") config.set("l2", l2_);
    return config;
  }

 private:
  std::string name_;
  double l1_, l2_;
};

class PairwiseProductRegularizer : public Regularizer {
 public:
  explicit PairwiseProductRegularizer(OrthogonalRegularizerOptions options) : options_(std::move(options)) {
    check_factor("OrthogonalRegularizer", options_.factor);
    if (options_.mode != "rows" && options_.mode != "columns")
      throw_unknown_name("OrthogonalRegularizer: mode", options_.mode, {"rows", "columns"});
  }

  Tensor operator()(const Tensor& weight) const override {
    if (weight.dim() != 2) {
      throw InvalidArgument(
          c10::str("OrthogonalRegularizer: the weight must have rank 2, got shape ", Shape::of(weight.sizes().vec())));
    }
    const Tensor rows = options_.mode == "rows" ? weight : weight.t();
    // A row of norm 0 stays 0; Keras bounds the squared norm alike.
    const Tensor directions = rows * rows.square().sum(1, true).clamp_min(1e-14).rsqrt();
    const Tensor products = at::triu(at::matmul(directions, directions.t()), 1);  // each pair once
    const int64_t pairs = rows.size(0) * (rows.size(0) - 1) / 2;
    return products.abs().sum() * (options_.factor / static_cast<double>(std::max<int64_t>(pairs, 1)));
  }

  std::string class_name() const override { return "OrthogonalRegularizer"; }
  Config get_config() const override { return Config::object({{"factor", options_.factor}, {"mode", options_.mode}}); }

 private:
  OrthogonalRegularizerOptions options_;
};

}  // namespace

L1::L1(double l1) : Handle(std::make_shared<L1L2Regularizer>("L1", l1, 0)) {}
L2::L2(double l2) : Handle(std::make_shared<L1L2Regularizer>("L2", 0, l2)) {}
L1L2::L1L2(L1L2Options options) : Handle(std::make_shared<L1L2Regularizer>("L1L2", options.l1, options.l2)) {}
OrthogonalRegularizer::OrthogonalRegularizer(OrthogonalRegularizerOptions options)
    : Handle(std::make_shared<PairwiseProductRegularizer>(std::move(options))) {}

}  // namespace regularizers

namespace {

using RegularizerMaker = std::shared_ptr<Regularizer> (*)(const Config&);

std::shared_ptr<Regularizer> make_l1(const Config& config) {
  return regularizers::L1(config.get("l1", 0.01).as_double()).get();
}
std::shared_ptr<Regularizer> make_l2(const Config& config) {
  return regularizers::L2(config.get("l2", 0.01).as_double()).get();
}
std::shared_ptr<Regularizer> make_l1_l2(const Config& config) {
  return regularizers::L1L2({config.get("l1", 0.0).as_double(), config.get("l2", 0.0).as_double()}).get();
}

std::shared_ptr<Regularizer> make_orthogonal(const Config& config) {
  return regularizers::OrthogonalRegularizer(
             {config.get("factor", 0.01).as_double(), config.get("mode", "rows").as_string()})
      .get();
}

const Catalog<RegularizerMaker>& regularizer_catalog() {
  static const Catalog<RegularizerMaker> table("regularizer", {
                                                                  {"l1", make_l1},
                                                                  {"L1", make_l1},
                                                                  {"l2", make_l2},
                                                                  {"L2", make_l2},
                                                                  {"l1_l2", make_l1_l2},
                                                                  {"l1l2", make_l1_l2},
                                                                  {"L1L2", make_l1_l2},
                                                                  {"orthogonal", make_orthogonal},
                                                                  {"orthogonal_regularizer", make_orthogonal},
                                                                  {"OrthogonalRegularizer", make_orthogonal},
                                                              });
  return table;
}

}  // namespace

std::shared_ptr<Regularizer> Regularizer::make(const std::string& name) { return make(name, Config::object()); }

std::shared_ptr<Regularizer> Regularizer::make(const std::string& name, const Config& config) {
  return regularizer_catalog().at(name)(config);
}

}  // namespace tandem
