#include "tandem/layers/activity_regularization.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/activity_loss.h"
#include "tandem/layers/regularizers.h"

namespace tandem::layers {
namespace {

class ActivityRegularizationLayer : public Layer {
 public:
  explicit ActivityRegularizationLayer(const ActivityRegularizationOptions& options)
      : l1_(options.l1), l2_(options.l2) {
    for (const auto& [what, n] : {std::pair("l1", l1_), std::pair("l2", l2_)}) {
      if (!(n >= 0)) {
        throw InvalidArgument(c10::str("ActivityRegularization: ", what, " must not be negative, got ", n));
      }
    }
    if (l1_ > 0 || l2_ > 0) regularizer_ = resolved(regularizers::L1L2({.l1 = l1_, .l2 = l2_}));
  }

  std::string class_name() const override { return "ActivityRegularization"; }
  Lowering lowering() const override { return Lowering::kOutputs; }
  bool supports_masking() const override { return true; }
  Config get_config() const override { return Config::object({{"l1", l1_}, {"l2", l2_}}); }
  Shape output_shape(const Shape& input) override { return input; }

  Tensor call(const Tensor& x, const CallContext& context) override {
    add_activity_loss(regularizer_, x, context);
    return x;
  }

 private:
  double l1_, l2_;
  Handle<Regularizer> regularizer_;
};

}  // namespace

ActivityRegularization::ActivityRegularization(ActivityRegularizationOptions options)
    : LayerHandle(make_remembered<ActivityRegularizationLayer>(options.name, options)) {}

ActivityRegularization ActivityRegularization::from_config(const Config& config) {
  return ActivityRegularization({.l1 = config.get("l1", 0).as_double(), .l2 = config.get("l2", 0).as_double()});
}

}  // namespace tandem::layers
