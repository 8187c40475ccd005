#include "tandem/layers/average.h"

#include <ATen/ATen.h>

#include "tandem/layers/merging.h"

namespace tandem::layers {
namespace {

class AverageLayer : public ElementwiseMergeLayer {
 public:
  std::string class_name() const override { return "Average"; }

 protected:
  Tensor merge(const std::vector<Tensor>& inputs, bool equal) const override {
    return sum_of(inputs, equal).div_(static_cast<double>(inputs.size()));
  }
};

}  // namespace

Average::Average(AverageOptions options) : LayerHandle(make_remembered<AverageLayer>(options.name)) {}

Average Average::from_config(const Config&) { return Average(); }

}  // namespace tandem::layers
