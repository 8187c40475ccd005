#include "tandem/data/rescale.h"

#include <ATen/ATen.h>

#include <memory>

namespace tandem::data {
namespace {

class RescaleTransform : public Transform {
 public:
  RescaleTransform(double factor, double offset) : factor_(factor), offset_(offset) {}

  Batch apply(Batch batch, std::span<const RandomStream>) const override {
    for (Tensor& x : batch.x) {
      if (!at::isFloatingType(x.scalar_type())) x = x.to(at::kFloat);
      x.mul_(factor_);
      if (offset_ != 0) x.add_(offset_);
    }
    return batch;
  }

  std::string class_name() const override { return "Rescale"; }

 private:
  double factor_, offset_;
};

}  // namespace

Rescale::Rescale(double factor, double offset) : TransformHandle(std::make_shared<RescaleTransform>(factor, offset)) {}

}  // namespace tandem::data
