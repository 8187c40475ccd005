#include "tandem/layers/minimum.h"

#include "tandem/layers/extreme.h"
#include "tandem/layers/merging.h"

namespace tandem::layers {
namespace {

class MinimumLayer : public ElementwiseMergeLayer {
 public:
  std::string class_name() const override { return "Minimum"; }

 protected:
  Tensor merge(const std::vector<Tensor>& inputs, bool) const override { return extreme_of(inputs, smaller_of); }
};

}  // namespace

Minimum::Minimum(MinimumOptions options) : LayerHandle(make_remembered<MinimumLayer>(options.name)) {}

Minimum Minimum::from_config(const Config&) { return Minimum(); }

}  // namespace tandem::layers
