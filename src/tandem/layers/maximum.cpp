#include "tandem/layers/maximum.h"

#include "tandem/layers/extreme.h"
#include "tandem/layers/merging.h"

namespace tandem::layers {
namespace {

class MaximumLayer : public ElementwiseMergeLayer {
 public:
  std::string class_name() const override { return "Maximum"; }

 protected:
  Tensor merge(const std::vector<Tensor>& inputs, bool) const override { return extreme_of(inputs, larger_of); }
};

}  // namespace

Maximum::Maximum(MaximumOptions options) : LayerHandle(make_remembered<MaximumLayer>(options.name)) {}

Maximum Maximum::from_config(const Config&) { return Maximum(); }

}  // namespace tandem::layers
