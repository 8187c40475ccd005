#include "tandem/training/class_weight.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"
#include "tandem/core/trailing_axes.h"

namespace tandem {
namespace {

class ClassWeighting : public data::Transform {
 public:
  explicit ClassWeighting(std::map<int64_t, double> weights) : weights_(std::move(weights)) {}
  std::string class_name() const override { return "ClassWeighting"; }

  data::Batch apply(data::Batch batch, std::span<const RandomStream>) const override {
    if (batch.y.size() != 1)
      throw InvalidArgument(c10::str("class_weight: must be used with one output, got ", batch.y.size()));
    Tensor ids = batch.y[0];
    if (ids.dim() == 2 && ids.size(1) > 1) {
      ids = ids.argmax(1);
    } else if (ids.dim() == 2) {
      ids = ids.squeeze(1);
    } else if (ids.dim() != 1) {
      throw InvalidArgument(c10::str("class_weight: targets must be class ids or one-hot rows, got shape ",
                                     Shape::of(ids.sizes().vec())));
    }
    ids = ids.to(at::kLong).contiguous();
    Tensor factors = at::ones({batch.rows()}, at::kFloat);
    const auto* id = ids.const_data_ptr<int64_t>();
    auto* factor = factors.mutable_data_ptr<float>();
    for (int64_t i = 0; i < batch.rows(); ++i) {
      const auto found = weights_.find(id[i]);
      if (found != weights_.end()) factor[i] = static_cast<float>(found->second);
    }
    if (const Tensor given = batch.weights_of(0); given.defined())
      factors = given * with_trailing_axes(factors, given.dim());
    batch.weights = factors;
    return batch;
  }

 private:
  std::map<int64_t, double> weights_;
};

}  // namespace

data::TransformHandle class_weighting(const std::map<int64_t, double>& weights) {
  return std::shared_ptr<const data::Transform>(std::make_shared<ClassWeighting>(weights));
}

}  // namespace tandem
