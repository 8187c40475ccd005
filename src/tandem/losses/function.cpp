#include "tandem/losses/function.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/losses/targets.h"

namespace tandem::losses {
namespace {

class FunctionLoss final : public Loss {
 public:
  FunctionLoss(LossFunction function, std::string name) : function_(std::move(function)), name_(std::move(name)) {
    if (!function_)
      throw InvalidArgument(c10::str("losses::function '", name_, "': a function must be given, got an empty one"));
  }

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    const Tensor values = function_(y_true, y_pred);
    const int64_t rows = y_pred.size(0);
    if (values.defined() && values.dim() == 0) return values.expand({rows});
    if (!values.defined() || values.size(0) != rows) {
      throw InvalidArgument(c10::str("losses::function '", name_, "': must return one value for each of the ", rows,
                                     " rows, got ",
                                     values.defined() ? "shape " + shape_text(values) : "an undefined tensor"));
    }
    return values;
  }

  std::string class_name() const override { return name_; }
  Config get_config() const override { return Config::object({{"name", name_}, {"reduction", "sum_over_batch_size"}}); }

 private:
  LossFunction function_;
  std::string name_;
};

}  // namespace

Handle<Loss> function(LossFunction function, std::string name) {
  return std::make_shared<FunctionLoss>(std::move(function), std::move(name));
}

}  // namespace tandem::losses
