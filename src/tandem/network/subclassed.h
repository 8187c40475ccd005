#pragma once
#include <string>
#include <vector>

#include "tandem/network/network.h"

namespace tandem {

/// Base of models that a user writes as a class: layers are members registered by track, call says how they are used.
///
///     struct Mlp : SubclassedModel {
///       Dense hidden = track("hidden", Dense(32));
///       Tensor call(const Tensor& x, const CallContext& context) override { return hidden(x, context); }
///     };
///     Model model = make_model<Mlp>();
///
/// It is built by a dry run when the first batch shows its shape.
class SubclassedModel : public Network {
 public:
  std::vector<LayerHandle> layers() const override { return tracked_; }
  Shapes input_shapes() const override { return input_shapes_; }
  std::vector<std::string> output_names() const override;

  void build_many(const Shapes& inputs) override;

 protected:
  /// Registers a layer under `name` (which becomes the layer's own where it has none) and returns it.
  template <class L>
  L track(const std::string& name, L layer) {
    add_tracked(name, layer);
    return layer;
  }

 private:
  void add_tracked(const std::string& name, const LayerHandle& layer);

  std::vector<LayerHandle> tracked_;
  Shapes input_shapes_;
  int64_t outputs_ = 1;
};

}  // namespace tandem
