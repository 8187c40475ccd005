#include "tandem/layers/add.h"

#include "tandem/layers/merging.h"

namespace tandem::layers {
namespace {

class AddLayer : public ElementwiseMergeLayer {
 public:
  std::string class_name() const override { return "Add"; }

 protected:
  Tensor merge(const std::vector<Tensor>& inputs, bool equal) const override { return sum_of(inputs, equal); }
};

}  // namespace

Add::Add(AddOptions options) : LayerHandle(make_remembered<AddLayer>(options.name)) {}

Add Add::from_config(const Config&) { return Add(); }

}  // namespace tandem::layers
