#include "tandem/layers/subtract.h"

#include <ATen/ATen.h>

#include "tandem/layers/merging.h"

namespace tandem::layers {
namespace {

class SubtractLayer : public ElementwiseMergeLayer {
 public:
  SubtractLayer() : ElementwiseMergeLayer(/*most_inputs=*/2) {}
  std::string class_name() const override { return "Subtract"; }

 protected:
  Tensor merge(const std::vector<Tensor>& inputs, bool) const override { return inputs[0] - inputs[1]; }
};

}  // namespace

Subtract::Subtract(SubtractOptions options) : LayerHandle(make_remembered<SubtractLayer>(options.name)) {}

Subtract Subtract::from_config(const Config&) { return Subtract(); }

}  // namespace tandem::layers
